import { join } from 'node:path';
import { z } from 'zod';

import { UsageError } from '../base/index.js';
import { readText, writeParts } from '../store/index.js';
import { steeringSchema, type Command, type Steering } from './document-contract.js';

/** The settings of a topic, how often they were changed, and the settings before and after each change. */
export type TopicDocument = {
  readonly revision: number;
  readonly steering: Steering;
  readonly past: readonly Step[];
  readonly future: readonly Step[];
};

/** One change: what it is called, and the settings on its other side. */
type Step = { readonly label: string; readonly steering: Steering };

/** Older changes can no longer be undone. */
const MAX_STEPS = 200;

/** The document after a command. Throws if there is nothing to undo or redo. */
export function applyCommand(document: TopicDocument, command: Command): TopicDocument {
  const { revision, steering, past, future } = document;
  if (command.do === 'undo' || command.do === 'redo') {
    const [from, to] = command.do === 'undo' ? [past, future] : [future, past];
    const step = from.at(-1);
    if (!step) throw new UsageError('nothing-to-undo', `There is nothing to ${command.do}.`);
    const [left, grown] = [from.slice(0, -1), [...to, { label: step.label, steering }]];
    const sides = command.do === 'undo' ? { past: left, future: grown } : { past: grown, future: left };
    return { revision: revision + 1, steering: step.steering, ...sides };
  }
  const changed = change(steering, command);
  if (JSON.stringify(changed) === JSON.stringify(steering)) return document;
  return {
    revision: revision + 1,
    steering: changed,
    past: [...past, { label: labelOf(command), steering }].slice(-MAX_STEPS),
    future: [],
  };
}

type Change = Exclude<Command, { do: 'undo' | 'redo' }>;

function change(steering: Steering, command: Change): Steering {
  const without = (list: readonly string[], gone: readonly string[]): string[] =>
    list.filter((each) => !gone.includes(each));
  switch (command.do) {
    case 'set':
      return { ...steering, ...command.settings };
    case 'wish': {
      const { shot, wish } = command;
      const [pin, veto] = [without(steering.pin, [shot]), without(steering.veto, [shot])];
      if (wish === 'pin') pin.push(shot);
      if (wish === 'veto') veto.push(shot);
      return { ...steering, pin, veto };
    }
    case 'order': {
      const { of, shots } = command;
      if (of === null) return { ...steering, topicSequence: shots };
      const others = steering.sequence.filter((shot) => !shot.startsWith(`${of}#`));
      return { ...steering, sequence: [...others, ...shots] };
    }
    case 'trim': {
      const { video, span, was } = command;
      const gone = (was?.shots ?? []).map((number) => `${video}#${number}`);
      const isReplaced = (wish: string): boolean => gone.includes(wish) || (was !== null && meets(wish, video, was));
      const range = `${video}@${span.from.toFixed(3)}-${span.to.toFixed(3)}`;
      return {
        ...steering,
        pin: [...steering.pin.filter((wish) => !isReplaced(wish) && !meets(wish, video, span)), range],
        veto: steering.veto.filter((wish) => !isReplaced(wish)),
      };
    }
    case 'leave-out': {
      const { videos, isOut } = command;
      const rest = without(steering.leftOut, videos);
      return { ...steering, leftOut: (isOut ? [...rest, ...videos] : rest).toSorted() };
    }
  }
}

/** What a command is called where it can be undone, or was refused. */
export function labelOf(command: Command): string {
  switch (command.do) {
    case 'undo':
      return 'Undo';
    case 'redo':
      return 'Redo';
    case 'set':
      return Object.entries(command.settings)
        .map(([name, value]) => `${NAMES[name as keyof typeof NAMES]} ${String(value ?? 'none')}`)
        .join(', ');
    case 'wish': {
      const [, video, number] = /^(.*)#(\d+)$/s.exec(command.shot) ?? [null, command.shot, '?'];
      const verb = { pin: 'Pin', veto: 'Veto', none: 'Clear' }[command.wish ?? 'none'];
      return `${verb} shot ${number} of ${video}`;
    }
    case 'order':
      return `${command.shots.length === 0 ? 'Reset the order' : 'Reorder'} ${command.of ?? 'the film of the topic'}`;
    case 'trim':
      return `Trim ${command.video} to ${command.span.from.toFixed(2)}–${command.span.to.toFixed(2)} s`;
    case 'leave-out': {
      const [first, ...others] = command.videos;
      const what = others.length === 0 ? first : `${command.videos.length} videos`;
      return `${command.isOut ? 'Leave out' : 'Put back'} ${what}`;
    }
  }
}

/** Whether a wish is about a stretch of time of this video that overlaps another. Times are in seconds, as trims write them. */
function meets(wish: string, video: string, { from, to }: { from: number; to: number }): boolean {
  const range = wish.startsWith(`${video}@`) ? /^([\d.]+)-([\d.]+)$/.exec(wish.slice(video.length + 1)) : null;
  return range !== null && Number(range[1]) < to && Number(range[2]) > from;
}

const NAMES = { length: 'Length', shared: 'Own or shared', method: 'Method', concept: 'Film length' };

const stepSchema = z.object({ label: z.string(), steering: steeringSchema });
const editsSchema = z.object({
  schema: z.literal('edits.1'),
  revision: z.int().nonnegative(),
  steering: steeringSchema,
  past: z.array(stepSchema),
  future: z.array(stepSchema),
});

/** Where the history of a topic's settings is stored, inside its folder. The settings themselves are in `topic.json`. */
const editsPath = (folder: string): string => join(folder, 'edits.json');

/** The document of a topic with these settings; without its history if something else changed the settings since. */
export async function readDocument(folder: string, steering: Steering): Promise<TopicDocument> {
  const text = await readText(editsPath(folder)).catch(() => null);
  const read = editsSchema.safeParse(parseJson(text ?? ''));
  if (!read.success) return { revision: 0, steering, past: [], future: [] };
  const { revision, past, future, steering: last } = read.data;
  if (JSON.stringify(last) === JSON.stringify(steering)) return { revision, steering, past, future };
  return { revision: revision + 1, steering, past: [], future: [] };
}

export async function writeDocument(folder: string, document: TopicDocument): Promise<void> {
  await writeParts(editsPath(folder), [`${JSON.stringify(editsSchema.parse({ schema: 'edits.1', ...document }))}\n`]);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
