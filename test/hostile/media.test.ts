import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { summarizeTopic, type Outcome } from 'throughline';
import { locateFfmpeg, probe } from '../../src/media/index.js';
import { makeHostile } from '../fixtures/hostile.js';
import { makeVideo } from '../fixtures/video.js';

/** What reading any of these files may take, in bytes. */
const MEMORY_BOUND = 3 * 2 ** 30;

let home: string;
let secret: string;
let ffmpeg: string;
let server: Server;
let hostile: string[];
const asked: string[] = [];
const topic = (): string => join(home, 'topic');
/** In a folder these do not count as videos; named one by one they are tried. */
const lists = (): string[] =>
  hostile.filter((name) => /m3u8|ffconcat|mpd|sdp$/.test(name)).map((name) => join(topic(), name));

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-hostile-'));
  ffmpeg = (await locateFfmpeg()).path;
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await mkdir(topic());
  secret = join(home, 'secret.mp4');
  await makeVideo(ffmpeg, secret, { frameCount: 60 });
  await makeVideo(ffmpeg, join(topic(), 'good-1.mp4'), { frameCount: 60, firstNumber: 100 });
  await makeVideo(ffmpeg, join(topic(), 'good-2.mp4'), { frameCount: 60, firstNumber: 300 });
  await mkdir(join(topic(), 'inner'));
  await cp(secret, join(topic(), 'inner', 'secret.mp4'));
  hostile = await makeHostile({ folder: topic(), ffmpeg, secret, port });
}, 120_000);
afterAll(async () => {
  server.close();
  await rm(home, { recursive: true, force: true });
});

describe('files made to do harm, among good ones', () => {
  let outcome: Outcome;
  let peak = 0;
  beforeAll(async () => {
    const watch = setInterval(() => (peak = Math.max(peak, largestDecoder())), 20);
    try {
      outcome = await summarizeTopic([topic(), ...lists()], {
        out: join(home, 'out'),
        cache: join(home, 'cache'),
        films: false,
      });
    } finally {
      clearInterval(watch);
    }
  }, 600_000);

  it('are each read as what they are, or named and left out', () => {
    const { videos, skipped } = outcome.document;
    expect([...videos, ...skipped].map(({ path }) => path).sort()).toEqual(['good-1.mp4', 'good-2.mp4', ...hostile].sort()); // prettier-ignore
    // Their own data is in the file, whatever their index says; the bomb is a film of two black pictures.
    expect(videos.map(({ path }) => path)).toEqual(
      ['bomb.mov', 'good-1.mp4', 'good-2.mp4', 'reference-alias.mov', 'reference-url.mov', 'tags-slow.mkv'].filter((name) => !skipped.some(({ path }) => path === name)), // prettier-ignore
    );
    expect(videos.filter(({ path }) => path.startsWith('good'))).toHaveLength(2);
    for (const { code, message } of skipped) {
      expect(['not-video', 'no-frames', 'no-video-track', 'bad-size', 'past-limit', 'duplicate']).toContain(code);
      expect(message).toMatch(/^[A-Z"].*\.$/);
    }
  });

  it('ask nobody on the network', () => expect(asked).toEqual([]));

  it('take a bounded amount of memory', () => {
    // A million tracks in 22 MB take over 2 GB to list: the decoder's own limit.
    if (process.platform === 'linux') expect(peak).toBeGreaterThan(2 ** 30);
    expect(peak).toBeLessThan(MEMORY_BOUND);
  });
});

describe('a decoder that reads one of them', () => {
  const hasStrace = spawnSync('strace', ['-V']).status === 0;

  it.skipIf(!hasStrace)(
    'opens no other file of the user, and no connection',
    async () => {
      for (const name of hostile.filter((each) =>
        /^(hls|concat|dash|session|subtitles|redirect|reference)/.test(each),
      )) {
        const log = join(home, 'calls');
        const path = join(topic(), name);
        const script = `import { probe } from ${JSON.stringify(join(import.meta.dirname, '../../src/media/index.ts'))}; await probe(process.argv[1]).catch(() => undefined);`;
        const tracing = ['-f', '-qq', '-s', '4096', '-e', 'trace=open,openat,connect,socket', '-o', log];
        const child = spawn('strace', [...tracing, process.execPath, '--import', 'tsx', '--input-type=module', '-e', script, path]); // prettier-ignore
        await once(child, 'close');
        const calls = await readFile(log, 'utf8');
        expect(calls).toContain(path);
        expect(calls).not.toContain('secret.mp4');
        expect(calls).not.toContain('/etc/passwd"');
        expect(calls).not.toMatch(/AF_INET6?/);
      }
    },
    300_000,
  );
});

describe('names of files', () => {
  const names = [
    'with space.mp4',
    `quote's "both".mp4`,
    '-i.mp4',
    '--out.mp4',
    'frame%03d.mp4',
    'pipe:0.mp4',
    'concat:a|b.mp4',
    'file:x.mp4',
    '$(touch owned) `touch owned`;&.mp4',
    '日本語 ünïcode.mp4',
    `${'x'.repeat(251)}.mp4`,
  ];

  it('are names, never options, patterns or protocols', async () => {
    const folder = join(home, 'names');
    await mkdir(folder);
    for (const name of names) await cp(join(topic(), 'good-1.mp4'), join(folder, name));
    for (const name of names) expect((await probe(join(folder, name))).widthPx).toBeGreaterThan(0);
    expect(readdirSync(folder).sort()).toEqual([...names].sort());
  });

  it('that could pass for the decoder’s own words are refused with a sentence', async () => {
    const path = join(home, 'two\nlines.mp4');
    await cp(join(topic(), 'good-1.mp4'), path);
    await expect(probe(path)).rejects.toMatchObject({ code: 'bad-name' });
  });

  it('make films too', async () => {
    const folder = join(home, 'films');
    await mkdir(folder);
    for (const [at, name] of names.entries()) {
      await makeVideo(ffmpeg, join(folder, 'plain.mp4'), { frameCount: 40, firstNumber: 50 * at });
      await cp(join(folder, 'plain.mp4'), join(folder, name));
    }
    await rm(join(folder, 'plain.mp4'));
    const { document } = await summarizeTopic(folder, { out: join(home, 'named'), cache: join(home, 'cache') });
    expect(document.skipped).toEqual([]);
    const made = new Set(readdirSync(join(home, 'named')));
    for (const { film } of document.videos) expect(made).toContain(film);
  }, 300_000);
});

/** Memory of the largest ffmpeg that is running now. */
function largestDecoder(): number {
  if (process.platform !== 'linux') return 0;
  let most = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith(ffmpeg)) continue;
      if (!readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(topic())) continue;
      const status = readFileSync(`/proc/${pid}/status`, 'latin1');
      most = Math.max(most, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024);
    } catch {
      // It ended meanwhile.
    }
  }
  return most;
}
