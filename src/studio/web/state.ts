import { batch, computed, signal } from '@preact/signals';

import type { Clip, Command, Comment, Position, Selection, Shot, Steering, Topic, Video } from '../contract.js';
import { ask, hasToken, listen, Refusal } from './api.js';
import { keepEqual } from './keep-equal.js';

export type Tab = 'topic' | 'map' | 'compare' | 'rate' | 'export';
/** A shot. `stays` where it was picked in the film: its video does not move into view, for the film would leave it. */
export type ShotRef = { readonly video: string; readonly shot: number; readonly stays?: boolean };

export const topic = signal<Topic | null>(null);
export const clips = signal<readonly Clip[]>([]);
export const comments = signal<readonly Comment[]>([]);
export const selection = signal<Selection | null>(null);
export const steering = signal<Steering | null>(null);
export const position = signal<Position>({ revision: 0, undo: null, redo: null, versions: [] });
export const tab = signal<Tab>('topic');
/** The shot being looked at. */
export const selectedShot = signal<ShotRef | null>(null);
/** The clip being looked at as a whole, such as one without shots yet. */
export const openClip = signal<string | null>(null);
export const problem = signal<string | null>(null);
/** A change that was refused because somebody else was faster; it can be applied again. */
export const refused = signal<{ readonly message: string; readonly command: Command } | null>(null);
/** The server does not answer any more. */
export const isGone = signal(false);
/** The address was opened without a token: nothing, not even pictures, can be had. */
export const isLockedOut = signal(false);
/** Changes are not possible: the page was opened without a token, but another page of this browser has one. */
export const isReadOnly = !hasToken;
/** Summary being played, by video, or the film of the topic; no video's id has a star. */
export const TOPIC = '*';
export const playing = signal<string | null>(null);
/** Position of the shot that plays in the film of the topic. */
export const topicShot = signal(0);

export const videos = computed<readonly Video[]>(() => selection.value?.videos ?? []);
export const videoById = computed(() => new Map(videos.value.map((video) => [video.id, video])));
export const leftOut = computed(() => new Set(steering.value?.leftOut));
export const isBusy = computed(() => ['analysing', 'rendering'].includes(topic.value?.work.state ?? ''));

/** `paris-topic` is the folder of the topic "paris". */
export function titleOf(name: string): string {
  return name.replace(/-topic$/, '');
}

export function shotAt(at: ShotRef | null): { video: Video; shot: Shot } | null {
  const video = at ? videoById.value.get(at.video) : undefined;
  const shot = video?.shots[at?.shot ?? -1];
  return video && shot ? { video, shot } : null;
}

/** Nothing was picked: the viewer shows the film, if there is one. */
export const isIdle = computed(() => playing.value === null && selectedShot.value === null && openClip.value === null);

/** Looks at a shot instead of whatever plays. */
export function look(at: ShotRef | null): void {
  batch(() => {
    playing.value = openClip.value = null;
    selectedShot.value = at;
  });
}

/** Shows a shot among those of its video, which moves into view. */
export function goThere({ video, shot }: { readonly video: Video; readonly shot: Shot }): void {
  batch(() => {
    tab.value = 'topic';
    look({ video: video.id, shot: shot.index });
  });
}

/** Reads the topic, and again whenever work ends or another page changes something. */
export async function start(): Promise<void> {
  await load();
  if (isLockedOut.value) return;
  listen(
    {
      work: (work) => {
        const before = topic.value?.work.state;
        if (topic.value) topic.value = { ...topic.value, work };
        if (work.state !== before && (work.state === 'idle' || work.state === 'failed')) void load();
      },
      clips: (list) => (clips.value = keepEqual(clips.value, list)),
      comments: (all) => (comments.value = all),
      document: ({ revision }) => {
        newestRevision = revision;
        if (!isEditing.value) void catchUp();
      },
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
      clips.value = keepEqual(clips.value, read.clips);
      accept(read.document, read.selection);
      problem.value = null;
    });
  } catch (error) {
    if (error instanceof Refusal && error.code === 'no-token') isLockedOut.value = true;
    else showError(error);
  }
}

function accept({ steering: saved, ...at }: Topic['document'], shown: Selection | null): void {
  batch(() => {
    position.value = at;
    steering.value = saved;
    selection.value = keepEqual(selection.value, shown);
  });
}

let newestRevision = 0;
/** A change is on its way to the server; what the page shows is from before it. */
export const isEditing = signal(false);

/** Loads the topic if another page has changed it. */
async function catchUp(): Promise<void> {
  if (topic.value && newestRevision > position.value.revision) await load();
}

let asked = 0;
let underWay: AbortController | null = null;

/** Shows what other settings would give, at once; the latest wins. */
export async function preview(change: Partial<Steering>): Promise<void> {
  if (!steering.value) return;
  const wanted = { ...steering.value, ...change };
  steering.value = wanted;
  const turn = ++asked;
  underWay?.abort();
  underWay = new AbortController();
  try {
    const found = await ask('preview', { body: wanted, signal: underWay.signal });
    if (turn === asked) selection.value = keepEqual(selection.value, found);
  } catch (error) {
    if (turn === asked && !(error instanceof Refusal && error.code === 'superseded')) showError(error);
  }
}

let lastEdit: Promise<void> = Promise.resolve();

/** Changes the settings. Changes of this page are sent one after the other, each on top of the one before. */
export function edit(command: Command): Promise<void> {
  lastEdit = lastEdit.then(() => sendEdit(command));
  return lastEdit;
}

async function sendEdit(command: Command): Promise<void> {
  isEditing.value = true;
  asked++;
  underWay?.abort();
  try {
    const { document, selection: shown } = await ask('edit', { body: { revision: position.value.revision, command } });
    batch(() => {
      accept(document, shown);
      problem.value = null;
    });
  } catch (error) {
    if (error instanceof Refusal && error.code === 'stale') refused.value = { message: error.message, command };
    await load();
    if (!(error instanceof Refusal && error.code === 'stale')) showError(error);
  } finally {
    isEditing.value = false;
    await catchUp();
  }
}

export const undo = (): Promise<void> => edit({ do: 'undo' });
export const redo = (): Promise<void> => edit({ do: 'redo' });

/** Pins or vetoes a shot, or takes that back. */
export function wish(kind: 'pin' | 'veto', { video, shot }: { video: Video; shot: Shot }): Promise<void> {
  const isSet = kind === 'pin' ? shot.pinned : shot.vetoed;
  // Shots are counted from 1 wherever people meet them.
  return edit({ do: 'wish', shot: `${video.name}#${shot.index + 1}`, wish: isSet ? null : kind });
}

/** Leaves videos out of the topic, or puts them back. */
export function leaveOut(names: readonly string[], isOut: boolean): Promise<void> {
  return edit({ do: 'leave-out', videos: [...names], isOut });
}

/** Starts or stops work on the server. */
export async function command(name: 'render' | 'cancel' | 'look', output = topic.value?.output): Promise<void> {
  try {
    const work = name !== 'render' ? await ask(name) : output ? await ask('render', { body: output }) : null;
    if (!work) return;
    if (topic.value) topic.value = { ...topic.value, work };
  } catch (error) {
    showError(error);
  }
}

export function showError(error: unknown): void {
  problem.value = error instanceof Refusal ? error.message : `Something went wrong: ${String(error)}`;
}

/** The name of a video. */
export function nameOf(id: string): string {
  return clips.value.find((clip) => clip.id === id)?.name ?? id;
}
