import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';

import { formatClock, UsageError } from '../base/index.js';
import { METHOD_NAMES } from '../select/index.js';
import { refuseLinks, writeParts } from '../storage/index.js';
import { folderName, foldersIn, type Command, type Work } from '../studio/index.js';
import { RATE_NAMES, timelineFormats, type TimelineFormatName } from '../timeline/index.js';
import {
  alternativesAnswer,
  editAnswer,
  filmAnswer,
  filmOf,
  rounded,
  selectionOf,
  shotAnswerOf,
  shotIn,
  shotsAnswer,
  statusAnswer,
  statusOf,
  summariesAnswer,
  topicAnswer,
  topicOf,
  videoAnswerOf,
  videoIn,
  whyAnswer,
} from './answers.js';
import { drawContactSheet, sheetShot, type SheetShot } from './contact-sheet.js';
import { isBusy, type Desk, type Desks } from './desks.js';
import type { Roots } from './folders.js';

/** What a tool needs besides its arguments. */
export type ToolContext = {
  readonly desks: Desks;
  readonly roots: Roots;
  /** Aborted when the request is cancelled. */
  readonly signal: AbortSignal;
  /** Tells the client how far the work is. */
  readonly onWork: (work: Work) => void;
};

/** The answer of a tool, and a picture if it has one. */
type Answer<T> = { readonly data: T; readonly jpeg?: Buffer };

/** A tool, declared once: name, sentence, arguments, answer. */
export type Tool<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> = {
  readonly title: string;
  readonly description: string;
  readonly input: I;
  readonly output: O;
  /** Whether it changes the topic: its settings or its files. */
  readonly changes: boolean;
  run(given: z.output<I>, context: ToolContext): Promise<Answer<z.input<O>>>;
};

/** Keeps the types of a tool for its own function. */
function tool<I extends z.ZodType, O extends z.ZodType>(declared: Tool<I, O>): Tool {
  return declared as unknown as Tool;
}

const folder = z.string().min(1).max(4096).describe('Folder of videos, or of a topic: as list_folders names it');
const video = z.string().min(1).max(300).describe('File name of a video');
const shot = z.int().positive().max(1e9).describe('Number of a shot of that video, from 1');
const length = z.string().min(1).max(40);
const waitSeconds = z
  .number()
  .min(0)
  .max(3600)
  .default(40)
  .describe('Answer after so many seconds at the latest; the work goes on, and "status" tells how far it is');
const first = z.int().positive().max(1e9).default(1).describe('The first to list, from 1');
const count = z.int().positive().max(200).default(50).describe('How many to list');
const isOn = z.boolean().default(true).describe('false takes the wish back');

/** How long `cancel` waits for the work to end. */
const CANCEL_SECONDS = 30;

/** Every tool by name. */
export const tools: Readonly<Record<string, Tool>> = {
  list_folders: tool({
    title: 'List folders',
    description: 'The folders that may be used: those with videos, and topics that were begun. Start here.',
    input: z.strictObject({}),
    output: z.object({
      folders: z.array(
        z.object({ folder: z.string(), kind: z.enum(['folder', 'topic']), videos: z.int().describe('How many') }),
      ),
    }),
    changes: false,
    run: async (_, { roots }) => {
      const found = await Promise.all(
        roots.folders.map(async (root) =>
          (await foldersIn(root)).map(({ name, kind, videos }) => ({ folder: join(root, name), kind, videos })),
        ),
      );
      return { data: { folders: found.flat() } };
    },
  }),

  analyse: tool({
    title: 'Analyse a folder',
    description:
      'Open a folder of videos that share a topic and analyse them: shots, evidence, what is bad. Each video is analysed once; later calls answer at once. Everything else needs this first.',
    input: z.strictObject({ folder, waitSeconds }),
    output: topicAnswer,
    changes: true,
    run: async ({ folder: named, waitSeconds: seconds }, { desks, signal, onWork }) => {
      const desk = await desks.open(named);
      const topic = await desk.read();
      if (!isBusy(topic.work) && topic.selection === null)
        await desk.handlers.look({ parameters: {}, body: undefined });
      await desk.settle({ seconds, signal, onWork, owns: true });
      return { data: topicOf(await desk.read(), desk) };
    },
  }),

  status: tool({
    title: 'Status of the work',
    description: 'How far analysis or rendering is, and why videos were left out. With waitSeconds, waits for the end.',
    input: z.strictObject({ folder, waitSeconds: waitSeconds.unwrap().default(0) }),
    output: statusAnswer,
    changes: false,
    run: async ({ folder: named, waitSeconds: seconds }, { desks, signal, onWork }) => {
      const desk = await desks.open(named);
      const work = await desk.settle({ seconds, signal, onWork, owns: false });
      return { data: statusOf(work, await desk.read()) };
    },
  }),

  cancel: tool({
    title: 'Cancel the work',
    description: 'Stop analysis or rendering. What is finished is kept.',
    input: z.strictObject({ folder }),
    output: statusAnswer,
    changes: true,
    run: async ({ folder: named }, { desks, signal, onWork }) => {
      const desk = await desks.open(named);
      await desk.handlers.cancel({ parameters: {}, body: undefined });
      const work = await desk.settle({ seconds: CANCEL_SECONDS, signal, onWork, owns: false });
      return { data: statusOf(work, await desk.read()) };
    },
  }),

  summarise: tool({
    title: 'Summarise each video',
    description:
      'What the summary of each video plays. Set a length (30s, 15%, "12 shots"), own against shared, or a method, and it changes at once; settings stay with the topic.',
    input: z.strictObject({
      folder,
      length: length.optional().describe('Length of the summary of each video: 30s, 15% or "12 shots"'),
      shared: z.number().min(0).max(1).optional().describe('0: what only this video shows; 1: what it shares'),
      method: z.enum(METHOD_NAMES).optional(),
      ...{ first, count },
    }),
    output: summariesAnswer,
    changes: true,
    run: async ({ folder: named, first: from, count: most, ...settings }, { desks }) => {
      const desk = await desks.open(named);
      await changeSettings(desk, settings);
      const { videos } = selectionOf(await desk.read());
      return { data: { videos: videos.slice(from - 1, from - 1 + most).map(videoAnswerOf), total: videos.length } };
    },
  }),

  topic_film: tool({
    title: 'The film of the topic',
    description:
      'One film of all videos: what several of them show first, nothing twice. Lists its shots in order, each with the reason. Set a length (60s, 5%, "20 shots") to change it.',
    input: z.strictObject({
      folder,
      length: length.optional().describe('Length of the film: 60s, 5% or "20 shots"'),
      ...{ first, count },
    }),
    output: filmAnswer,
    changes: true,
    run: async ({ folder: named, length: concept, first: from, count: most }, { desks }) => {
      const desk = await desks.open(named);
      await changeSettings(desk, { concept });
      return { data: filmOf(selectionOf(await desk.read()), from, most) };
    },
  }),

  list_shots: tool({
    title: 'List the shots of a video',
    description: 'All shots of a video in time order: when, how important, chosen, pinned, vetoed, what is bad.',
    input: z.strictObject({ folder, video, first, count }),
    output: shotsAnswer,
    changes: false,
    run: async ({ folder: named, video: name, first: from, count: most }, { desks }) => {
      const { shots, ...found } = videoIn(selectionOf(await (await desks.open(named)).read()), name);
      const listed = shots.slice(from - 1, from - 1 + most).map(shotAnswerOf);
      return { data: { video: found.name, total: shots.length, shots: listed } };
    },
  }),

  explain_shot: tool({
    title: 'Explain a shot',
    description: 'Why a shot is in the summary of its video, or why not, and which shots of other videos support it.',
    input: z.strictObject({ folder, video, shot }),
    output: whyAnswer,
    changes: false,
    run: async (given, { desks }) => {
      const { found, selection, why, at } = await whyOf(given, desks);
      const names = new Map(selection.videos.map(({ id, name }) => [id, name]));
      const { from, to, chosen } = found.shots[at]!;
      return {
        data: {
          ...{ video: found.name, shot: at + 1, from: rounded(from), to: rounded(to), isChosen: chosen },
          ...{ reason: why.reason, own: rounded(why.own), shared: rounded(why.shared) },
          support: why.support.map(({ video: id, share, shot: index }) => ({
            ...{ video: names.get(id) ?? id, share: rounded(share), shot: index + 1 },
          })),
        },
      };
    },
  }),

  alternatives: tool({
    title: 'Alternatives to a shot',
    description:
      'Other takes of the same moment or view, best first. To use one instead: veto_shot the one shown and pin_shot the other.',
    input: z.strictObject({ folder, video, shot }),
    output: alternativesAnswer,
    changes: false,
    run: async (given, { desks }) => {
      const { selection, why } = await whyOf(given, desks);
      const alternatives = why.alternatives.map(({ video: id, shot: index }) => {
        const source = videoIn(selection, id);
        const { rank, chosen, bad, from, to } = source.shots[index]!;
        return {
          ...{ video: source.name, shot: index + 1, from: rounded(from), to: rounded(to), rank: rank + 1 },
          ...{ isChosen: chosen, bad },
        };
      });
      return { data: { alternatives } };
    },
  }),

  pin_shot: tool({
    title: 'Pin a shot',
    description: 'This shot must be in the summary of its video, and in the film. Replaces a veto.',
    input: z.strictObject({ folder, video, shot, isOn }),
    output: editAnswer,
    changes: true,
    run: (given, { desks }) => wish(given, 'pin', desks),
  }),

  veto_shot: tool({
    title: 'Veto a shot',
    description: 'This shot must not be in any film. Replaces a pin.',
    input: z.strictObject({ folder, video, shot, isOn }),
    output: editAnswer,
    changes: true,
    run: (given, { desks }) => wish(given, 'veto', desks),
  }),

  trim: tool({
    title: 'Play exactly these seconds',
    description:
      'Play exactly this stretch of a video, to the nearest frame. It replaces the clip of the summary that it overlaps most, or the clip named.',
    input: z.strictObject({
      ...{ folder, video },
      from: z.number().nonnegative().max(1e9).describe('Seconds from the first picture'),
      to: z.number().nonnegative().max(1e9),
      clip: z.int().positive().max(1e9).optional().describe('Number of the clip to replace, as summarise lists them'),
    }),
    output: editAnswer,
    changes: true,
    run: async ({ folder: named, video: name, from, to, clip }, { desks }) => {
      const desk = await desks.open(named);
      const found = videoIn(selectionOf(await desk.read()), name);
      if (!(from < to && from < found.seconds)) {
        throw new UsageError(
          'bad-span',
          `Expected a stretch inside the ${rounded(found.seconds)} s of "${found.name}", found ${from} to ${to}.`,
        );
      }
      const overlap = (one: { from: number; to: number }): number => Math.min(one.to, to) - Math.max(one.from, from);
      const meant = found.clips.toSorted((a, b) => overlap(b) - overlap(a))[0];
      const was = clip === undefined ? (meant && overlap(meant) > 0 ? meant : null) : found.clips[clip - 1];
      if (was === undefined) {
        throw new UsageError(
          'not-found',
          `Expected a clip from 1 to ${found.clips.length} of the summary of "${found.name}", found ${clip}.`,
        );
      }
      const span = { from, to: Math.min(to, found.seconds) };
      const played = was && { from: was.from, to: was.to, shots: was.shots.map((index) => index + 1) };
      return edit(desk, { do: 'trim', video: found.name, span, was: played }, found.name);
    },
  }),

  leave_out: tool({
    title: 'Leave videos out',
    description: 'Leave videos out of the topic, as if they were not in the folder, or take them in again.',
    input: z.strictObject({ folder, videos: z.array(video).min(1).max(200), isOn }),
    output: editAnswer,
    changes: true,
    run: async ({ folder: named, videos, isOn: isOut }, { desks }) => {
      const desk = await desks.open(named);
      const topic = await desk.read();
      selectionOf(topic);
      const strange = videos.find((name) => !topic.clips.some((clip) => clip.name === name));
      if (strange !== undefined)
        throw new UsageError('not-found', `Expected videos of this topic, found "${strange.slice(0, 200)}".`);
      return edit(desk, { do: 'leave-out', videos, isOut }, null);
    },
  }),

  undo: tool({
    title: 'Undo or redo',
    description: 'Take the last change of this topic back, or make it again.',
    input: z.strictObject({ folder, redo: z.boolean().default(false) }),
    output: editAnswer,
    changes: true,
    run: async ({ folder: named, redo }, { desks }) =>
      edit(await desks.open(named), { do: redo ? 'redo' : 'undo' }, null),
  }),

  contact_sheet: tool({
    title: 'Contact sheet',
    description:
      'A small picture of shots with their names: of the film of the topic, of the summary of a video, or of all shots of a video.',
    input: z.strictObject({
      folder,
      of: z.enum(['film', 'summary', 'shots']).default('film'),
      video: video.optional().describe('The video, for summary and shots'),
      first,
      count: z.int().positive().max(40).default(20).describe('How many shots to show'),
    }),
    output: z.object({
      total: z.int().describe('Number of shots there are; ask for the next with "first"'),
      pictures: z.array(z.object({ video: z.string(), shot: z.int(), note: z.string() })).describe('Row by row'),
    }),
    changes: false,
    run: async ({ folder: named, of, video: name, first: from, count: most }, { desks }) => {
      const desk = await desks.open(named);
      const topic = await desk.read();
      const selection = selectionOf(topic);
      const note = (at: number): string => `at ${formatClock(at).replace(/\.\d+$/, '')}`;
      let shots: SheetShot[];
      if (of === 'film') {
        shots = (selection.film?.shots ?? []).map(({ video: id, shot: index, from: at }, place) =>
          sheetShot(videoIn(selection, id), index, `${place + 1} · ${note(at)}`),
        );
      } else {
        if (name === undefined)
          throw new UsageError('no-video', `Expected a video for the sheet of "${of}", found none.`);
        const found = videoIn(selection, name);
        const wanted = found.shots.filter(({ chosen }) => of === 'shots' || chosen);
        shots = wanted.map(({ index, from: at, rank }) => sheetShot(found, index, `${note(at)} · rank ${rank + 1}`));
      }
      const shown = shots.slice(from - 1, from - 1 + most);
      const facts = `${of}: ${shown.length} of ${shots.length} shots, from ${Math.min(from, shots.length)}`;
      const jpeg = await drawContactSheet(topic.name, facts, shown, desk);
      const pictures = shown.map(({ video: file, index, note: said }) => ({
        video: file,
        shot: index + 1,
        note: said,
      }));
      return { data: { total: shots.length, pictures }, jpeg };
    },
  }),

  export: tool({
    title: 'Export a cut list',
    description:
      'Write the film, all summaries or one as a cut list for an editing system, into the folder of the topic.',
    input: z.strictObject({
      folder,
      of: z.enum(['film', 'all', 'video']).default('film').describe('all: the summaries, one after the other'),
      video: video.optional(),
      format: z.enum(Object.keys(timelineFormats) as [TimelineFormatName, ...TimelineFormatName[]]),
      rate: z
        .enum(RATE_NAMES as [string])
        .optional()
        .describe('Frame rate of the timeline'),
      handles: z.int().min(0).max(10_000).default(0).describe('Frames kept available on both sides of each clip'),
    }),
    output: z.object({
      path: z.string().describe('The file that was written'),
      bytes: z.int(),
      notes: z.array(z.string()).describe('What the format cannot say'),
    }),
    changes: true,
    run: async ({ folder: named, of, video: name, format, rate = null, handles }, { desks }) => {
      const desk = await desks.open(named);
      const selection = selectionOf(await desk.read());
      if (of === 'video' && name === undefined)
        throw new UsageError('no-video', 'Expected a video to export, found none.');
      if (of === 'film' && selection.film === null)
        throw new UsageError('no-film', 'Expected a film of the topic, found none. Ask for one with topic_film.');
      const what = of === 'video' ? { video: videoIn(selection, name!).id } : of;
      const list = await desk.handlers.cutList({ parameters: {}, body: { of: what, format, rate, handles } });
      const place = join(desk.topic, 'exports');
      await refuseLinks(place, desk.topic);
      await mkdir(place, { recursive: true });
      const path = join(place, folderName(list.name));
      await writeParts(path, [list.text]);
      return { data: { path, bytes: Buffer.byteLength(list.text), notes: list.notes } };
    },
  }),

  render: tool({
    title: 'Render films and report',
    description:
      'Make the films of all summaries, the film of the topic, pictures and the report, with the settings and wishes of now.',
    input: z.strictObject({
      folder,
      films: z
        .boolean()
        .default(true)
        .describe('Films of the single videos, too; the film of the topic is always made'),
      pictures: z.string().max(60).default('storyboard').describe('Some of storyboard, svg, sheet, stills, or none'),
      waitSeconds,
    }),
    output: z.object({
      status: statusAnswer,
      report: z.string().nullable().describe('Path of the report; null while the work is under way'),
      files: z.array(z.object({ path: z.string(), bytes: z.int() })),
    }),
    changes: true,
    run: async ({ folder: named, films, pictures, waitSeconds: seconds }, { desks, signal, onWork }) => {
      const desk = await desks.open(named);
      const before = await desk.read();
      selectionOf(before);
      await desk.handlers.render({ parameters: {}, body: { ...before.output, films, pictures } });
      const work = await desk.settle({ seconds, signal, onWork, owns: true });
      const topic = await desk.read();
      const isDone = !isBusy(work) && work.state !== 'failed';
      const { files } = isDone ? await desk.handlers.listResults({ parameters: {}, body: undefined }) : { files: [] };
      return {
        data: {
          status: statusOf(work, topic),
          report: isDone && topic.report ? join(desk.results, basename(decodeURIComponent(topic.report))) : null,
          files: files.map(({ name, bytes }) => ({ path: join(desk.results, name), bytes })),
        },
      };
    },
  }),
};

/** Changes some settings of a topic; those not given stay. */
async function changeSettings(desk: Desk, settings: Extract<Command, { do: 'set' }>['settings']): Promise<void> {
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  selectionOf(await desk.read());
  if (Object.keys(given).length > 0) await edit(desk, { do: 'set', settings: given }, null);
}

/** Changes the settings of a topic, and says what that did. */
async function edit(desk: Desk, command: Command, video: string | null): Promise<Answer<z.input<typeof editAnswer>>> {
  selectionOf(await desk.read());
  const { revision } = (await desk.read()).document;
  const { document, selection } = await desk.handlers.edit({ parameters: {}, body: { revision, command } });
  const changed = video === null ? null : (selection?.videos.find(({ name }) => name === video) ?? null);
  return {
    data: {
      ...{ revision: document.revision, undo: document.undo, video: changed && videoAnswerOf(changed) },
      filmSeconds: selection?.film ? rounded(selection.film.seconds) : null,
    },
  };
}

type AboutShot = { readonly folder: string; readonly video: string; readonly shot: number };

async function wish(
  { folder: named, video: name, shot: number, isOn: isWanted }: AboutShot & { readonly isOn: boolean },
  kind: 'pin' | 'veto',
  desks: Desks,
): Promise<Answer<z.input<typeof editAnswer>>> {
  const desk = await desks.open(named);
  const found = videoIn(selectionOf(await desk.read()), name);
  shotIn(found, number);
  return edit(desk, { do: 'wish', shot: `${found.name}#${number}`, wish: isWanted ? kind : null }, found.name);
}

/** What is known about a shot. */
async function whyOf({ folder: named, video: name, shot: number }: AboutShot, desks: Desks) {
  const desk = await desks.open(named);
  const selection = selectionOf(await desk.read());
  const found = videoIn(selection, name);
  const { index: at } = shotIn(found, number);
  const why = await desk.handlers.why({ parameters: { video: found.id, shot: String(at) }, body: undefined });
  return { found, selection, why, at };
}
