import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { matrixOf, ThroughlineError, UsageError } from '../../src/base/index.js';
import { readConfig } from '../../src/cli/run-options.js';
import { decodeMat5 } from '../../src/eval/datasets/mat5.js';
import { encodeMat5 } from '../../src/eval/datasets/mat5.case.js';
import { readOwnResult, readReferences } from '../../src/eval/index.js';
import { importTimeline, timelineFormats, timelineOfTopic } from '../../src/timeline/index.js';
import { mixedTopic } from '../../src/timeline/timeline.case.js';
import { encodeNpy } from '../../src/features/npy.case.js';
import { decodeNpy } from '../../src/features/index.js';
import { describeOnnx } from '../../src/features/onnx-file.js';
import { convertTflite } from '../../tools/tflite-to-onnx.js';
import { TINY, writeTflite } from '../../tools/tiny-network.case.js';
import { importWeights } from '../../tools/weights.js';
import { caffeModel, legacyTorch, zippedTorch } from '../../tools/weights-files.case.js';
import { parseProject, serialiseProject } from '../../src/pipeline/index.js';
import { readShotList } from '../../src/shots/index.js';
import { parseBudget, parseSummary, parseTopics, serialiseSummary, parseWish } from '../../src/summary/index.js';
import { cvs } from '../../src/select/index.js';
import { decodeMoment, encodeMoment, momentOf, problemOf, type Moment } from '../../src/topic/index.js';
import { tryDamaged } from '../fixtures/damage.js';

/** Damaged copies tried of each kind of file. */
const COPIES = Number(process.env['FUZZ_COPIES'] ?? 400);
const SEED = Number(process.env['FC_SEED'] ?? 2017);

const refuse = (expected: string, found: string): UsageError =>
  new UsageError('bad-file', `Expected ${expected}, found ${found}.`);
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

const topic = mixedTopic();
const weights = { 'conv1.weight': { shape: [2, 3], values: Float32Array.from([1, 2, 3, 4, 5, 6]) } };
const timeline = timelineOfTopic(topic);
const written = (name: 'edl' | 'otio' | 'json'): Buffer => Buffer.from(timelineFormats[name].write(timeline).text);
const hash = 'a'.repeat(64);

const moment = encodeMoment(momentOf(matrixOf([[1, 0, 0.5], [0, 1, 0.25]]))); // prettier-ignore
const sealed = (body: Uint8Array): Buffer => Buffer.concat([body, createHash('sha256').update(body).digest()]);

/** Whatever context is taken for one gives a certificate that is true, or says that it shows nothing. */
function certifiedWith(context: Moment): unknown {
  const { certificate } = cvs().select(problemOf(matrixOf([[1, 0, 0], [0, 0.5, 1]]), context)); // prettier-ignore
  if (certificate.converged) expect(certificate.gap ?? 0).toBeGreaterThanOrEqual(0);
  return certificate;
}

/** A whole file of each kind, and what reads it. */
const readers: Record<string, readonly [Uint8Array, (bytes: Uint8Array) => unknown]> = {
  'summary.json': [Buffer.from(serialiseSummary(topic)), (bytes) => parseSummary(text(bytes))],
  'topic.json': [
    Buffer.from(serialiseProject({ schema: 'topic.1', name: 'town', options: { length: '20%' }, videos: [{ path: 'a.mp4', sha256: hash, bytes: 5 }] })), // prettier-ignore
    (bytes) => parseProject(text(bytes), 'topic.json'),
  ],
  'topics.json': [
    json({ schema: 'topics.1', throughline: '0.1.0', folder: 'f', groups: null, model: { name: 'm' }, concordance: 0.9, topics: [{ name: 't', centre: 'a', inside: 0.5, outside: null, videos: [{ id: 'a', path: 'a.mp4', sha256: hash }] }], alone: [], skipped: [], notes: [] }), // prettier-ignore
    (bytes) => parseTopics(text(bytes)),
  ],
  'a shot list, CSV': [
    Buffer.from('file,start_frame,end_frame\na.mp4,0,50\na.mp4,50,90\n"b, c.mp4",0,20\n'),
    (bytes) => readShotList(text(bytes), 'shots.csv'),
  ],
  'a shot list, times': [
    Buffer.from('start_seconds;end_seconds\n0:00:00.000;0:00:02.5\n2.5;9\n'),
    (bytes) => readShotList(text(bytes), 'shots.csv'),
  ],
  'a shot list, JSON': [
    json({ shots: [{ start_frame: 0, end_frame: 40 }, { start_frame: 40, end_frame: 90 }] }), // prettier-ignore
    (bytes) => readShotList(text(bytes), 'shots.json'),
  ],
  'an EDL': [written('edl'), (bytes) => importTimeline(text(bytes), topic, { file: 'cut.edl' })],
  'an OTIO timeline': [written('otio'), (bytes) => importTimeline(text(bytes), topic, { file: 'cut.otio' })],
  'a timeline.1': [written('json'), (bytes) => importTimeline(text(bytes), topic, { file: 'cut.json' })],
  'a moment': [moment, (bytes) => decodeMoment(bytes)],
  // The checksum guards against accidents, not against whoever writes a checksum: what is in the file is tried too.
  'a moment, sealed anew': [moment.subarray(0, -32), (bytes) => certifiedWith(decodeMoment(sealed(bytes)))],
  '.npy': [encodeNpy([[1, 2, 3], [4, 5, 6]]), (bytes) => decodeNpy(bytes, refuse)], // prettier-ignore
  '.mat': [
    encodeMat5({ a: { dims: [2, 2], values: [1, 2, 3, 4] }, b: { cells: [{ text: 'x' }, { dims: [1, 1], values: [9], as: 'uint8' }] } }), // prettier-ignore
    (bytes) => decodeMat5(bytes, refuse),
  ],
  '.mat, compressed': [
    encodeMat5({ a: { dims: [2, 2], values: [1, 2, 3, 4] } }, { compressed: true, bigEndian: true }),
    (bytes) => decodeMat5(bytes, refuse),
  ],
  TFLite: [writeTflite(TINY), (bytes) => convertTflite(bytes)],
  ONNX: [convertTflite(writeTflite(TINY)).onnx, (bytes) => describeOnnx(bytes)],
  'PyTorch weights': [zippedTorch(weights), (bytes) => importWeights(bytes, { network: 'c3d' } as never)],
  'old PyTorch weights': [legacyTorch(weights), (bytes) => importWeights(bytes, { network: 'c3d' } as never)],
  'Caffe weights': [
    caffeModel(
      { 'conv1.weight': weights['conv1.weight'], 'conv1.bias': { shape: [2], values: Float32Array.from([1, 2]) } },
      'new',
    ),
    (bytes) => importWeights(bytes, { network: 'vgg16' } as never),
  ],
  'a length': [Buffer.from('20%'), (bytes) => parseBudget(text(bytes))],
  'a wish': [Buffer.from('paris.mp4@0:03-0:06.5'), (bytes) => parseWish(text(bytes))],
};

describe('a damaged file is read, or refused with a sentence', () => {
  it.each(Object.entries(readers))('%s', async (name, [whole, read]) => {
    // Of weights only the reading is tried: no file this small has all layers of a network.
    if (!name.endsWith('weights')) expect(await read(whole)).not.toBeNull();
    const outcomes = await tryDamaged(whole, { copies: COPIES, seed: SEED }, read);
    expect(outcomes.refused).toBeGreaterThan(0);
  });
});

describe('of files that are read from disk', () => {
  let home: string;
  beforeAll(async () => void (home = await mkdtemp(join(tmpdir(), 'throughline-parsers-'))));
  afterAll(() => rm(home, { recursive: true, force: true }));

  it.each([
    ['a configuration', json({ length: '20%', method: 'cvs', seed: 3, pin: ['a.mp4#2'] }), readConfig],
    ['references', json([[0, 4], [1, 9]]), readReferences], // prettier-ignore
    ['a result of one’s own', json({ order: [3, 1, 2], chosen: [3], lengths: [1, 2, 3, 4] }), (path: string) => readOwnResult(path)], // prettier-ignore
  ] as const)('%s', async (_, whole, read) => {
    const path = join(home, 'file.json');
    await tryDamaged(whole, { copies: COPIES / 2, seed: SEED + 1 }, async (file) => {
      await writeFile(path, file);
      return (await read(path)) ?? true;
    });
  });
});

describe('long or deep values take no longer to refuse than to read', () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const list =
    (entry: string): (() => unknown) =>
    () =>
      readShotList(`[${entry}]`, 'shots.json');
  it.each([
    ['quotes inside a cell', () => readShotList(`start_frame,end_frame\n${'"a"a'.repeat(200_000)},1\n`, 'shots.csv')],
    ['an entry that is an array', list(deep)],
    ['a frame that is an array', list(`{"start_frame":${deep}}`)],
    ['a frame that cannot be written', list('{"start_frame":{"toString":1},"end_frame":4}')],
    [
      'a time of a million digits',
      () => readShotList(`start_seconds,end_seconds\n${'9'.repeat(1e6)},1\n`, 'shots.csv'),
    ],
    ['a schema that is an array', () => parseSummary(`{"schema":${deep}}`)],
  ])('%s', (_, read) => {
    expect(read).toThrow(ThroughlineError);
    expect(() => read()).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^[^]{1,1000}$/) as string }),
    );
  });
});
