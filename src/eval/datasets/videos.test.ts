import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { UsageError } from '../../base/index.js';
import { findVideos } from './source.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-videos-'));
});
afterEach(() => rm(folder, { recursive: true }));

const find = async (files: string[], ids: string[]): Promise<Record<string, string | null>> => {
  for (const file of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), '');
  }
  const { found, missing } = await findVideos(folder, ids);
  expect([...found.keys(), ...missing].sort()).toEqual([...ids].sort());
  return Object.fromEntries(ids.map((id) => [id, found.get(id)?.slice(folder.length + 1) ?? null]));
};

describe('findVideos', () => {
  it('finds ids by name, one level down, with any known ending', async () => {
    const files = [
      '-esJrBWj2d8.mp4',
      'video/AwmHb44_ouw.WEBM',
      'Base jumping.mkv',
      'a/b/deep0000000.mp4',
      'notes01.txt',
    ];
    expect(
      await find(files, ['-esJrBWj2d8', 'AwmHb44_ouw', 'Base jumping', 'deep0000000', 'notes01', 'awmhb44_ouw']),
    ).toEqual({
      '-esJrBWj2d8': '-esJrBWj2d8.mp4',
      AwmHb44_ouw: join('video', 'AwmHb44_ouw.WEBM'),
      'Base jumping': 'Base jumping.mkv',
      deep0000000: null,
      notes01: null,
      awmhb44_ouw: null, // Ids of YouTube tell capitals apart.
    });
  });

  it('prefers the ending that is named first', async () => {
    expect(await find(['v/Cooking.avi', 'v/Cooking.mp4'], ['Cooking'])).toEqual({ Cooking: join('v', 'Cooking.mp4') });
  });

  it('finds the videos of CoSum under the names people give them', async () => {
    const files = ['01_base_jump/1.mp4', 'bike_polo/bike2.mp4', 'kids3.mp4', 'surfing_4.mov', 'ba5.mp4', 'mlb16.mp4'];
    const ids = [
      'base_jump/1',
      'bike_polo/2',
      'kids_playing_in_leaves/3',
      'surfing/4',
      'base_jump/5',
      'mlb/6',
      'mlb/1',
    ];
    expect(await find(files, ids)).toEqual({
      'base_jump/1': join('01_base_jump', '1.mp4'),
      'bike_polo/2': join('bike_polo', 'bike2.mp4'),
      'kids_playing_in_leaves/3': 'kids3.mp4',
      'surfing/4': 'surfing_4.mov',
      'base_jump/5': null,
      'mlb/6': null,
      'mlb/1': null,
    });
  });

  it('says when there is no folder', async () => {
    await expect(findVideos(join(folder, 'none'), ['a'])).rejects.toThrow(UsageError);
  });
});
