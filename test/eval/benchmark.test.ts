// @module-tag slow
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { benchmark, type Benchmark, type BenchmarkRequest, type RunEvent } from 'throughline-video';
import type { DemoTopic } from '../../src/demo/index.js';
import { encodeNpy } from '../../src/features/npy.case.js';
import { FETCHED_NAMES } from '../../src/features/index.js';
import { openTestFolder, smallC3d, transformer } from '../../src/features/small-networks.case.js';
import { benchmarkDocument, FLOORS, rescore } from '../../src/eval/index.js';
import { METHOD_NAMES } from '../../src/select/index.js';
import { locateFfmpeg } from '../../src/media/index.js';
import { drawTopic } from '../fixtures/drawn-topic.js';
import { makeBroken, makeVideo } from '../fixtures/make.js';

/*
 * A labelled set in the official layout of TVSum, drawn here: the demo's videos, judged by people who like the scenes the
 * videos share. Piece k of a video is two seconds long, as in the real set.
 */
const PEOPLE = 3;
let home: string;
let request: BenchmarkRequest;
let first: Awaited<ReturnType<typeof benchmark>>;

const at = (...parts: string[]): string => join(home, ...parts);

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-bench-'));
  // Networks someone has added must not matter here.
  process.env['THROUGHLINE_MODELS'] = at('models');
  const ffmpeg = (await locateFfmpeg()).path;
  const topic = await drawTopic({ folder: at('data', 'videos'), ffmpeg, scale: 0.2, videoCount: 4 });
  await writeLabels(topic);
  request = { kind: 'methods', dataset: 'tvsum', data: at('data'), videos: at('data', 'videos'), draws: 50 };
  first = await benchmark(request, { out: at('first'), cache: at('cache') });
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** `ydata-tvsum50-anno.tsv` and `-info.tsv`: frames of shared scenes get 5 or 4, private ones 2 or 1. */
async function writeLabels(topic: DemoTopic): Promise<void> {
  const lines: string[] = [];
  const facts = ['category\tvideo_id\ttitle\turl\tlength'];
  for (const [place, { file, scenes, frameCount: frames, frameRate }] of topic.videos.entries()) {
    const id = file.replace('.mp4', '');
    const rate = frameRate.num / frameRate.den;
    const code = place < 2 ? 'VT' : 'GA';
    facts.push(`${code}\t${id}\tdrawn\t-\t0:${String(Math.round(frames / rate)).padStart(2, '0')}`);
    for (let person = 0; person < PEOPLE; person++) {
      const scores = Array.from({ length: frames }, (_, frame) => {
        const piece = Math.max(0, Math.ceil((frame + 1) / (2 * rate) - 1));
        const middle = Math.min(frames - 1, Math.round((piece + 0.5) * 2 * rate));
        const isShared = scenes.find(({ endFrame }) => middle < endFrame)!.kind === 'shared';
        // People differ in every third piece, so that they do not agree wholly.
        return (isShared ? 4 : 1) + ((piece + person) % 3 === 0 ? 1 : 0);
      });
      lines.push(`${id}\t${code}\t${scores.join(',')}`);
    }
  }
  await mkdir(at('data'), { recursive: true });
  await writeFile(at('data', 'ydata-tvsum50-anno.tsv'), `${lines.join('\n')}\n`);
  await writeFile(at('data', 'ydata-tvsum50-info.tsv'), `${facts.join('\n')}\n`);
}

describe('a benchmark', () => {
  it('has people, floors and every method, each for every video', () => {
    const { scoreboard } = first.benchmark;
    const methods = METHOD_NAMES.filter((name) => !(name in FLOORS));
    expect(scoreboard.rows.map(({ name }) => name)).toEqual([
      ...['humanWorst', 'humanMean', 'humanBest'],
      ...['random', 'uniform', 'middle', 'run', 'first'],
      ...methods,
    ]);
    expect(scoreboard.videos.map(({ topic, judgeCount }) => [topic, judgeCount])).toEqual([
      ...[['VT', PEOPLE], ['VT', PEOPLE], ['GA', PEOPLE], ['GA', PEOPLE]], // prettier-ignore
    ]);
    for (const { scores } of scoreboard.rows) {
      for (const { perVideo, overall } of [scores.ap5, scores.ap15, scores.highlightTop5]) {
        expect(perVideo.every((value) => value !== null && value >= 0 && value <= 1)).toBe(true);
        expect(overall).not.toBeNull();
      }
    }
  });

  it('finds people who agree above chance', () => {
    const overall = (name: string): number =>
      first.benchmark.scoreboard.rows.find((row) => row.name === name)!.scores.ap5.overall!;
    expect(overall('humanMean')).toBeGreaterThan(overall('random'));
  });

  it('is written as its published schema says', async () => {
    const written: unknown = JSON.parse(await readFile(at('first', 'benchmark.json'), 'utf8'));
    expect(benchmarkDocument.parse(written)).toEqual(written);
  });

  it('gives the same bytes again, with another number of workers and nothing kept', async () => {
    const again = await benchmark(request, { out: at('again'), cache: at('other'), jobs: 1 });
    for (const name of ['benchmark.json', 'report.html']) {
      expect(await readFile(at('again', name))).toEqual(await readFile(at('first', name)));
    }
    expect(again.benchmark.inputs.every(({ sha256 }) => /^[0-9a-f]{64}$/.test(sha256))).toBe(true);
  });

  it('holds every ranking of every video, from which its scores can be computed again', async () => {
    const { rankings, rows, scoreboard } = first.benchmark;
    expect(rankings.map(({ video }) => video)).toEqual(scoreboard.videos.map(({ id }) => id));
    for (const { video, starts, rows: ranked } of rankings) {
      expect(Object.keys(ranked)).toEqual(rows.map(({ name }) => name));
      for (const [name, list] of Object.entries(ranked)) {
        expect(list, name).toHaveLength(['kmeans', 'spectral', 'cocluster'].includes(name) ? 5 : 1);
        for (const { order, scores } of list) {
          expect(order.toSorted((a, b) => a - b)).toEqual([...starts.keys()]);
          expect(scores, `${name} of ${video}`).toHaveLength(starts.length);
        }
      }
    }
    const again = await rescore(at('first', 'benchmark.json'), at('data'));
    expect(again.scoreboard).toEqual(scoreboard);
    const earlier = await rescore(at('first', 'benchmark.json'), at('data'), 'earlier');
    expect(earlier.scoreboard.settings.ties).toBe('earlier');
    expect(earlier.scoreboard.rows).not.toEqual(scoreboard.rows);
  });

  it('refuses to score a record again that is none, or with other labels', async () => {
    await writeFile(at('none.json'), '{"schema": "benchmark.1"}');
    await expect(rescore(at('none.json'), at('data'))).rejects.toMatchObject({ code: 'bad-record' });
    const record = JSON.parse(await readFile(at('first', 'benchmark.json'), 'utf8')) as Benchmark;
    const longer = record.rankings.map((each) => ({ ...each, endFrame: 2 * each.endFrame }));
    await writeFile(at('longer.json'), JSON.stringify({ ...record, rankings: longer }));
    await expect(rescore(at('longer.json'), at('data'))).rejects.toMatchObject({ code: 'other-length' });
    const renamed = record.rankings.map((each) => ({ ...each, video: `${each.video}-2` }));
    await writeFile(at('renamed.json'), JSON.stringify({ ...record, rankings: renamed }));
    await expect(rescore(at('renamed.json'), at('data'))).rejects.toMatchObject({ code: 'other-shots' });
  });

  it('chooses settings for each topic on the others, each candidate with its own options', async () => {
    const candidate = (normalise: 'root' | 'length', sparsity: number) => ({
      name: `${normalise} ${sparsity}`,
      choice: { method: 'cvs', knobs: { sparsity } } as const,
      options: { normalise },
    });
    const list = [candidate('root', 0.3), candidate('root', 0.6), candidate('length', 0.3)];
    const networks = ['shallow', 'resnet-50'] as const;
    const others = networks.map((features) => ({ ...candidate('root', 0.3), name: features, options: { features } }));
    const nested = { nested: [...list, ...others] };
    const { benchmark: record } = await benchmark(
      { ...request, methods: ['cvs'], nested },
      { out: at('nested'), cache: at('cache') },
    );
    expect(record.scoreboard.settings.subject).toBe('nested');
    const { chosen, candidates } = record.nested!.rows[0]!;
    expect(chosen.map(({ topic }) => topic)).toEqual(['VT', 'GA']);
    // resnet-50 is not installed here. Shallow features have no background of their own.
    expect(candidates.map(({ name }) => name)).toEqual([...list.map(({ name }) => name), 'shallow']);
    expect(record.notes.filter((note) => /^Left out: resnet-50. Expected the network/.test(note))).toHaveLength(1);
    const instead = /^Without --background for the features "shallow", each topic is compared with 20 shots/;
    expect(record.notes.filter((note) => instead.test(note))).toHaveLength(1);
    // With two topics, the best candidate of one is the choice for the other.
    chosen.forEach(({ candidate: name }, left) => {
      const best = candidates.reduce((one, other) => (other.onOthers[left]! > one.onOthers[left]! ? other : one));
      expect(name).toBe(best.name);
    });
    const { spearman } = record.scoreboard.rows.find(({ name }) => name === 'nested')!.scores;
    chosen.forEach(({ candidate: name }, topic) => {
      const taken = candidates.find((each) => each.name === name)!;
      expect(spearman.perTopic[topic]).toBeCloseTo(taken.perTopic.spearman[topic]!, 12);
    });
    expect(candidates[0]!.perTopic).not.toEqual(candidates[2]!.perTopic);
    expect(await readFile(at('nested', 'report.html'), 'utf8')).toContain('nested on VT: ');
    const written: unknown = JSON.parse(await readFile(at('nested', 'benchmark.json'), 'utf8'));
    expect(benchmarkDocument.parse(written)).toEqual(written);
    await expect(
      benchmark({ ...request, nested, topics: ['GA'] }, { out: at('none'), cache: at('cache') }),
    ).rejects.toMatchObject({ code: 'one-topic' });
  });

  it('scores people and floors alone where there are no videos', async () => {
    const { benchmark: record } = await benchmark(
      { ...request, videos: undefined },
      { out: at('people'), cache: at('cache') },
    );
    expect(record.scoreboard.rows.map(({ kind }) => kind)).toEqual([
      ...['human', 'human', 'human'],
      ...['floor', 'floor', 'floor', 'floor', 'floor'],
    ]);
    expect(record.notes.join()).toContain('only people and floors');
  });

  it('keeps to the methods and topics asked for, and refuses a topic that is not there', async () => {
    const { benchmark: record } = await benchmark(
      { ...request, methods: ['cvs', 'uniform'], topics: ['GA'] },
      { out: at('some'), cache: at('cache') },
    );
    expect(record.scoreboard.topics).toEqual(['GA']);
    // A floor is in every table, and not twice.
    expect(record.rows.map(({ name }) => name)).toEqual(['cvs']);
    await expect(
      benchmark({ ...request, topics: ['XX'] }, { out: at('none'), cache: at('cache') }),
    ).rejects.toMatchObject({ code: 'no-topic' });
  });

  it('shows cvs with the other videos and without, and compares it with itself', async () => {
    const { benchmark: record } = await benchmark(
      { ...request, kind: 'ablation' },
      { out: at('ablation'), cache: at('cache') },
    );
    expect(record.rows.map(({ name }) => name)).toEqual(['cvs', 'cvs-neighborhood', 'cvs-diversity']);
    expect(record.examples.map(({ topic }) => topic)).toEqual(['VT', 'GA']);
    expect(await readFile(at('ablation', 'report.html'), 'utf8')).toContain('data:image/jpeg;base64,');
  });

  it('compares kinds of features with cvs, each described by its own extractor', async () => {
    const { benchmark: record } = await benchmark(
      { ...request, kind: 'features', features: ['default', 'shallow'] },
      { out: at('features'), cache: at('cache') },
    );
    expect(record.rows.map(({ name, choice, features }) => [name, choice.method, features.name, features.dim])).toEqual(
      [
        ['default', 'cvs', 'efficientnet-lite0', 1280],
        ['shallow', 'cvs', 'shallow', 2740],
      ],
    );
    expect(record.scoreboard.settings.subject).toBe('default');
    const [own, other] = record.scoreboard.rows.filter(({ kind }) => kind === 'method');
    expect(own!.scores.ap5.subjectLead).toBeNull();
    expect(other!.scores.ap5.subjectLead).not.toBeNull();
    await expect(
      benchmark({ ...request, kind: 'features', features: ['c3d'] }, { out: at('none'), cache: at('cache') }),
    ).rejects.toMatchObject({ code: 'no-model' });
  });

  it('records the files behind every row, vectors made elsewhere and videos alike', async () => {
    const vectors = at('vectors');
    await mkdir(vectors, { recursive: true });
    const { videos } = first.benchmark.scoreboard;
    for (const { id, shotCount } of videos) {
      await writeFile(join(vectors, `${id}.npy`), encodeNpy(Array.from({ length: shotCount }, (_, shot) => [shot, 1])));
    }
    const { benchmark: record } = await benchmark(
      { ...request, kind: 'features', features: ['default'], vectors },
      { out: at('both'), cache: at('cache') },
    );
    expect(record.rows.map(({ name }) => name)).toEqual(['given', 'default']);
    const ids = videos.map(({ id }) => id);
    expect(record.inputs.map(({ video }) => video)).toEqual([...ids.map((id) => `${id}.npy`), ...ids]);
  });

  it('compares networks given by file, each with its own options, and names the kinds that are not there', async () => {
    const models = await openTestFolder();
    const c3d = await models.write('given-c3d', smallC3d().onnx, smallC3d().sidecar);
    const model = await models.write('own', transformer());
    const ask = { ...request, kind: 'features', topics: ['GA'], weights: { c3d } } as const;
    const options = { model, input: '32x24', mean: '0.5,0.4,0.3', cache: at('cache') };
    const { benchmark: record } = await benchmark(ask, { ...options, out: at('files') });
    expect(record.rows.map(({ name, features }) => [name, features.name, features.dim])).toEqual([
      ['default', 'efficientnet-lite0', 1280],
      ['shallow', 'shallow', 2740],
      ['c3d', 'c3d', 9],
      ['onnx', 'own', 6],
    ]);
    const left = record.notes.filter((note) => note.startsWith('Left out: '));
    expect(left.map((note) => /^Left out: (\S+)\. Expected the network/.exec(note)?.[1])).toEqual([
      'vgg',
      ...FETCHED_NAMES,
    ]);
    expect(left[0]).toContain('or name an ONNX file with --vgg.');
    await expect(
      benchmark({ ...ask, features: ['default'] }, { out: at('none'), cache: at('cache') }),
    ).rejects.toMatchObject({ code: 'bad-option', message: expect.stringMatching(/found ".*" for c3d\./) });
    await models.close();
  });

  it('says so where no video has an id of the set', async () => {
    await mkdir(at('no-videos'), { recursive: true });
    await expect(
      benchmark({ ...request, videos: at('no-videos') }, { out: at('none'), cache: at('cache') }),
    ).rejects.toMatchObject({ code: 'no-videos', message: expect.stringContaining('aiko.mp4') });
  });

  it('says so where all videos have another length than their labels', async () => {
    await mkdir(at('other-videos'), { recursive: true });
    await makeVideo((await locateFfmpeg()).path, at('other-videos', 'aiko.mp4'));
    const events: RunEvent[] = [];
    const run = benchmark(
      { ...request, videos: at('other-videos') },
      { out: at('other'), cache: at('cache') },
      { onEvent: (event) => events.push(event) },
    );
    await expect(run).rejects.toMatchObject({ code: 'nothing-done' });
    expect(events).toContainEqual(expect.objectContaining({ type: 'skipped', code: 'other-length' }));
  });

  it('names a video that is no video, and goes on with the others', async () => {
    await mkdir(at('some-videos'), { recursive: true });
    const broken = await makeBroken('text', { folder: at('some-videos'), ffmpeg: (await locateFfmpeg()).path });
    const good = first.benchmark.scoreboard.videos.map(({ id }) => id);
    for (const id of good.slice(0, 3)) {
      await writeFile(at('some-videos', `${id}.mp4`), await readFile(at('data', 'videos', `${id}.mp4`)));
    }
    await writeFile(at('some-videos', `${good[3]!}.mp4`), await readFile(broken));
    const events: RunEvent[] = [];
    const { benchmark: record } = await benchmark(
      { ...request, videos: at('some-videos'), methods: ['cvs'] },
      { out: at('partly'), cache: at('cache') },
      { onEvent: (event) => events.push(event) },
    );
    expect(record.skipped.map(({ path }) => path)).toEqual([good[3]]);
    expect(record.scoreboard.videos).toHaveLength(3);
    expect(events.some(({ type }) => type === 'skipped')).toBe(true);
  });
});
