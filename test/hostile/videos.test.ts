import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { summarizeTopic, type Outcome } from 'throughline-video';
import { random } from '../../src/base/index.js';
import { decode, listen, locateFfmpeg, probe } from '../../src/media/index.js';
import { damage } from '../fixtures/damage.js';
import { makeVideo, type VideoSpec } from '../fixtures/video.js';

/** Damaged copies tried of each kind of video; docs/reliability.md tells of a longer trial. */
const COPIES = Number(process.env['FUZZ_COPIES'] ?? 8);
const SEED = Number(process.env['FC_SEED'] ?? 2017);

const KINDS: Readonly<Record<string, Partial<VideoSpec>>> = {
  'h264.mp4': { container: 'mp4', codec: 'h264' },
  'front.mp4': { container: 'mp4', codec: 'h264', isFastStart: true, tones: [] },
  'turned.mov': { container: 'mov', codec: 'h264', rotationDeg: 90 },
  'hevc.mkv': { container: 'mkv', codec: 'hevc' },
  'vp9.webm': { container: 'webm', codec: 'vp9' },
  'broadcast.ts': { container: 'ts', codec: 'h264' },
  'old.avi': { container: 'avi', codec: 'mpeg4', hasBFrames: false },
};

let home: string;
let outcome: Outcome;
const names: string[] = [];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-damaged-'));
  await mkdir(join(home, 'topic'));
  const { path: ffmpeg } = await locateFfmpeg();
  const dice = random(SEED);
  for (const [kind, spec] of Object.entries(KINDS)) {
    const whole = join(home, kind);
    await makeVideo(ffmpeg, whole, { widthPx: 96, heightPx: 54, frameCount: 60, cuts: [30], tones: [440], ...spec });
    const bytes = await readFile(whole);
    for (let copy = 0; copy < COPIES; copy++) {
      const name = kind.replace('.', `-${copy}.`);
      // Damage of a few bytes may hit nothing that is looked at: each second copy is hit in twenty places.
      let file = damage(bytes, dice);
      for (let more = copy % 2 === 0 ? 0 : 20; more > 0; more--) file = damage(file, dice);
      await writeFile(join(home, 'topic', name), file);
      names.push(name);
    }
  }
  outcome = await summarizeTopic(join(home, 'topic'), { out: join(home, 'out'), cache: join(home, 'cache'), relate: false });
}, 1_800_000); // prettier-ignore
afterAll(() => rm(home, { recursive: true, force: true }));

describe(`${COPIES} damaged copies each of ${Object.keys(KINDS).length} kinds of video`, () => {
  it('end each in a summary or in a named error', () => {
    const { videos, skipped } = outcome.document;
    const reported = new Set([...videos, ...skipped].map(({ path }) => path));
    expect([...reported].sort()).toEqual([...names].sort());
    for (const { message } of skipped) expect(message).toMatch(/^\S.*\.$/s);
    expect(videos.length).toBeGreaterThan(0);
    expect(skipped.length).toBeGreaterThan(0);
  });

  it('leave whole films and nothing half', async () => {
    const files = await readdir(join(home, 'out'));
    expect(files.filter((name) => name.includes('draft'))).toEqual([]);
    for (const { film, clips } of outcome.document.videos) {
      if (film === null) continue;
      const info = await probe(join(home, 'out', film));
      const decoding = decode(info, [{ name: 'small', widthPx: 16, heightPx: 9, every: 1 }]);
      let frames = 0;
      for await (const _ of decoding.frames) frames++;
      expect([film, decoding.complaint()]).toEqual([film, null]);
      expect(frames).toBeGreaterThan(0);
      for (const track of info.audio) {
        const listening = listen({ path: info.path, track: track.position, from: 0, base: info.timeBase }, 16_000);
        for await (const _ of listening.samples);
        expect([film, listening.complaint()]).toEqual([film, null]);
      }
      expect(clips.length).toBeGreaterThan(0);
    }
    expect(await readdir(join(home, 'cache')).then((all) => all.filter((name) => name.includes('draft')))).toEqual([]);
  });
});
