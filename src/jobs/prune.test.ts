import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { openObjects, type ObjectStore } from '../storage/index.js';
import { namesOf, pruneStore } from './index.js';

const DAY_MS = 24 * 3_600_000;
const sha = (digit: string): string => digit.repeat(64);

let home: string;
let objects: ObjectStore;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-prune-'));
  objects = await openObjects(home);
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function put(name: string, text: string, days: number): Promise<void> {
  await objects.write(name, text);
  const then = new Date(Date.now() - days * DAY_MS);
  await utimes(objects.localPath(name)!, then, then);
}

/** A topic of one video, with the analysis of that video. */
async function plant(id: string, digit: string, days: number, isDone: boolean): Promise<void> {
  const names = namesOf(id);
  const info = { container: 'mp4', codec: 'h264', pixelFormat: 'yuv420p', interlaced: false, widthPx: 2, heightPx: 2, sampleAspect: { num: 1, den: 1 }, rotationDeg: 0, timeBase: { num: 1, den: 25 }, frameRate: null, durationHint: null, audio: [] }; // prettier-ignore
  await put(names.head, '{}', days);
  await put(names.inputs(0), JSON.stringify([{ id: 'a', name: 'a.mp4', sha256: sha(digit), bytes: 3, info }]), days);
  await put(`videos/${sha(digit)}`, 'abc', days);
  await put(`analyses/${sha(digit)}`, 'abcd', days);
  if (!isDone) return;
  await put(`${names.out}/report.html`, 'result', days);
  await put(names.done, '{}', days);
}

async function left(): Promise<string[]> {
  const names: string[] = [];
  for await (const name of objects.list('')) names.push(name.replace(/[0-9a-f]{64}/, (text) => text[0]!));
  return names.sort();
}

const old = 'a'.repeat(40);
const young = 'b'.repeat(40);
const waiting = 'c'.repeat(40);
async function plantAll(): Promise<void> {
  await plant(old, '1', 40, true);
  await plant(young, '2', 3, true);
  await plant(waiting, '3', 40, false);
}
const wish = { olderThanMs: 30 * DAY_MS, keepResults: false, dryRun: false, isAbandoned: async () => false };

it('removes what is old and no longer needed, and says the same without removing it', async () => {
  await plantAll();
  const before = await left();
  const counted = await pruneStore(objects, { ...wish, dryRun: true });
  expect(await left()).toEqual(before);
  expect(await pruneStore(objects, wish)).toEqual(counted);
  expect(counted).toMatchObject({ videos: { objects: 1, bytes: 3 }, analyses: { objects: 2, bytes: 8 } });
  const home = (id: string): string => `topics/${id}`;
  expect(await left()).toEqual([
    'analyses/2',
    ...['done.json', 'head.json', 'inputs/0.json', 'out/report.html'].map((name) => `${home(young)}/${name}`),
    ...['head.json', 'inputs/0.json'].map((name) => `${home(waiting)}/${name}`),
    'videos/2',
    'videos/3',
  ]);
  expect(await pruneStore(objects, wish)).toEqual({});
});

it('keeps results where told so, and removes an unfinished topic once nobody works on it', async () => {
  await plantAll();
  await pruneStore(objects, { ...wish, keepResults: true, isAbandoned: async (id) => id === waiting });
  const names = await left();
  expect(names.filter((name) => name.includes(old))).toEqual(
    ['done.json', 'head.json', 'out/report.html'].map((name) => `topics/${old}/${name}`),
  );
  expect(names.filter((name) => name.startsWith('videos/'))).toEqual(['videos/2']);
  expect(names.filter((name) => name.includes(waiting))).toEqual([]);
});
