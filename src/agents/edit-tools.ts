import { z } from 'zod';

import { UsageError } from '../base/index.js';
import { METHOD_NAMES } from '../select/index.js';
import type { Command } from '../studio/index.js';
import {
  editAnswer,
  filmAnswer,
  filmOf,
  rounded,
  selectionOf,
  shotIn,
  summariesAnswer,
  videoAnswerOf,
  videoIn,
} from './answers.js';
import type { Desk, Desks } from './desks.js';
import { args, tool, type Answer } from './tool.js';

const { folder, video, shot, length, first, count, isOn } = args;

/** What the films play, and wishes. */
export const editTools = {
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
      const desk = await desks.find(named);
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
      const desk = await desks.find(named);
      await changeSettings(desk, { concept });
      return { data: filmOf(selectionOf(await desk.read()), from, most) };
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
      const desk = await desks.find(named);
      const found = videoIn(selectionOf(await desk.read()), name);
      if (!(rounded(from) < rounded(to) && from < found.seconds)) {
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
      const desk = await desks.find(named);
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
      edit(await desks.find(named), { do: redo ? 'redo' : 'undo' }, null),
  }),
} as const;

/** Changes some settings of a topic; those not given stay. */
async function changeSettings(desk: Desk, settings: Extract<Command, { do: 'set' }>['settings']): Promise<void> {
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  selectionOf(await desk.read());
  if (Object.keys(given).length > 0) await edit(desk, { do: 'set', settings: given }, null);
}

/** Changes the settings of a topic, and says what that did. */
async function edit(desk: Desk, command: Command, video: string | null): Promise<Answer<z.input<typeof editAnswer>>> {
  selectionOf(await desk.read());
  const { document, selection } = await desk.edit(command);
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
  const desk = await desks.find(named);
  const found = videoIn(selectionOf(await desk.read()), name);
  shotIn(found, number);
  return edit(desk, { do: 'wish', shot: `${found.name}#${number}`, wish: isWanted ? kind : null }, found.name);
}
