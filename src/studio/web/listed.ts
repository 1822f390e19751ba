import { computed, signal } from '@preact/signals';

import type { Clip } from '../contract.js';
import { clips, leftOut, selection, videoById, videos } from './state.js';
import { lengthOf } from './timeline.js';

export const SORTS = { name: 'Name', time: 'Length', film: 'Share of the film', belonging: 'Belonging' } as const;
export const FILTERS = {
  all: 'All',
  chosen: 'In the film',
  pinned: 'Pinned',
  left: 'Left out',
  bad: 'Bad pictures',
  double: 'Doubles',
} as const;

export const search = signal('');
export const sort = signal<keyof typeof SORTS>('name');
export const filter = signal<keyof typeof FILTERS>('all');
/** Rows that differ from the usual: a small topic is open, a large one folded. */
export const toggled = signal<ReadonlySet<string>>(new Set());
export const isOpenByDefault = signal<boolean | null>(null);
/** More clips than this start folded. */
const MANY = 12;
export const areMany = computed(() => clips.value.length > MANY);
export const isOpen = (id: string): boolean => (isOpenByDefault.value ?? !areMany.value) !== toggled.value.has(id);

/** Shots of each video in the film of the topic; without such a film, in its own. */
const shotsInFilm = computed(() => {
  const film = selection.value?.film;
  const own = videos.value.flatMap(({ id, shots }) => shots.flatMap(({ chosen }) => (chosen ? [id] : [])));
  const counts = new Map<string, number>();
  for (const id of film ? film.shots.map(({ video }) => video) : own) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
});

const matches = (clip: Clip): boolean => {
  const video = videoById.value.get(clip.id);
  switch (filter.value) {
    case 'all':
      return true;
    case 'chosen':
      return shotsInFilm.value.has(clip.id);
    case 'pinned':
      return video?.shots.some(({ pinned }) => pinned) ?? false;
    case 'left':
      return leftOut.value.has(clip.name);
    case 'bad':
      return clip.state === 'failed' || (video?.shots.some(({ bad }) => bad !== null) ?? false);
    case 'double':
      return (video?.doubleOf ?? null) !== null;
  }
};

const byName = new Intl.Collator('en', { numeric: true });
const ORDERS: Record<keyof typeof SORTS, (a: Clip, b: Clip) => number> = {
  name: (a, b) => byName.compare(a.name, b.name),
  time: (a, b) => lengthOf(b) - lengthOf(a),
  film: (a, b) => (shotsInFilm.value.get(b.id) ?? 0) - (shotsInFilm.value.get(a.id) ?? 0),
  belonging: (a, b) =>
    (videoById.value.get(a.id)?.belonging ?? Infinity) - (videoById.value.get(b.id)?.belonging ?? Infinity),
};

/** Clips that show the same as another, by the id of that one. */
export const doubles = computed(() => {
  const found = new Map<string, string[]>();
  for (const { id, doubleOf } of videos.value) if (doubleOf !== null) found.set(doubleOf, [...(found.get(doubleOf) ?? []), id]); // prettier-ignore
  return found;
});
/** Clips whose doubles are shown below them, or not, unlike the usual: shown in a small topic, folded in a large one. */
export const toggledDoubles = signal<ReadonlySet<string>>(new Set());
export const areDoublesShown = (id: string): boolean => areMany.value === toggledDoubles.value.has(id);
const isFoldedAway = (id: string): boolean => {
  const original = videoById.value.get(id)?.doubleOf ?? null;
  return original !== null && !areDoublesShown(original);
};

/** The clips that are shown, in their order; doubles follow the clip that is preferred. */
export const listed = computed<readonly Clip[]>(() => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const isAll = words.length === 0 && filter.value === 'all';
  const found = clips.value
    .filter((clip) => words.every((word) => clip.name.toLowerCase().includes(word)) && matches(clip))
    .toSorted((a, b) => ORDERS[sort.value](a, b) || byName.compare(a.name, b.name));
  if (!isAll) return found;
  const below = new Set([...doubles.value.values()].flat());
  const byId = new Map(found.map((clip) => [clip.id, clip]));
  return found
    .filter(({ id }) => !below.has(id))
    .flatMap((clip) => [clip, ...(doubles.value.get(clip.id) ?? []).flatMap((id) => byId.get(id) ?? [])])
    .filter(({ id }) => !isFoldedAway(id));
});

/** Clips that were ticked, by id, and the last of them: Shift ticks everything in between. */
export const ticked = signal<ReadonlySet<string>>(new Set());
let lastTicked: string | null = null;

export function tick(id: string, isOn: boolean, isRange: boolean): void {
  const ids = listed.value.map((clip) => clip.id);
  const [from, to] = [ids.indexOf(lastTicked ?? id), ids.indexOf(id)];
  const range = isRange && from >= 0 ? ids.slice(Math.min(from, to), Math.max(from, to) + 1) : [id];
  const next = new Set(ticked.value);
  for (const each of range) if (isOn) next.add(each); else next.delete(each); // prettier-ignore
  lastTicked = id;
  ticked.value = next;
}
