import { join } from 'node:path';
import { z } from 'zod';

import { UsageError } from '../base/index.js';
import { readText, writeParts } from '../storage/index.js';
import { steeringSchema, versionSchema, type Command, type Steering, type Version } from './document-contract.js';

/** The settings of a topic, how often they were changed, and the settings before and after each change. */
export type TopicDocument = {
  readonly revision: number;
  readonly steering: Steering;
  readonly past: readonly Step[];
  readonly future: readonly Step[];
  /** Settings kept under names, oldest first. */
  readonly versions: readonly Version[];
};

/** One change: what it is called, and the settings on its other side. */
type Step = { readonly label: string; readonly steering: Steering };

/** Older changes can no longer be undone. */
const MAX_STEPS = 200;

/** Versions of one topic. */
const MAX_VERSIONS = 100;

/** The document after a command. Throws if there is nothing to undo or redo, or no such version. */
export function applyCommand(document: TopicDocument, command: Command, now = new Date()): TopicDocument {
  const { revision, steering, past, future, versions } = document;
  if (command.do === 'save-version' || command.do === 'delete-version') {
    const others = versions.filter(({ name }) => name !== command.name);
    const saved = { name: command.name, saved: now.toISOString(), steering };
    const kept = command.do === 'save-version' ? [...others, saved].slice(-MAX_VERSIONS) : others;
    return { ...document, revision: revision + 1, versions: kept };
  }
  if (command.do === 'undo' || command.do === 'redo') {
    const [from, to] = command.do === 'undo' ? [past, future] : [future, past];
    const step = from.at(-1);
    if (!step) throw new UsageError('nothing-to-undo', `There is nothing to ${command.do}.`);
    const [left, grown] = [from.slice(0, -1), [...to, { label: step.label, steering }]];
    const sides = command.do === 'undo' ? { past: left, future: grown } : { past: grown, future: left };
    return { revision: revision + 1, steering: step.steering, versions, ...sides };
  }
  const changed = command.do === 'open-version' ? settingsOf(versions, command.name) : change(steering, command);
  if (JSON.stringify(changed) === JSON.stringify(steering)) return document;
  return {
    revision: revision + 1,
    steering: changed,
    past: [...past, { label: labelOf(command), steering }].slice(-MAX_STEPS),
    future: [],
    versions,
  };
}

function settingsOf(versions: readonly Version[], wanted: string): Steering {
  const found = versions.find(({ name }) => name === wanted);
  if (found) return found.steering;
  throw new UsageError('not-found', `Expected a version named "${wanted}", found none. It may have been deleted.`);
}

type Change = Exclude<Command, { do: 'undo' | 'redo' | 'save-version' | 'delete-version' | 'open-version' }>;

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
      const rest = withoutPlayed(steering, video, was);
      return { ...rest, pin: [...rest.pin.filter((wish) => !meets(wish, video, span)), rangeOf(video, span)] };
    }
    case 'split': {
      const { video, at, was } = command;
      const parts = [{ from: was.from, to: at }, { from: at, to: was.to }]; // prettier-ignore
      const rest = withoutPlayed(steering, video, was);
      return { ...rest, pin: [...rest.pin, ...parts.map((part) => rangeOf(video, part))] };
    }
    case 'remove': {
      const { video, was } = command;
      const rest = withoutPlayed(steering, video, was);
      return { ...rest, veto: [...rest.veto, rangeOf(video, was)] };
    }
    case 'cut': {
      const { shots } = command;
      const isAside = (wish: string): boolean => steering.leftOut.some((name) => isAbout(wish, name));
      const seconds = shots.reduce((sum, { from, to }) => sum + to - from, 0);
      const named = shots.map(({ video, shot }) => `${video}#${shot}`);
      const isWanted = (veto: string): boolean =>
        named.includes(veto) || shots.some((shot) => meets(veto, shot.video, shot));
      return {
        ...steering,
        pin: [...steering.pin.filter(isAside), ...shots.map((shot) => rangeOf(shot.video, shot))],
        veto: steering.veto.filter((veto) => !isWanted(veto)),
        concept: shots.length === 0 ? steering.concept : `${Number(seconds.toFixed(3))}s`,
        topicSequence: named,
      };
    }
    case 'leave-out': {
      const { videos, isOut } = command;
      const rest = without(steering.leftOut, videos);
      return { ...steering, leftOut: (isOut ? [...rest, ...videos] : rest).toSorted() };
    }
  }
}

const rangeOf = (video: string, { from, to }: { from: number; to: number }): string =>
  `${video}@${from.toFixed(3)}-${to.toFixed(3)}`;

const isAbout = (wish: string, video: string): boolean => wish.startsWith(`${video}@`) || wish.startsWith(`${video}#`);

/** Settings without the wishes about what plays of a video. */
function withoutPlayed(
  steering: Steering,
  video: string,
  was: { from: number; to: number; shots: readonly number[] } | null,
): Steering {
  const gone = (was?.shots ?? []).map((number) => `${video}#${number}`);
  const isKept = (wish: string): boolean => !gone.includes(wish) && !(was !== null && meets(wish, video, was));
  return { ...steering, pin: steering.pin.filter(isKept), veto: steering.veto.filter(isKept) };
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
    case 'split':
      return `Split ${command.video} at ${command.at.toFixed(2)} s`;
    case 'remove':
      return `Remove ${command.was.from.toFixed(2)}–${command.was.to.toFixed(2)} s of ${command.video}`;
    case 'cut':
      return command.label;
    case 'save-version':
      return `Save version ${command.name}`;
    case 'delete-version':
      return `Delete version ${command.name}`;
    case 'open-version':
      return `Go back to ${command.name}`;
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
  versions: z.array(versionSchema).default([]),
});

/** Where the history of a topic's settings is stored, inside its folder. The settings themselves are in `topic.json`. */
const editsPath = (folder: string): string => join(folder, 'edits.json');

/** The document of a topic with these settings; without its history if something else changed the settings since. */
export async function readDocument(folder: string, steering: Steering): Promise<TopicDocument> {
  const text = await readText(editsPath(folder)).catch(() => null);
  const read = editsSchema.safeParse(parseJson(text ?? ''));
  if (!read.success) return { revision: 0, steering, past: [], future: [], versions: [] };
  const { revision, past, future, steering: last, versions } = read.data;
  if (JSON.stringify(last) === JSON.stringify(steering)) return { revision, steering, past, future, versions };
  return { revision: revision + 1, steering, past: [], future: [], versions };
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
