import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { locateFfmpeg, probe } from './index.js';

let folder: string;
let ffmpeg: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-timecode-'));
  ffmpeg = (await locateFfmpeg()).path;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function timecodeOf(name: string, rate: string, ...options: string[]): Promise<string | undefined> {
  const path = join(folder, name);
  const source = ['-f', 'lavfi', '-i', `color=size=64x36:rate=${rate}:duration=0.2`];
  execFileSync(ffmpeg, ['-v', 'error', ...source, ...options, path]);
  return (await probe(path)).timecode;
}

describe('the timecode of the first picture', () => {
  it('is read from a timecode track', async () => {
    expect(await timecodeOf('a.mov', '25', '-timecode', '10:11:12:13')).toBe('10:11:12:13');
    expect(await timecodeOf('b.mp4', '30000/1001', '-timecode', '01:00:00;02')).toBe('01:00:00;02');
  });

  it('is read from a tag', async () => {
    expect(await timecodeOf('c.mkv', '25', '-metadata', 'timecode=08:00:00:00')).toBe('08:00:00:00');
  });

  it('is not made up, nor taken from other tags', async () => {
    expect(await timecodeOf('d.mp4', '25')).toBeUndefined();
    expect(
      await timecodeOf('e.mkv', '25', '-metadata', 'timecode=soon', '-metadata', 'comment=timecode : 01:00:00:00'),
    ).toBeUndefined();
    expect(
      await timecodeOf('f.mkv', '25', '-metadata', 'comment=x\n    timecode        : 01:00:00:00'),
    ).toBeUndefined();
  });
});
