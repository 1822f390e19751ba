import { z } from 'zod';

import { DEFECTS, type DemoTopic } from './types.js';

const count = z.int().nonnegative();
const kind = z
  .enum(['shared', 'private', 'filler'])
  .describe('Filmed by several people, by one, or by mistake and worth nobody’s time');

/** What `truth.json` holds, schema `demo-truth.1`: which scene of which video is where, and who else filmed it. */
export const demoTruth: z.ZodType<Omit<DemoTopic, 'folder'>> = z.strictObject({
  schema: z.literal('demo-truth.1'),
  drawing: z.int().positive().describe('Version of the drawing itself'),
  title: z.string(),
  subjects: z
    .array(z.strictObject({ name: z.string(), kind, videos: z.array(z.string()).describe('Files that show it') }))
    .describe('The scenes of the topic, most filmed first'),
  videos: z.array(
    z.strictObject({
      file: z.string(),
      widthPx: z.int().positive(),
      heightPx: z.int().positive(),
      frameRate: z
        .strictObject({ num: z.int().positive(), den: z.int().positive() })
        .describe('Frames per second, as a fraction'),
      frameCount: z.int().positive(),
      scenes: z.array(
        z.strictObject({
          name: z.string(),
          kind,
          startFrame: count.describe('First frame of the scene'),
          endFrame: z.int().positive().describe('First frame after it'),
          dissolveFrames: count.describe('0 for a cut at startFrame; otherwise the length of a dissolve centred on it'),
          alsoIn: z.array(z.string()).describe('Files of the other videos that show the same place'),
          defect: z.enum(DEFECTS).optional().describe('What is wrong with its pictures: it must not be in a summary'),
        }),
      ),
    }),
  ),
});
