import { basename, join } from 'node:path';
import { z } from 'zod';

import { UsageError } from '../base/index.js';
import { openFolder, refuseLinks, writeParts } from '../storage/index.js';
import { folderName, foldersIn } from '../studio/index.js';
import { RATE_NAMES, timelineFormats, type TimelineFormatName } from '../timeline/index.js';
import { selectionOf, statusAnswer, statusOf, topicAnswer, topicOf, videoIn } from './answers.js';
import { isBusy } from './desks.js';
import { args, tool } from './tool.js';

const { folder, video, waitSeconds } = args;

/** How long `cancel` waits for the work to end. */
const CANCEL_SECONDS = 30;

/** Folders, long work, and what is made. */
export const workTools = {
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
      'Open a folder of videos that share a topic and analyse them: shots, evidence, what is bad. Each video is analysed once; later calls answer at once. Videos that are new in the folder are added when it is opened. Everything else needs this first.',
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
      const desk = await desks.find(named);
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
      const desk = await desks.find(named);
      await desk.handlers.cancel({ parameters: {}, body: undefined });
      const work = await desk.settle({ seconds: CANCEL_SECONDS, signal, onWork, owns: false });
      return { data: statusOf(work, await desk.read()) };
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
      const desk = await desks.find(named);
      const selection = selectionOf(await desk.read());
      if (of === 'video' && name === undefined)
        throw new UsageError('no-video', 'Expected a video to export, found none.');
      if (of === 'film' && selection.film === null)
        throw new UsageError('no-film', 'Expected a film of the topic, found none. Ask for one with topic_film.');
      const what = of === 'video' ? { video: videoIn(selection, name!).id } : of;
      const list = await desk.handlers.cutList({ parameters: {}, body: { of: what, format, rate, handles } });
      const place = join(desk.topic, 'exports');
      await refuseLinks(place, desk.topic);
      await openFolder(place);
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
      pictures: z
        .string()
        .max(60)
        .default('storyboard')
        .describe('Some of storyboard, svg, sheet, pdf, stills, or none'),
      waitSeconds,
    }),
    output: z.object({
      status: statusAnswer,
      report: z.string().nullable().describe('Path of the report; null while the work is under way'),
      files: z.array(z.object({ path: z.string(), bytes: z.int() })),
    }),
    changes: true,
    run: async ({ folder: named, films, pictures, waitSeconds: seconds }, { desks, signal, onWork }) => {
      const desk = await desks.find(named);
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
} as const;
