import { z } from 'zod';

import { METHOD_NAMES } from '../select/index.js';

const names = z.array(z.string().max(400)).max(2000);

/** The settings that the page can change: the same names and meanings as the options of a run. */
export const steeringSchema = z.strictObject({
  length: z.string().min(1).max(40),
  shared: z.number().min(0).max(1),
  method: z.enum(METHOD_NAMES),
  /** Length of the film of the whole topic; `null` for no film. */
  concept: z.string().min(1).max(40).nullable(),
  pin: names,
  veto: names,
  /** Orders made by hand, for the films of the videos and for the film of the topic. */
  sequence: names,
  topicSequence: names,
  /** Names of videos that stay in the topic but are not summarised. */
  leftOut: names,
});
export type Steering = z.output<typeof steeringSchema>;

const spanSchema = z.object({ from: z.number().nonnegative(), to: z.number().nonnegative() });

/** A change of the settings, small enough to be applied again after somebody else's change. */
export const commandSchema = z.discriminatedUnion('do', [
  z.strictObject({
    do: z.literal('set'),
    settings: steeringSchema.pick({ length: true, shared: true, method: true, concept: true }).partial(),
  }),
  /** Pins or vetoes a shot (`FILE#SHOT`), or clears both. */
  z.strictObject({ do: z.literal('wish'), shot: z.string().max(400), wish: z.enum(['pin', 'veto']).nullable() }),
  /** The order of a film: of one video, by name, or of the topic (`null`). An empty list is the order by time. */
  z.strictObject({ do: z.literal('order'), of: z.string().max(400).nullable(), shots: names }),
  /**
   * Plays exactly these seconds of a video, to the nearest frame. `was` is the stretch that is trimmed and the numbers of its
   * shots: wishes about them are replaced. `null` if nothing played there.
   */
  z.strictObject({
    ...{ do: z.literal('trim'), video: z.string().max(300), span: spanSchema },
    was: spanSchema.extend({ shots: z.array(z.int().positive()).max(2000) }).nullable(),
  }),
  z.strictObject({ do: z.literal('leave-out'), videos: names.min(1), isOut: z.boolean() }),
  z.strictObject({ do: z.literal('undo') }),
  z.strictObject({ do: z.literal('redo') }),
]);
export type Command = z.output<typeof commandSchema>;

/** Where the document is: its revision, and what undo and redo would do; `null` if there is nothing. */
export const positionSchema = z.object({
  revision: z.int().nonnegative(),
  undo: z.string().nullable(),
  redo: z.string().nullable(),
});
export type Position = z.output<typeof positionSchema>;
