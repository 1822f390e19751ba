import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import type { Outcome, summarizeTopic as SummarizeTopic } from 'throughline-video';
import { locateFfmpeg, type probe as Probe } from '../../src/media/index.js';
import { makeHostile } from '../fixtures/hostile.js';
import { runFfmpeg } from '../fixtures/run.js';
import { makeVideo } from '../fixtures/video.js';
import { openedFiles, watchProgram, type Watch } from '../fixtures/watched.js';

/** What reading any of these files may take, in bytes. */
const MEMORY_BOUND = 3 * 2 ** 30;

let home: string;
let secret: string;
let ffmpeg: string;
let server: Server;
let hostile: string[];
let watch: Watch | null = null;
/** As they are for somebody whose ffmpeg is the watched one. */
let summarizeTopic: typeof SummarizeTopic;
let probe: typeof Probe;
const asked: string[] = [];
const topic = (): string => join(home, 'topic');
/** In a folder these do not count as videos; named one by one they are tried. */
const lists = (): string[] =>
  hostile.filter((name) => /m3u8|ffconcat|mpd|sdp|idx$/.test(name)).map((name) => join(topic(), name));

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
  if (process.platform !== 'win32') {
    watch = await watchProgram(ffmpeg, join(home, 'watched'));
    vi.stubEnv('FFMPEG_PATH', watch.path);
    vi.resetModules();
  }
  ({ summarizeTopic } = await import('throughline-video'));
  ({ probe } = await import('../../src/media/index.js'));
});
afterAll(async () => {
  vi.unstubAllEnvs();
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
      ['attached.mkv', 'backwards.avi', 'bomb.mov', 'disc.m2ts', 'good-1.mp4', 'good-2.mp4', 'linked.mkv', 'reference-alias.mov', 'reference-url.mov', 'skeleton.ogv', 'tags-slow.mkv'].filter((name) => !skipped.some(({ path }) => path === name)), // prettier-ignore
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
    const { document } = await summarizeTopic(folder, {
      out: join(home, 'named'),
      cache: join(home, 'cache'),
      length: '1s',
    });
    expect(document.skipped).toEqual([]);
    const made = new Set(readdirSync(join(home, 'named')));
    for (const { film } of document.videos) expect(made).toContain(film);
  });
});

describe('every ffmpeg that ran for all this', () => {
  beforeAll(async () => {
    const folder = join(home, 'all-kinds');
    await mkdir(folder);
    for (const at of [1, 2]) await cp(join(topic(), `good-${at}.mp4`), join(folder, `good-${at}.mp4`));
    // A clip that is a part of it has whole groups of pictures to copy, and edges to encode.
    await makeVideo(ffmpeg, join(folder, 'long.mp4'), { frameCount: 200, firstNumber: 700 });
    const shared = { cache: join(home, 'cache'), preview: 'gif', pictures: 'stills' } as const;
    for (const format of ['copy', 'webm'] as const) {
      const { document } = await summarizeTopic(folder, { ...shared, format, length: '60%', maxClip: 4, out: join(home, `as-${format}`) }); // prettier-ignore
      expect(document.skipped).toEqual([]);
    }
  });

  it.skipIf(process.platform === 'win32')('was told to ask nobody, and what it may open and as what', () => {
    const runs = watch!.read().map(({ args }) => args);
    expect(runs.length).toBeGreaterThan(60);
    const kinds = new Set<string>();
    for (const args of runs) {
      const inputs = [...args.keys()].filter((at) => args[at] === '-i');
      if (inputs.length === 0) {
        expect(args).toEqual(['-hide_banner', expect.stringMatching(/^-(?:version|bsfs|encoders|decoders)$/)]);
        continue;
      }
      expect(args).toEqual(expect.arrayContaining(['-nostdin', '-hide_banner', '-max_alloc']));
      for (const [k, at] of inputs.entries()) {
        const options = args.slice(k === 0 ? 0 : inputs[k - 1]! + 2, at);
        const [scheme = '', name = ''] = args[at + 1]!.split(/:(.*)/s);
        const valueOf = (option: string): string => options[options.lastIndexOf(option) + 1]!;
        expect(options.filter((option) => option === '-protocol_whitelist')).toHaveLength(1);
        expect(valueOf('-protocol_whitelist')).toBe(scheme);
        expect(valueOf('-format_whitelist')).not.toMatch(/hls|concat|dash|sdp|rtsp|image2|lavfi|vobsub|applehttp/);
        if (scheme === 'pipe') expect(valueOf('-format_whitelist')).toBe(valueOf('-f'));
        else expect([scheme, name.startsWith(join(home, '/'))]).toEqual(['file', true]);
        kinds.add(`${scheme} ${valueOf('-f')}`);
      }
      // All other names of files are those of films.
      const others = args.filter(
        (arg, at) => args[at - 1] !== '-i' && /^[a-z]+:|^\//.test(arg) && !/^pipe:\d$/.test(arg),
      );
      for (const other of others) expect(other).toMatch(new RegExp(`^file:${home}/(?:named|as-copy|as-webm)/`));
    }
    expect([...kinds].sort()).toEqual(expect.arrayContaining(['pipe f32le', 'pipe matroska', 'pipe mov', 'pipe rawvideo'])); // prettier-ignore
  });

  it('opened that, and no other file and no connection', (context) => {
    if (!watch?.isTraced) return context.skip();
    let seen = 0;
    for (const { args, calls } of watch.read()) {
      expect(calls).not.toBeNull();
      const named = args.flatMap((arg) => (arg.startsWith('file:') ? [arg.slice('file:'.length)] : []));
      const opened = openedFiles(calls!);
      for (const path of opened) expect(named).toContain(path);
      seen += opened.length;
      expect(calls!.join('\n')).not.toMatch(/AF_INET6?\b/);
    }
    // What is not seen at all cannot be found harmless.
    expect(seen).toBeGreaterThan(60);
  });

  it('would have been caught at it', async (context) => {
    if (!watch?.isTraced) return context.skip();
    const control = await watchProgram(ffmpeg, join(home, 'control'));
    await runFfmpeg(control.path, ['-v', 'error', '-i', join(topic(), 'list.ffconcat'), '-f', 'null', '-']);
    const opened = control.read().flatMap(({ calls }) => openedFiles(calls!));
    expect(opened).toContain(join(topic(), 'inner/secret.mp4'));
  });
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
