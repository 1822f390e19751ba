import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { locateFfmpeg, probe, type VideoInfo } from './index.js';

let folder: string;
let ffmpeg: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-timecode-'));
  ffmpeg = (await locateFfmpeg()).path;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function probed(name: string, rate: string, ...options: string[]): Promise<VideoInfo> {
  const path = join(folder, name);
  const source = ['-f', 'lavfi', '-i', `color=size=64x36:rate=${rate}:duration=0.2`];
  execFileSync(ffmpeg, ['-v', 'error', ...source, ...options, path]);
  return probe(path);
}

async function timecodeOf(...given: Parameters<typeof probed>): Promise<string | undefined> {
  return (await probed(...given)).timecode;
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

describe('the time of recording', () => {
  const created = ['-metadata', 'creation_time=2024-01-31T13:25:30Z'];

  it('is what the tags of the file say, and who wrote them', async () => {
    const quicktime = 'com.apple.quicktime.creationdate=2024-01-31T14:25:10+0100';
    const tags = [...created, '-metadata', quicktime, '-metadata', 'com.apple.quicktime.make=Apple'];
    const { dates } = await probed('g.mov', '25', ...tags, '-movflags', 'use_metadata_tags');
    expect(dates).toMatchObject({
      container: expect.stringContaining('2024-01-31T13:25:30'),
      quicktime: '2024-01-31T14:25:10+0100',
    });
    expect(dates?.writer).toMatch(/^Apple; Lavf/);
    expect((await probed('h.mkv', '25', ...created)).dates?.container).toContain('2024-01-31T13:25:30');
  });

  it('is not made up, nor taken from what is no date', async () => {
    expect((await probed('i.mp4', '25')).dates).toBeUndefined();
    expect((await probed('j.mkv', '25', '-metadata', 'date=last summer')).dates).toBeUndefined();
  });
});
