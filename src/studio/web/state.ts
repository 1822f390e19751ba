import { batch, computed, signal } from '@preact/signals';

import type { Selection, Shot, Steering, Topic, Video } from '../contract.js';
import { ask, listen, Refusal } from './api.js';

export type Tab = 'topic' | 'map' | 'compare' | 'rate' | 'export';
/** A shot. `stays` where it was picked in the film: its video does not move into view, for the film would leave it. */
export type Place = { readonly video: string; readonly shot: number; readonly stays?: boolean };

export const topic = signal<Topic | null>(null);
export const selection = signal<Selection | null>(null);
export const steering = signal<Steering | null>(null);
export const tab = signal<Tab>('topic');
/** The shot being looked at. */
export const place = signal<Place | null>(null);
export const problem = signal<string | null>(null);
/** The server does not answer any more. */
export const isGone = signal(false);
/** Summary being played, by video, or the film of the topic; no video's id has a star. */
export const TOPIC = '*';
export const playing = signal<string | null>(null);
/** Place of the shot that plays in the film of the topic. */
export const topicShot = signal(0);

const past = signal<readonly Steering[]>([]);
const future = signal<readonly Steering[]>([]);
export const canUndo = computed(() => past.value.length > 0);
export const canRedo = computed(() => future.value.length > 0);

export const videos = computed<readonly Video[]>(() => selection.value?.videos ?? []);

/** `paris-topic` is the folder of the topic "paris". */
export function titleOf(name: string): string {
  return name.replace(/-topic$/, '');
}

export function shotAt(at: Place | null): { video: Video; shot: Shot } | null {
  const video = videos.value.find(({ id }) => id === at?.video);
  const shot = video?.shots[at?.shot ?? -1];
  return video && shot ? { video, shot } : null;
}

/** Shows a shot among those of its video, which moves into view. */
export function goThere({ video, shot }: { readonly video: Video; readonly shot: Shot }): void {
  batch(() => {
    tab.value = 'topic';
    place.value = { video: video.id, shot: shot.index };
  });
}

/** Reads the topic, and again whenever work ends. */
export async function start(): Promise<void> {
  await load();
  listen(
    (work) => {
      const before = topic.value?.work.state;
      if (topic.value) topic.value = { ...topic.value, work };
      if (work.state !== before && (work.state === 'idle' || work.state === 'failed')) void load();
    },
    (isAway) => {
      if (isGone.value && !isAway) void load();
      isGone.value = isAway;
    },
  );
}

export async function load(): Promise<void> {
  try {
    const read = await ask('readTopic');
    batch(() => {
      topic.value = read;
      selection.value = read.selection;
      steering.value = read.selection?.steering ?? null;
      problem.value = null;
    });
  } catch (error) {
    tell(error);
  }
}

let asked = 0;
let underWay: AbortController | null = null;

/** Shows what other settings would give, at once; the latest wins. */
export async function preview(change: Partial<Steering>): Promise<void> {
  if (!steering.value) return;
  const wanted = { ...steering.value, ...change };
  steering.value = wanted;
  await judge(wanted, 'judge');
}

/** Keeps other settings; what was before can be had back. */
export async function keep(change: Partial<Steering>, before: Steering | null = steering.value): Promise<void> {
  if (!steering.value || !before) return;
  const wanted = { ...steering.value, ...change };
  if (JSON.stringify(wanted) !== JSON.stringify(before)) {
    batch(() => {
      past.value = [...past.value, before];
      future.value = [];
      steering.value = wanted;
    });
  }
  await judge(wanted, 'steer');
}

async function judge(wanted: Steering, route: 'judge' | 'steer'): Promise<void> {
  const turn = ++asked;
  underWay?.abort();
  underWay = new AbortController();
  try {
    const found = await ask(route, { body: wanted, signal: underWay.signal });
    if (turn !== asked) return;
    batch(() => {
      selection.value = found;
      problem.value = null;
    });
  } catch (error) {
    if (turn === asked) tell(error);
  }
}

export async function undo(): Promise<void> {
  await step(past, future);
}

export async function redo(): Promise<void> {
  await step(future, past);
}

async function step(from: typeof past, to: typeof past): Promise<void> {
  const wanted = from.value.at(-1);
  if (!wanted || !steering.value) return;
  batch(() => {
    to.value = [...to.value, steering.value!];
    from.value = from.value.slice(0, -1);
    steering.value = wanted;
  });
  await judge(wanted, 'steer');
}

/** Pins or vetoes a shot, or takes that back. */
export function wish(kind: 'pin' | 'veto', { video, shot }: { video: Video; shot: Shot }): Promise<void> {
  // Shots are counted from 1 wherever people meet them.
  const name = `${video.name}#${shot.index + 1}`;
  const without = (list: readonly string[]): string[] => list.filter((each) => each !== name);
  const { pin, veto } = steering.value!;
  const isThere = (kind === 'pin' ? pin : veto).includes(name);
  return keep({
    pin: kind === 'pin' && !isThere ? [...without(pin), name] : without(pin),
    veto: kind === 'veto' && !isThere ? [...without(veto), name] : without(veto),
  });
}

/** Starts or stops work on the server. */
export async function command(name: 'render' | 'cancel' | 'look', output = topic.value?.output): Promise<void> {
  try {
    const work = name !== 'render' ? await ask(name) : output ? await ask('render', { body: output }) : null;
    if (!work) return;
    if (topic.value) topic.value = { ...topic.value, work };
  } catch (error) {
    tell(error);
  }
}

export function tell(error: unknown): void {
  problem.value = error instanceof Refusal ? error.message : `Something went wrong: ${String(error)}`;
}
