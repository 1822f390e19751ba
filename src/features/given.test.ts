import fc from 'fast-check';
import h5wasm from 'h5wasm/node';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { hashFile } from '../storage/index.js';
import {
  type CutVideo,
  openGiven,
  openNpy,
  openTable,
  parseRowStep,
  placeRows,
  poolRows,
  type RowTable,
} from './index.js';
import { encodeNpy } from './npy.case.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-given-'));
});
afterEach(() => rm(folder, { recursive: true }));

const base = { num: 1, den: 10 };
/** Shots of 30, 20 and 50 frames; frame f is shown from f to f + 1 ticks of 0.1 s, counted from tick 1000. */
const shots = [
  { startFrame: 0, endFrame: 30 },
  { startFrame: 30, endFrame: 50 },
  { startFrame: 50, endFrame: 100 },
].map((shot) => ({ ...shot, range: { start: 1000 + shot.startFrame, end: 1000 + shot.endFrame, base } }));
const video = { id: 'clip.mp4', frameCount: 100, shots, range: { start: 1000, end: 1100, base } };

const tableOf = (rows: readonly (readonly number[])[]): RowTable => ({
  rows: rows.length,
  cols: rows[0]!.length,
  read: (from, to) => Promise.resolve(Float64Array.from(rows.slice(from, to).flat())),
  close: () => Promise.resolve(),
});
const pooled = async (rows: readonly (readonly number[])[], known: Parameters<typeof placeRows>[2]) => {
  const table = tableOf(rows);
  const { vectors, bare } = await poolRows(video.id, table, 3, placeRows(video, table.rows, known));
  return { means: [0, 1, 2].map((shot) => vectors.data[shot * vectors.cols]!), bare };
};
const counted = (count: number): number[][] => Array.from({ length: count }, (_, k) => [k]);

describe('a step between rows', () => {
  it('is frames or a time', () => {
    expect(parseRowStep('16')).toEqual({ frames: 16 });
    expect(parseRowStep(' 0.5s ')).toEqual({ seconds: 0.5 });
    expect(parseRowStep('2 s')).toEqual({ seconds: 2 });
    for (const text of ['', '0', '1.5', '-3', '0s', '16 frames', '1e3', 's']) expect(parseRowStep(text)).toBeNull();
  });
});

describe('rows become vectors of shots', () => {
  it('by frames, whose step is stated or found, worked out by hand', async () => {
    // Every 4th frame: rows 0 … 7 | 8 … 12 | 13 … 24.
    const expected = { means: [3.5, 10, 18.5], bare: 0 };
    expect(await pooled(counted(25), { listed: false, step: { frames: 4 } })).toEqual(expected);
    expect(await pooled(counted(25), { listed: false })).toEqual(expected);
    // Ten rows may be of every 10th frame or of every 11th.
    expect((await pooled(counted(10), { listed: false, step: { frames: 10 } })).means).toEqual([1, 3.5, 7]);
    expect((await pooled(counted(10), { listed: false, step: { frames: 11 } })).means).toEqual([1, 3.5, 7]);
    await expect(pooled(counted(10), { listed: false })).rejects.toThrow('(--vectors-every)');
    // All frames: 0 … 29 | 30 … 49 | 50 … 99.
    expect(await pooled(counted(100), { listed: false })).toEqual({ means: [14.5, 39.5, 74.5], bare: 0 });
    // Every 7th frame: 0, 7, … 98, that is 15 rows; the shots begin with rows 0, 5 and 8.
    expect(await pooled(counted(15), { listed: false })).toEqual({ means: [2, 6, 11], bare: 0 });
  });

  it('by time, counted from the first frame', async () => {
    // Every 2 s of 10 s, at frames 0, 20, 40, 60, 80.
    expect(await pooled(counted(5), { listed: false, step: { seconds: 2 } })).toEqual({
      means: [0.5, 2, 3.5],
      bare: 0,
    });
  });

  it('by shot, where the shots were known to whoever made the rows', async () => {
    expect(await pooled([[5], [7], [9]], { listed: true })).toEqual({ means: [5, 7, 9], bare: 0 });
    await expect(pooled([[5], [7], [9]], { listed: false })).rejects.toThrow('found 3 rows. If they were taken');
  });

  it('by the frames stated; a shot without a row takes the one nearest to its middle', async () => {
    // The middle shot is around frame 40: of rows at 10, 28, 60 and 90, that at 28 is nearest.
    expect(await pooled(counted(4), { listed: false, picks: [10, 28, 60, 90] })).toEqual({
      means: [0.5, 1, 2.5],
      bare: 1,
    });
  });

  it('or a sentence that names the video and both numbers', () => {
    const place =
      (rows: number, known: Omit<Parameters<typeof placeRows>[2], 'listed'>, listed = false) =>
      (sentence: string) =>
        expect(() => placeRows(video, rows, { ...known, listed })).toThrow(sentence);
    place(9, { step: { frames: 16 } })('Expected 7 rows (a row every 16 frames) for "clip.mp4", found 9.');
    place(9, { step: { seconds: 2 } })('Expected 5 rows (a row every 2 s of 10.0 s) for "clip.mp4", found 9.');
    place(101, {})('Expected 100 rows (frames) or a row every so many frames for "clip.mp4", found 101 rows.');
    place(2, {}, true)('Expected 3 rows (shots), 100 (frames)');
    place(3, { picks: [1, 2] })('Expected a row for each of 2 picks of "clip.mp4", found 3.');
    place(2, { picks: [1, 100] })('Expected picks within the 100 frames of "clip.mp4", found 100.');
    place(2, { picks: [1, 2.5] })('found 2.5');
    const untimed: CutVideo = { id: 'clip.mp4', frameCount: 100, shots };
    expect(() => placeRows(untimed, 5, { listed: false, step: { seconds: 2 } })).toThrow('times are not known');
  });

  it('finds the step of any row a frame or more, or says that it cannot be known', () => {
    fc.assert(
      fc.property(fc.integer({ min: 40, max: 5000 }), fc.integer({ min: 1, max: 60 }), (frameCount, every) => {
        const cut = { id: 'v', frameCount, shots: [{ startFrame: 0, endFrame: frameCount }] };
        const rows = Math.ceil(frameCount / every);
        try {
          expect(placeRows(cut, rows, { listed: false })!.rows.at(-1)).toBe((rows - 1) * every);
        } catch (error) {
          expect(error).toMatchObject({ code: 'features-fit' });
          // Another whole step gives as many rows, so the number alone does not tell.
          const others = Array.from({ length: frameCount }, (_, k) => k + 1).filter(
            (step) => step !== every && [Math.floor, Math.ceil].some((round) => round(frameCount / step) === rows),
          );
          expect(others.length).toBeGreaterThan(0);
        }
      }),
    );
  });

  it('refuses what is no number, by row and column', async () => {
    const rows = [...counted(24), [NaN]];
    await expect(pooled(rows, { listed: false })).rejects.toThrow(
      'Expected finite numbers in the vectors of "clip.mp4", found NaN in row 24, column 0.',
    );
    await expect(pooled([...counted(24), [Infinity]], { listed: false })).rejects.toMatchObject({ code: 'not-finite' });
  });

  it('reads a few rows at a time, whatever their number', async () => {
    const cols = 1 << 15;
    let most = 0;
    const table: RowTable = {
      rows: 100,
      cols,
      read(from, to) {
        most = Math.max(most, to - from);
        return Promise.resolve(
          Float32Array.from({ length: (to - from) * cols }, (_, k) => from + Math.floor(k / cols)),
        );
      },
      close: () => Promise.resolve(),
    };
    const { vectors } = await poolRows('v', table, 3, placeRows(video, 100, { listed: false }));
    expect(most).toBe(32);
    expect([0, 1, 2].map((shot) => vectors.data[(shot + 1) * cols - 1])).toEqual([14.5, 39.5, 74.5]);
  });
});

describe('an .npy file', () => {
  const refuse = (expected: string, found: string): Error => new Error(`Expected ${expected}, found ${found}.`);

  it('is read by rows, in either order', async () => {
    const rows = [[1, 2], [3, 4], [5, 6]]; // prettier-ignore
    const byColumn = "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}";
    await writeFile(join(folder, 'c.npy'), encodeNpy(rows));
    await writeFile(join(folder, 'f.npy'), encodeNpy(rows, { header: byColumn }));
    const c = await openNpy(join(folder, 'c.npy'), refuse as never);
    expect([...(await c.read(1, 3))]).toEqual([3, 4, 5, 6]);
    await c.close();
    const f = await openNpy(join(folder, 'f.npy'), refuse as never);
    expect([f.rows, f.cols]).toEqual([2, 3]);
    expect([...(await f.read(1, 2))]).toEqual([2, 4, 6]);
    await f.close();
  });
});

describe('vectors by the names of videos', () => {
  const videos = [
    { id: 'a b', name: 'a b.mp4' },
    { id: 'sub_c', name: 'sub/c.mkv' },
    { id: 'd', name: 'd.mov' },
  ];
  const write = (name: string, rows: number[][]): Promise<void> => writeFile(join(folder, name), encodeNpy(rows));
  const h5 = async (path: string, datasets: Record<string, number[][]>): Promise<void> => {
    await h5wasm.ready;
    const file = new h5wasm.File(join(folder, path), 'w');
    for (const [name, rows] of Object.entries(datasets)) {
      const parts = name.split('/');
      const home = parts.length > 1 ? (file.get(parts[0]!) ?? file.create_group(parts[0]!)) : file;
      const data = Float32Array.from(rows.flat());
      (home as typeof file).create_dataset({ name: parts.at(-1)!, data, shape: [rows.length, rows[0]!.length] });
    }
    file.close();
  };

  it('are found in a folder, a file a video; what is missing or different is said of that video', async () => {
    await mkdir(join(folder, 'sub'));
    await write('a b.npy', [[1, 2], [3, 4]]); // prettier-ignore
    await h5('sub/c.h5', { rows: [[5, 6]] });
    await write('e.mp4.npy', [[1, 2]]);
    await write('wide.npy', [[1, 2, 3]]);
    await writeFile(join(folder, 'text.npy'), 'no numbers');
    const others = ['e.mp4', 'wide.mp4', 'text.mp4'].map((name) => ({ id: name, name }));
    const given = await openGiven(folder, [...videos, ...others], hashFile);
    expect([...given.places.keys()]).toEqual(['a b', 'sub_c', 'e.mp4']);
    expect(given).toMatchObject({ dim: 2, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(given.places.get('sub_c')).toMatchObject({ dataset: 'rows', picks: null });
    expect([...given.refused].map(([id, { message }]) => [id, message])).toEqual([
      ['d', expect.stringContaining('Expected the vectors of "d.mov"')],
      ['text.mp4', 'Expected an .npy file in "text.npy" for "text.mp4", found no NumPy mark in its first bytes.'],
      ['wide.mp4', 'Expected 2 numbers per row for "wide.mp4", as for most videos, found 3.'],
    ]);
    const { table } = await openTable('sub/c.mkv', given.places.get('sub_c')!);
    expect([...(await table.read(0, 1))]).toEqual([5, 6]);
    await table.close();
  });

  it('are found in one .h5 file, with the frames of the rows where it says so', async () => {
    await h5('all.h5', { 'a b': [[1], [2]], 'd/features': [[3], [4], [5]], 'd/picks': [[0], [7], [9]] });
    const path = join(folder, 'all.h5');
    const given = await openGiven(path, videos, hashFile);
    expect(given).toMatchObject({ name: 'all.h5', dim: 1, sha256: (await hashFile(path)).sha256 });
    expect([...given.refused.values()].map(({ message }) => message)).toEqual([
      'Expected the vectors of "sub/c.mkv" in "all.h5", found no dataset "sub/c".',
    ]);
    const { table, picks } = await openTable('d.mov', given.places.get('d')!);
    expect(picks).toEqual([0, 7, 9]);
    expect([...(await table.read(1, 3))]).toEqual([4, 5]);
    await table.close();
  });

  it('change their hash with any byte', async () => {
    await write('d.npy', [[1]]);
    const before = await openGiven(folder, videos, hashFile);
    await write('d.npy', [[2]]);
    expect((await openGiven(folder, videos, hashFile)).sha256).not.toBe(before.sha256);
  });

  it('are refused as a whole where there is no such place', async () => {
    const none = openGiven(join(folder, 'nowhere'), videos, hashFile);
    await expect(none).rejects.toMatchObject({ name: 'UsageError', code: 'no-vectors' });
    await writeFile(join(folder, 'x.txt'), 'x');
    await expect(openGiven(join(folder, 'x.txt'), videos, hashFile)).rejects.toThrow('found something else');
  });

  it('leave no thread behind where the file is damaged: a program that read it ends', { tags: 'slow' }, async () => {
    const path = join(folder, 'cut.h5');
    await writeFile(path, Buffer.from('\x89HDF\r\n\x1a\nand nothing more', 'latin1'));
    const script = `import { openGiven } from '${join(import.meta.dirname, 'given.ts')}';
      await openGiven('${path}', [], () => undefined).catch(({ code }) => console.log(code));`;
    const args = ['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', script];
    const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 });
    expect({ stdout, status }).toEqual({ stdout: 'bad-vectors\n', status: 0 });
  });
});
