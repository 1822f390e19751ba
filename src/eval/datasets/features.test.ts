import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import h5wasm from 'h5wasm/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { NumericError, StoreError, UsageError } from '../../base/index.js';
import { openHdf5, type CutVideo } from '../../features/index.js';
import { encodeNpy } from '../../features/npy.case.js';
import { readFeatures, uniformShots } from './source.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-features-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Ten frames in shots of 3, 3 and 4. */
const video: CutVideo = { id: 'abc', frameCount: 10, shots: uniformShots(10, 3) };
const writeNpy = (name: string, rows: number[][]): Promise<void> => writeFile(join(folder, name), encodeNpy(rows));
const rowsOf = async (rows: number[][], every?: number) => {
  await writeNpy('abc.npy', rows);
  const { features, notes } = await readFeatures(folder, [video], every === undefined ? {} : { every });
  const { rows: count, cols, data } = features.get('abc')!;
  expect([count, cols]).toEqual([3, rows[0]!.length]);
  return { rows: Array.from({ length: count }, (_, i) => [...data.subarray(i * cols, (i + 1) * cols)]), notes };
};

describe('readFeatures from .npy', () => {
  it('takes one row a shot as it is', async () => {
    const rows = [
      [1, 2],
      [3, 4],
      [5, 6],
    ];
    expect(await rowsOf(rows)).toEqual({ rows, notes: [] });
  });

  it('averages rows of all frames over each shot', async () => {
    const rows = Array.from({ length: 10 }, (_, frame) => [frame, 1]);
    // Frames 0 to 2, 3 to 5, 6 to 9.
    expect((await rowsOf(rows)).rows).toEqual([
      [1, 1],
      [4, 1],
      [7.5, 1],
    ]);
  });

  it('averages rows of every fourth frame; a shot without one takes the nearest', async () => {
    // Rows of frames 0, 4, 8.
    expect(await rowsOf([[1], [2], [3]], 4)).toEqual({ rows: [[1], [2], [3]], notes: [] });
    // Rows of frames 0 and 5, with no row for a last stretch; frames 6 to 9 have none, 5 is the nearest.
    expect(await rowsOf([[1], [2]], 5)).toEqual({
      rows: [[1], [2], [2]],
      notes: ['Shots of video "abc" that take the vector of the nearest frame, having none of their own: 1.'],
    });
  });

  it('says when rows fit neither shots nor frames', async () => {
    await expect(rowsOf([[1], [2]])).rejects.toThrow(
      'Expected 3 rows (shots), 10 (frames) or a row every so many frames for "abc", found 2 rows.',
    );
    await expect(rowsOf([[1], [2]], 2)).rejects.toThrow('Expected 5 rows (a row every 2 frames)');
    await expect(rowsOf([[1], [2]], 0)).rejects.toThrow(UsageError);
    await expect(rowsOf([[1], [NaN], [2]])).rejects.toThrow(NumericError);
  });

  it('lists what it read, and names what is missing', async () => {
    await mkdir(join(folder, 'base_jump'));
    await writeNpy(join('base_jump', '1.npy'), [[1], [2], [3]]);
    const { files } = await readFeatures(folder, [{ ...video, id: 'base_jump/1' }]);
    expect(files).toEqual([{ path: 'base_jump/1.npy', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
    await expect(readFeatures(folder, [video])).rejects.toThrow('found none of "abc". Add a file such as "abc.npy".');
    await expect(readFeatures(join(folder, 'none'), [video])).rejects.toThrow(StoreError);
    await writeFile(join(folder, 'abc.npy'), 'Not Found');
    await expect(readFeatures(folder, [video])).rejects.toThrow('no NumPy mark');
  });
});

describe('readFeatures from .h5', () => {
  it('reads a dataset an id, and the usual layout by key, by name and by length', async () => {
    await h5wasm.ready;
    const path = join(folder, 'features.h5');
    const file = new h5wasm.File(path, 'w');
    file.create_dataset({ name: 'abc', data: Float64Array.of(1, 2, 3, 4, 5, 6), shape: [3, 2] });
    const group = (key: string, frames: number, offset: number) => {
      const made = file.create_group(key);
      const picks = Array.from({ length: Math.ceil(frames / 2) }, (_, pick) => 2 * pick);
      made.create_dataset({
        name: 'features',
        data: Float32Array.from(picks, (pick) => pick + offset),
        shape: [picks.length, 1],
      });
      made.create_dataset({ name: 'picks', data: Int32Array.from(picks) });
      made.create_dataset({ name: 'n_frames', data: BigInt64Array.of(BigInt(frames)), shape: [] });
      return made;
    };
    group('keyed', 10, 100);
    group('video_1', 10, 200).create_dataset({ name: 'video_name', data: 'Base jumping' });
    group('video_2', 12, 300);
    file.create_group('empty');
    file.close();

    const videos = [
      video,
      { ...video, id: 'keyed' },
      { ...video, id: 'Base jumping' },
      { id: 'by_length', frameCount: 12, shots: uniformShots(12, 6) },
    ];
    const { features, files, notes } = await readFeatures(path, videos);
    expect(features.get('abc')).toEqual({ rows: 3, cols: 2, data: Float64Array.of(1, 2, 3, 4, 5, 6) });
    // Picks 0 and 2, 4, 6 and 8 in shots of 3, 3 and 4 frames.
    expect(features.get('keyed')!.data).toEqual(Float64Array.of(101, 104, 107));
    expect(features.get('Base jumping')!.data).toEqual(Float64Array.of(201, 204, 207));
    expect(features.get('by_length')!.data).toEqual(Float64Array.of(302, 308));
    expect(files).toEqual([{ path: 'features.h5', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
    expect(notes).toEqual([]);
  });

  it('says that it cannot read float16', async () => {
    await h5wasm.ready;
    const path = join(folder, 'half.h5');
    const file = new h5wasm.File(path, 'w', { libver: ['earliest', 'latest'] });
    file.create_dataset({ name: 'abc', data: Float32Array.of(1, 2, 3), shape: [3, 1] });
    file.close();
    const bytes = await readFile(path);
    // The description of IEEE binary32 in the file, turned into that of binary16: size, bits, exponent, fraction, bias.
    const single = Buffer.from('11201f000400000000002000170800177f000000', 'hex');
    const half = Buffer.from('11200f0002000000000010000a05000a0f000000', 'hex');
    const at = bytes.indexOf(single);
    expect(at).toBeGreaterThan(0);
    half.copy(bytes, at);
    await writeFile(path, bytes);
    await expect(readFeatures(path, [video])).rejects.toThrow(
      'Expected float32 or float64 in "abc" in "' + path + '", found float16 (the library for HDF5 cannot read these',
    );
  });

  it('names what is missing, and what is no HDF5 file', async () => {
    await writeFile(join(folder, 'no.h5'), 'something else');
    await expect(readFeatures(join(folder, 'no.h5'), [video])).rejects.toThrow('Expected an HDF5 file');
    await h5wasm.ready;
    const file = new h5wasm.File(join(folder, 'other.h5'), 'w');
    file.create_dataset({ name: 'other', data: Float32Array.of(1), shape: [1, 1] });
    file.close();
    await expect(readFeatures(join(folder, 'other.h5'), [video])).rejects.toThrow('found none of "abc"');
  });

  it('does not wait longer than its limit', async () => {
    await h5wasm.ready;
    const path = join(folder, 'slow.h5');
    new h5wasm.File(path, 'w').close();
    const refuse = (expected: string, found: string) =>
      new StoreError('refused', `Expected ${expected}, found ${found}.`);
    const file = await openHdf5(path, refuse, 1);
    await expect(file.list()).rejects.toThrow('no answer within 1 ms');
    await expect(file.read('abc')).rejects.toThrow(StoreError);
  });
});
