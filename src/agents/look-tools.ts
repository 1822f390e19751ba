import { z } from 'zod';

import { formatClock, UsageError } from '../base/index.js';
import {
  alternativesAnswer,
  rounded,
  selectionOf,
  shotAnswerOf,
  shotIn,
  shotsAnswer,
  videoIn,
  whyAnswer,
} from './answers.js';
import { drawContactSheet, sheetShot, type SheetShot } from './contact-sheet.js';
import type { Desks } from './desks.js';
import { args, tool } from './tool.js';

const { folder, video, shot, first, count } = args;

/** What there is, and why. */
export const lookTools = {
  list_shots: tool({
    title: 'List the shots of a video',
    description: 'All shots of a video in time order: when, how important, chosen, pinned, vetoed, what is bad.',
    input: z.strictObject({ folder, video, first, count }),
    output: shotsAnswer,
    changes: false,
    run: async ({ folder: named, video: name, first: from, count: most }, { desks }) => {
      const { shots, ...found } = videoIn(selectionOf(await (await desks.find(named)).read()), name);
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
      const desk = await desks.find(named);
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
} as const;

type AboutShot = { readonly folder: string; readonly video: string; readonly shot: number };

/** What is known about a shot. */
async function whyOf({ folder: named, video: name, shot: number }: AboutShot, desks: Desks) {
  const desk = await desks.find(named);
  const selection = selectionOf(await desk.read());
  const found = videoIn(selection, name);
  const { index: at } = shotIn(found, number);
  const why = await desk.handlers.why({ parameters: { video: found.id, shot: String(at) }, body: undefined });
  return { found, selection, why, at };
}
