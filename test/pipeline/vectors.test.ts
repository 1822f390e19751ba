import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import h5wasm from 'h5wasm/node';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { summarizeTopic, type OptionsInput, type Outcome, type RunEvent } from 'throughline-video';
import { encodeNpy } from '../../src/features/npy.case.js';
import { locateFfmpeg } from '../../src/media/index.js';
import { openCache } from '../../src/storage/index.js';
import { analysisKeys } from '../fixtures/analyses.js';
import { makeVideo } from '../fixtures/make.js';

/** Lengths of the shots of each video, as its list says. */
const SHOTS = { 'one.mp4': [40, 40, 48, 32], 'two.mp4': [40, 40], 'three.mp4': [32, 56, 32] } as const;
type Name = keyof typeof SHOTS;
const NAMES = Object.keys(SHOTS) as Name[];

let home: string;
/** The vectors of shallow features by video, and what a run with these says. */
let vectors: Record<Name, number[][]>;
let made: Outcome;

const at = (...parts: string[]): string => join(home, ...parts);
const stem = (name: string): string => name.replace('.mp4', '');

async function run(options: OptionsInput): Promise<{ outcome: Outcome; analysed: boolean[] }> {
  const events: RunEvent[] = [];
  const outcome = await summarizeTopic(
    at('topic'),
    { films: false, shots: at('shots.csv'), length: '50%', cache: at('cache'), ...options },
    { onEvent: (event) => events.push(event) },
  );
  const analysed = events.flatMap((event) => (event.type === 'item-done' ? [event.cached] : []));
  return { outcome, analysed };
}

async function writeVectors(folder: string, rows: Record<string, number[][]>): Promise<string> {
  await mkdir(at(folder), { recursive: true });
  for (const [name, each] of Object.entries(rows)) await writeFile(at(folder, `${stem(name)}.npy`), encodeNpy(each));
  return at(folder);
}

/** A row for every 8th frame: that of the shot the frame is in. */
function byFrames(name: Name): number[][] {
  return SHOTS[name].flatMap((length, shot) => Array.from({ length: length / 8 }, () => vectors[name][shot]!));
}

/** Everything that was decided, without who made the vectors. */
const decisions = ({ document }: Outcome): unknown =>
  document.videos.map(({ id, shots, clips }) => ({ id, shots, clips }));

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-vectors-'));
  const ffmpeg = (await locateFfmpeg()).path;
  await mkdir(at('topic'));
  const rows = ['file,start_frame,end_frame'];
  for (const [k, name] of NAMES.entries()) {
    const lengths: readonly number[] = SHOTS[name];
    const starts = lengths.map((_, i) => lengths.slice(0, i).reduce((sum, length) => sum + length, 0));
    const frameCount = lengths.reduce((sum, length) => sum + length, 0);
    const cuts = starts.slice(1).map((start) => start + k);
    await makeVideo(ffmpeg, at('topic', name), { frameCount, cuts, tones: [] });
    rows.push(...starts.map((start, i) => `${name},${start},${start + lengths[i]!}`));
  }
  await writeFile(at('shots.csv'), rows.join('\n'));

  made = (await run({ features: 'shallow', out: at('made'), cache: at('made-cache') })).outcome;
  const cache = await openCache(at('made-cache'));
  vectors = {} as typeof vectors;
  for (const key of await analysisKeys(at('made-cache'))) {
    const entry = (await cache.find(key))!;
    const { dim, frameCount, shots } = entry.header as { dim: number; frameCount: number; shots: unknown[] };
    const bytes = await entry.read('features');
    const values = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    const name = NAMES.find((each) => SHOTS[each].reduce((sum: number, length) => sum + length, 0) === frameCount)!;
    vectors[name] = shots.map((_, shot) => [...values.subarray(shot * dim, (shot + 1) * dim)]);
  }
});
afterAll(() => rm(home, { recursive: true, force: true }));

it(
  'decides as if the vectors had been made here, from a row a shot and from rows of frames',
  { tags: 'slow' },
  async () => {
    const folder = await writeVectors('by-shot', vectors);
    const { outcome } = await run({ vectors: folder, out: at('given') });
    expect(decisions(outcome)).toEqual(decisions(made));
    expect(outcome.document.model).toEqual({
      ...{ name: 'by-shot', dim: 2740, layer: null },
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      version: expect.stringMatching(/^[0-9a-f]{16}\.2$/),
    });
    expect(outcome.document.options).toMatchObject({ vectors: folder, vectorsEvery: null });

    const frames = await writeVectors('by-frame', Object.fromEntries(NAMES.map((name) => [name, byFrames(name)])));
    const rows = (outcomes: Outcome): unknown => (decisions(outcomes) as { shots: { rank: number }[] }[]).map(({ shots }) => shots.map(({ rank }) => rank)); // prettier-ignore
    expect(rows((await run({ vectors: frames, vectorsEvery: '8', out: at('frames') })).outcome)).toEqual(rows(made));
  },
);

it('decides the same from one file of all', { tags: 'slow' }, async () => {
  await h5wasm.ready;
  const file = new h5wasm.File(at('all.h5'), 'w');
  for (const name of NAMES) {
    const data = Float32Array.from(vectors[name].flat());
    file.create_dataset({ name: stem(name), data, shape: [vectors[name].length, 2740] });
  }
  file.close();
  const all = (await run({ vectors: at('all.h5'), out: at('all') })).outcome;
  expect(decisions(all)).toEqual(decisions(made));
  expect(all.document.model).toMatchObject({ name: 'all.h5', dim: 2740 });
});

it(
  'leaves out a video whose vectors are missing, of another length, or no numbers, and does the others',
  { tags: 'slow' },
  async () => {
    const broken = vectors['three.mp4'].map((row, shot) => (shot === 1 ? row.map((_, k) => (k === 5 ? NaN : 1)) : row));
    const folder = await writeVectors('broken', { 'one.mp4': vectors['one.mp4'], 'three.mp4': broken });
    const missing = (await run({ vectors: folder, out: at('broken-out') })).outcome.document;
    expect(missing.videos.map(({ id }) => id)).toEqual(['one']);
    expect(missing.skipped.map(({ path, code, message }) => [path, code, message])).toEqual([
      [
        'three.mp4',
        'not-finite',
        'Expected finite numbers in the vectors of "three.mp4", found NaN in row 1, column 5.',
      ],
      ['two.mp4', 'bad-vectors', 'Expected the vectors of "two.mp4" in "broken", found no "two.npy" or ".h5".'],
    ]);

    const longer = { ...vectors, 'two.mp4': [...vectors['two.mp4'], vectors['two.mp4'][0]!] };
    const other = (await run({ vectors: await writeVectors('longer', longer), out: at('longer-out') })).outcome
      .document;
    expect(other.videos.map(({ id }) => id)).toEqual(['one', 'three']);
    expect(other.skipped).toEqual([
      {
        ...{ path: 'two.mp4', code: 'features-fit' },
        message: expect.stringContaining('Expected 2 rows (shots), 80 (frames)'),
      },
    ]);
  },
);

it('reads a video once for any number of vectors, and tells one set from another', { tags: 'slow' }, async () => {
  const folder = await writeVectors('again', vectors);
  const first = await run({ vectors: folder, out: at('again-out') });
  // Shots and pictures were found by the runs before; which vectors go with them makes no difference.
  expect(first.analysed.slice(0, 3)).toEqual([true, true, true]);
  const turned = Object.fromEntries(NAMES.map((name) => [name, vectors[name].map((row) => row.toReversed())]));
  await writeVectors('again', { ...turned, 'one.mp4': vectors['one.mp4'].toReversed() });
  const second = await run({ vectors: folder, out: at('again-out') });
  expect(second.analysed.slice(0, 3)).toEqual([true, true, true]);
  expect(second.outcome.document.model.sha256).not.toBe(first.outcome.document.model.sha256);
  expect(decisions(second.outcome)).not.toEqual(decisions(first.outcome));
});

it('says what cannot be meant together', { tags: 'slow' }, async () => {
  const folder = await writeVectors('together', vectors);
  const refused = (options: OptionsInput): Promise<unknown> =>
    run({ out: at('refused'), ...options }).catch((error: { code: string }) => error.code);
  expect(await refused({ vectors: folder, features: 'shallow' })).toBe('bad-option');
  expect(await refused({ vectors: folder, layer: 'fc6' })).toBe('bad-option');
  expect(await refused({ vectorsEvery: '8' })).toBe('bad-option');
  expect(await refused({ vectors: folder, vectorsEvery: 'often' })).toBe('bad-option');
  expect(await refused({ vectors: at('nowhere') })).toBe('no-vectors');
});
