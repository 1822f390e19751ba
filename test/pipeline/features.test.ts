import { ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { summarizeTopic, type OptionsInput, type Outcome, type RunEvent } from 'throughline-video';
import { onnxGraph } from '../../tools/onnx-graph.js';
import { openOnnx } from '../../src/features/onnx.js';
import {
  openTestFolder,
  smallC3d,
  smallC3dWeights,
  smallVgg,
  smallVggWeights,
  transformer,
  transformPlainly,
} from '../../src/features/small-networks.case.js';
import { plainC3d, plainVgg, rectify } from '../../tools/plain-network.case.js';
import { locateFfmpeg } from '../../src/media/index.js';
import { openCache } from '../../src/storage/index.js';
import { parseSummary } from '../../src/summary/index.js';
import { analysisKeys } from '../fixtures/analyses.js';
import { makeVideo } from '../fixtures/make.js';
import { runFfmpeg } from '../fixtures/run.js';

/** Lengths of the shots of each video, as its list says. */
const SHOTS = { 'one.mp4': [32, 47, 48, 10], 'two.mp4': [40, 33] } as const;
type Name = keyof typeof SHOTS;
const NAMES = Object.keys(SHOTS) as Name[];

let home: string;
let ffmpeg: string;
let models: Awaited<ReturnType<typeof openTestFolder>>;
let c3d: string;

const at = (...parts: string[]): string => join(home, ...parts);
const startsOf = (name: Name): number[] =>
  SHOTS[name].map((_, k) => SHOTS[name].slice(0, k).reduce((sum, length) => sum + length, 0));
const frameCount = (name: Name): number => SHOTS[name].reduce((sum, length) => sum + length, 0);

async function run(
  options: OptionsInput,
  hooks: { signal?: AbortSignal; onEvent?: (event: RunEvent) => void } = {},
): Promise<{ outcome: Outcome; events: RunEvent[] }> {
  const events: RunEvent[] = [];
  const outcome = await summarizeTopic(
    at('topic'),
    { films: false, shots: at('shots.csv'), length: '50%', ...options },
    { ...hooks, onEvent: (event) => (events.push(event), hooks.onEvent?.(event)) },
  );
  return { outcome, events };
}

/** The vectors a run left in its cache, by video and shot. */
async function storedVectors(folder: string): Promise<Record<Name, Float32Array[]>> {
  const cache = await openCache(folder);
  const found: Partial<Record<Name, Float32Array[]>> = {};
  for (const key of await analysisKeys(folder)) {
    const entry = (await cache.find(key))!;
    const { dim, frameCount: frames, shots } = entry.header as { dim: number; frameCount: number; shots: unknown[] };
    const bytes = await entry.read('features');
    const values = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    const name = NAMES.find((each) => frameCount(each) === frames)!;
    found[name] = shots.map((_, k) => values.slice(k * dim, (k + 1) * dim));
  }
  return found as Record<Name, Float32Array[]>;
}

/** Every frame of a video at a size, decoded here: RGB, frame after frame. */
async function decodeAll(name: Name, width: number, height: number): Promise<Buffer[]> {
  const scale = `scale=${width}:${height}:flags=area+accurate_rnd+bitexact,format=rgb24`;
  const { stdout } = await runFfmpeg(ffmpeg, ['-v', 'error', '-i', at('topic', name), '-vf', scale, '-f', 'rawvideo', 'pipe:1']); // prettier-ignore
  const size = 3 * width * height;
  expect(stdout.length).toBe(size * frameCount(name));
  return Array.from({ length: frameCount(name) }, (_, k) => stdout.subarray(k * size, (k + 1) * size));
}

/** Of a video's frames those a shot is seen by: every 24th of the video; a shot that holds none takes its middle one. */
function sampledFrames(frames: readonly Buffer[], name: Name, shot: number): Buffer[] {
  const start = startsOf(name)[shot]!;
  const end = start + SHOTS[name][shot]!;
  const inside = frames.filter((_, index) => index % 24 === 0 && index >= start && index < end);
  return inside.length > 0 ? inside : [frames[Math.floor((start + end - 1) / 2)]!];
}

/** Σ vectors at length 1. */
function pool(vectors: readonly ArrayLike<number>[]): number[] {
  const sums = Array.from(vectors[0]!, (_, k) => vectors.reduce((sum, vector) => sum + vector[k]!, 0));
  // The direction of the mean, and the mean length of the vectors.
  const lengths = vectors.reduce((sum, vector) => sum + Math.hypot(...Array.from(vector)), 0);
  const scale = lengths / vectors.length / (Math.hypot(...sums) || 1);
  return sums.map((value) => value * scale);
}

function distance(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  expect(found.length).toBe(expected.length);
  const largest = Math.max(1, ...Array.from(expected, Math.abs));
  return Math.max(...Array.from(found, (value, k) => Math.abs(value - expected[k]!))) / largest;
}

/** How each video was analysed: `true` where its result was there already. */
function cached(events: readonly RunEvent[]): boolean[] {
  return events.flatMap((event) => (event.type === 'item-done' && event.stage === 'analyse' ? [event.cached] : []));
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-features-'));
  ffmpeg = (await locateFfmpeg()).path;
  models = await openTestFolder();
  const { onnx, sidecar } = smallC3d();
  c3d = await models.write('c3d', onnx, sidecar);
  await models.write('transformer', transformer());
  await mkdir(at('topic'));
  for (const [k, name] of NAMES.entries()) {
    const cuts = startsOf(name)
      .slice(1)
      .map((start) => start + k);
    // Without B-frames every frame is decoded in full, here and there.
    await makeVideo(ffmpeg, at('topic', name), { frameCount: frameCount(name), cuts, tones: [], hasBFrames: false });
  }
  const rows = NAMES.flatMap((name) => startsOf(name).map((start, k) => `${name},${start},${start + SHOTS[name][k]!}`));
  await writeFile(at('shots.csv'), ['file,start_frame,end_frame', ...rows].join('\n'));
});
afterAll(async () => {
  await models.close();
  await rm(home, { recursive: true, force: true });
});

describe('c3d', () => {
  it(
    'describes a shot by the mean of its clips, 16 frames each from the first on, made here by hand',
    { tags: 'slow' },
    async () => {
      const { outcome } = await run({ features: 'c3d', out: at('c3d'), cache: at('c3d-cache') });
      expect(outcome.document.skipped).toEqual([]);
      const stored = await storedVectors(at('c3d-cache'));
      const session = await openOnnx(smallC3d().onnx, 'input', 'fc6');
      const mean = [90.25, 97.66, 101.41];
      for (const name of NAMES) {
        const frames = await decodeAll(name, 171, 128);
        /** Blue, green, red planes of the centre, columns 29 to 140 and rows 8 to 119, minus the mean. */
        const plane = (frame: Buffer, channel: number): number[] =>
          Array.from({ length: 112 * 112 }, (_, k) => {
            const pixel = (8 + Math.floor(k / 112)) * 171 + 29 + (k % 112);
            return frame[3 * pixel + 2 - channel]! - mean[channel]!;
          });
        const valuesOf = (clip: readonly Buffer[]): Float32Array =>
          Float32Array.from([0, 1, 2].flatMap((channel) => clip.flatMap((frame) => plane(frame, channel))));
        const counts: number[] = [];
        for (const [k, start] of startsOf(name).entries()) {
          const shot = frames.slice(start, start + SHOTS[name][k]!);
          const clips = [];
          for (let first = 0; first + 16 <= shot.length; first += 16) clips.push(shot.slice(first, first + 16));
          // A shot that is too short for one is filled up with its last frame.
          if (clips.length === 0) clips.push(Array.from({ length: 16 }, (_, t) => shot[Math.min(t, shot.length - 1)]!));
          const vectors = [];
          for (const clip of clips) vectors.push(await session.run(valuesOf(clip), [1, 3, 16, 112, 112]));
          counts.push(clips.length);
          expect(distance(stored[name][k]!, pool(vectors))).toBeLessThan(1e-5);
          // Of one shot the network is computed in plain loops as well: 32 frames to one vector without the runtime.
          if (name === 'one.mp4' && k === 0) {
            const plain = clips.map((clip) => rectify(plainC3d(smallC3dWeights(), valuesOf(clip), 'both')));
            expect(distance(stored[name][k]!, pool(plain))).toBeLessThan(1e-5);
          }
          // One clip less would be another vector.
          if (clips.length > 1) expect(distance(stored[name][k]!, pool(vectors.slice(1)))).toBeGreaterThan(1e-4);
        }
        expect(counts).toEqual({ 'one.mp4': [2, 2, 3, 1], 'two.mp4': [2, 2] }[name]);
      }
      await session.close();
    },
  );

  it('is recorded with its hash, layer and length, and read back', { tags: 'slow' }, async () => {
    const { outcome } = await run({ features: 'c3d', layer: 'pool5', out: at('pool5'), cache: at('pool5-cache') });
    const { document } = outcome;
    expect(document.model).toEqual({
      ...{ name: 'c3d', dim: 64, layer: 'pool5' },
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      version: expect.stringMatching(/^[0-9a-f]{16}\.\d+\.[0-9a-f]{12}$/),
    });
    expect(document.options).toMatchObject({ features: 'c3d', layer: 'pool5', model: null, device: 'cpu' });
    expect(parseSummary(JSON.stringify(document))).toEqual(document);
  });
});

describe('vgg', () => {
  it(
    'describes a shot by the centres of its pictures, shorter side 256, computed here in plain loops',
    { tags: 'slow' },
    async () => {
      const { onnx, sidecar } = smallVgg();
      const model = await models.write('small-vgg', onnx, sidecar);
      const { outcome } = await run({ features: 'vgg', model, out: at('vgg'), cache: at('vgg-cache') });
      expect(outcome.document.model).toMatchObject({ name: 'vgg', dim: 6, layer: 'fc7' });
      const stored = await storedVectors(at('vgg-cache'));
      const weights = smallVggWeights();
      const mean = [103.939, 116.779, 123.68];
      // 192 × 108 at a shorter side of 256 is 455 × 256.
      const frames = await decodeAll('two.mp4', 455, 256);
      /** Blue, green, red planes of 224 × 224 from a column and row 16 on, minus the mean. */
      const vectorOf = (frame: Buffer, left: number): Float64Array => {
        const values = mean.flatMap((level, channel) =>
          Array.from({ length: 224 * 224 }, (_, k) => {
            const pixel = (16 + Math.floor(k / 224)) * 455 + left + (k % 224);
            return frame[3 * pixel + 2 - channel]! - level;
          }),
        );
        return plainVgg(weights, values).fc7;
      };
      for (const [k, vector] of stored['two.mp4'].entries()) {
        const sampled = sampledFrames(frames, 'two.mp4', k);
        expect(sampled).toHaveLength(2);
        expect(distance(vector, pool(sampled.map((frame) => vectorOf(frame, 115))))).toBeLessThan(1e-5);
      }
      // The centre, not the left end, and both pictures.
      const [first, second] = sampledFrames(frames, 'two.mp4', 0);
      for (const other of [[vectorOf(first!, 0), vectorOf(second!, 0)], [vectorOf(first!, 115)]]) {
        expect(distance(stored['two.mp4'][0]!, pool(other))).toBeGreaterThan(1e-4);
      }
    },
  );
});

describe('onnx', () => {
  it(
    'describes a shot by its pictures through any network, computed here in plain loops',
    { tags: 'slow' },
    async () => {
      const model = join(models.path, 'transformer.onnx');
      const options = { model, input: '32x24', mean: '0.5,0.4,0.3', std: '0.2,0.3,0.4' };
      const { outcome } = await run({ features: 'onnx', ...options, out: at('onnx'), cache: at('onnx-cache') });
      expect(outcome.document.model).toMatchObject({ name: 'transformer', dim: 6, layer: 'tokens' });
      expect(outcome.document.options).toMatchObject(options);
      const stored = await storedVectors(at('onnx-cache'));
      const [mean, std] = [[0.5, 0.4, 0.3], [0.2, 0.3, 0.4]] as const; // prettier-ignore
      for (const name of NAMES) {
        const frames = await decodeAll(name, 32, 24);
        const vectorOf = (frame: Buffer): number[] => {
          const values = [0, 1, 2].flatMap((c) =>
            Array.from({ length: 32 * 24 }, (_, k) => (frame[3 * k + c]! / 255 - mean[c]!) / std[c]!),
          );
          const tokens = transformPlainly(values, 32, 24);
          return tokens[0]!.map((_, k) => tokens.reduce((sum, token) => sum + token[k]!, 0) / tokens.length);
        };
        for (const k of SHOTS[name].keys()) {
          const sampled = sampledFrames(frames, name, k);
          expect(distance(stored[name][k]!, pool(sampled.map(vectorOf)))).toBeLessThan(1e-4);
        }
      }
    },
  );
});

describe('shallow', () => {
  it('needs no network', { tags: 'slow' }, async () => {
    const { outcome } = await run({ features: 'shallow', out: at('shallow'), cache: at('shallow-cache') });
    expect(outcome.document.model).toEqual({
      ...{ name: 'shallow', sha256: null, dim: 2740, layer: null },
      version: expect.any(String),
    });
    for (const vector of (await storedVectors(at('shallow-cache')))['one.mp4']) {
      expect(Math.hypot(...vector)).toBeGreaterThan(0.5);
    }
  });
});

describe('results of one network', () => {
  it('are not taken for those of another, and are found again', { tags: 'slow' }, async () => {
    const cache = at('shared-cache');
    const other = smallC3d({}, 4);
    const second = await models.write('other', other.onnx, other.sidecar);
    const variants: OptionsInput[] = [
      { features: 'c3d', model: c3d },
      { features: 'c3d', model: second },
      { features: 'c3d', model: c3d, layer: 'fc6.linear' },
      { features: 'shallow' },
    ];
    for (const [k, options] of variants.entries()) {
      const { events } = await run({ ...options, cache, out: at(`variant-${k}`) });
      expect(cached(events), JSON.stringify(options)).toEqual([false, false]);
    }
    expect(await analysisKeys(cache)).toHaveLength(2 * variants.length);
    const { events } = await run({ ...variants[0]!, cache, out: at('variant-0') });
    expect(cached(events)).toEqual([true, true]);
  });
});

describe('a network that cannot be used', () => {
  it('ends the run with a sentence before a video is read', async () => {
    await models.write('vgg16', transformer());
    await expect(run({ features: 'vgg', out: at('none') })).rejects.toMatchObject({
      name: 'UsageError',
      code: 'no-model',
      message: expect.stringContaining('convert a published file with a tool of the source repository'),
    });
    await expect(run({ features: 'onnx', out: at('none') })).rejects.toMatchObject({ code: 'no-model' });
    await expect(run({ features: 'onnx', model: 'nowhere.onnx', out: at('none') })).rejects.toThrow('nowhere.onnx');
    await expect(run({ mean: '0.5', out: at('none') })).rejects.toMatchObject({ code: 'bad-option' });
    await expect(run({ features: 'c3d', layer: 'fc9', out: at('none') })).rejects.toMatchObject({ code: 'bad-layer' });
  });

  it('that gives no numbers ends it too: it is not the videos’ fault', async () => {
    const graph = onnxGraph('endless');
    const zero = graph.constant('zero', [], Float32Array.of(0));
    const mean = graph.node('GlobalAveragePool', [graph.input('in', ['n', 3, 8, 8])], 'mean');
    graph.node('Div', [graph.node('Flatten', [mean], 'flat'), zero], 'out');
    graph.output('out', ['n', 3]);
    const model = await models.write('endless', graph.build());
    const failing = run({ features: 'onnx', model, out: at('endless'), cache: at('endless-cache') });
    await expect(failing).rejects.toMatchObject({ code: 'bad-model', message: expect.stringContaining('finite') });
  });

  it.runIf(process.platform === 'linux').each(['cuda', 'dml'] as const)(
    'on %s, which is not there, ends it too',
    { tags: 'slow' },
    async (device) => {
      const failing = run({ features: 'c3d', device, out: at('device'), cache: at('device-cache') });
      await expect(failing).rejects.toMatchObject({ code: 'no-device' });
    },
  );
});

/** Processes started here that have not ended. */
function aliveProcesses(): unknown[] {
  const handles = (process as unknown as { _getActiveHandles(): unknown[] })._getActiveHandles();
  return handles.filter((handle) => handle instanceof ChildProcess && handle.exitCode === null && handle.signalCode === null); // prettier-ignore
}

describe('a run that is stopped', () => {
  it('among clips ends at once, leaves no process, and the next one goes on', { tags: 'slow' }, async () => {
    const stop = new AbortController();
    const stopped = run(
      { features: 'c3d', out: at('stopped'), cache: at('stopped-cache'), jobs: 1 },
      {
        signal: stop.signal,
        onEvent: (event) => {
          if (event.type !== 'progress' || event.stage !== 'analyse') return;
          // Past one half of a video its second reading is under way, the one for clips; a quick machine may not tell of it.
          if ((event.ofItem ?? 0) >= 0.499 || event.fraction > 0.4) stop.abort();
        },
      },
    );
    await expect(stopped).rejects.toMatchObject({ code: 'cancelled' });
    expect(aliveProcesses()).toEqual([]);
    expect((await analysisKeys(at('stopped-cache'))).length).toBeLessThan(2);
    await run({ features: 'c3d', out: at('stopped'), cache: at('stopped-cache') });
    expect(await storedVectors(at('stopped-cache'))).toEqual(await storedVectors(at('c3d-cache')));
  });

  it.each(['default', 'shallow', 'vgg', 'onnx'] as const)(
    'among pictures does so too: %s',
    { tags: 'slow' },
    async (features) => {
      const file = { vgg: 'small-vgg.onnx', onnx: 'transformer.onnx' };
      const model = features in file && { model: join(models.path, file[features as keyof typeof file]) };
      const stop = new AbortController();
      const stopped = run(
        { features, ...model, out: at('halted'), cache: at('halted-cache') },
        { signal: stop.signal, onEvent: (event) => event.type === 'progress' && stop.abort() },
      );
      await expect(stopped).rejects.toMatchObject({ code: 'cancelled' });
      expect(aliveProcesses()).toEqual([]);
      expect(await analysisKeys(at('halted-cache'))).toEqual([]);
    },
  );
});
