import { z } from 'zod';

import { toSeconds } from '../base/index.js';
import { summaryShot, type SummaryDocument } from './document.js';

/** One shot of a topic on a line of its own, for other programs: schema `score.1`. */
export const scoreLine = z.object({
  schema: z.literal('score.1').describe('Name and version of this format'),
  row: z.int().nonnegative().describe('Number of the line, from 0; the row of the shot in every table'),
  video: z.string().describe('Id of the video'),
  path: z.string().describe('Path of the video, relative to the folder of the topic if possible'),
  sha256: z.string().describe('Of the video'),
  ...summaryShot.shape,
  seconds: z
    .object({ start: z.number(), end: z.number() })
    .describe('The range as seconds from the first picture of the video; "range" is exact'),
  vector: z
    .object({ file: z.string().describe('An .npy file'), row: z.int().nonnegative() })
    .nullable()
    .describe('Where the vector is that the shot was compared by; null if no tables were asked for'),
});
/** One shot of a topic, as other programs read it. */
export type ScoreLine = z.infer<typeof scoreLine>;

/** Every shot of a topic, video after video. */
export function* scoreLines({ videos }: SummaryDocument, vectors: string | null): Generator<ScoreLine> {
  let row = 0;
  for (const { id, path, sha256, shots, range: whole } of videos) {
    const seconds = (tick: number): number => toSeconds(tick - whole.start, whole.base);
    for (const shot of shots) {
      const { start, end } = shot.range;
      yield {
        ...{ schema: 'score.1', row, video: id, path, sha256, ...shot },
        seconds: { start: seconds(start), end: seconds(end) },
        vector: vectors === null ? null : { file: vectors, row },
      };
      row++;
    }
  }
}
