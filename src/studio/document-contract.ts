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

/** A stretch that plays, and the numbers of its shots: wishes about them are replaced. */
const playedSchema = spanSchema.extend({ shots: z.array(z.int().positive()).max(2000) });
/** What the film of the topic plays of a shot, numbered from 1. */
const filmShotSchema = spanSchema.extend({ video: z.string().max(300), shot: z.int().positive() });
const versionName = z.string().trim().min(1).max(80);

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
   * Plays exactly these seconds of a video, to the nearest frame, instead of the stretch `was`; `null` if nothing played there.
   */
  z.strictObject({
    ...{ do: z.literal('trim'), video: z.string().max(300), span: spanSchema },
    was: playedSchema.nullable(),
  }),
  /** Divides what plays of a video into two stretches, each of which can then be trimmed or removed. */
  z.strictObject({
    ...{ do: z.literal('split'), video: z.string().max(300), at: z.number().nonnegative() },
    was: playedSchema,
  }),
  /** Plays none of these seconds of a video. */
  z.strictObject({ ...{ do: z.literal('remove'), video: z.string().max(300) }, was: playedSchema }),
  /**
   * The film of the topic plays exactly these stretches, in this order. Each is pinned, and the film is as long as they are.
   * `label` says what was done, for undo. An empty list gives the film back to the method.
   */
  z.strictObject({ do: z.literal('cut'), label: z.string().min(1).max(200), shots: z.array(filmShotSchema).max(2000) }),
  z.strictObject({ do: z.literal('leave-out'), videos: names.min(1), isOut: z.boolean() }),
  /** Keeps the settings of now under a name; a version of that name is replaced. */
  z.strictObject({ do: z.literal('save-version'), name: versionName }),
  z.strictObject({ do: z.literal('delete-version'), name: versionName }),
  /** Goes back to the settings of a version; one step to undo. */
  z.strictObject({ do: z.literal('open-version'), name: versionName }),
  z.strictObject({ do: z.literal('undo') }),
  z.strictObject({ do: z.literal('redo') }),
]);
/** A change of the settings. */
export type Command = z.output<typeof commandSchema>;

/** Settings kept under a name, and when, in ISO 8601. */
export const versionSchema = z.object({ name: versionName, saved: z.string(), steering: steeringSchema });
export type Version = z.output<typeof versionSchema>;

/** Where the document is: its revision, its versions, and what undo and redo would do; `null` if there is nothing. */
export const positionSchema = z.object({
  revision: z.int().nonnegative(),
  versions: z.array(versionSchema),
  undo: z.string().nullable(),
  redo: z.string().nullable(),
});
export type Position = z.output<typeof positionSchema>;
