import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';

import { inMemory, matrixOf, random } from '../../src/base/index.js';
import { encodeBackground } from '../../src/pipeline/index.js';
import { momentOfTopic, problemsOfTopic, relateVideos, type Votes } from '../../src/topic/index.js';
import { renderReport } from '../../src/render/index.js';
import { sourceOf } from '../../src/features/index.js';
import { optionsSchema } from '../../src/options/index.js';
import type { Run } from '../../src/pipeline/run.js';
import { cvs } from '../../src/select/index.js';
import type { AnalysedVideo } from '../../src/pipeline/analyse-videos.js';
import { weigher } from '../../src/pipeline/evidence.js';
import { wishesOf } from '../../src/pipeline/admit.js';
import { COMPARED_VIDEOS, POOLED_SHOTS, SHOWN_VIDEOS } from '../../src/pipeline/limits.js';
import { poolShots } from '../../src/pipeline/pool-shots.js';
import { publishEach, recordOf } from '../../src/pipeline/publish.js';
import { buildProblems, rankShotsOfTopic, rankVideo, weighingOf } from '../../src/pipeline/rank.js';
import type { RenderedVideo } from '../../src/pipeline/render.js';
import { isCompared, relateTopic } from '../../src/pipeline/relate.js';
import { pictureVectors } from '../../src/pipeline/shot-vectors.js';
import { frameMeter, readMeasures } from '../../src/shots/index.js';
import { localWorkspace, openCache } from '../../src/storage/index.js';
import { serialiseSummary } from '../../src/summary/index.js';

const SHOTS = 6;
const DIM = 8;

function runOf(options: object = {}, workspace = null as unknown as Run['workspace']): Run {
  return {
    ...{ options: optionsSchema.parse(options), jobs: 1, out: '', emit: () => undefined, signal: undefined, workspace },
    ...{ skipped: [], notes: [], budget: { kind: 'share', share: 0.5 }, conceptBudget: { kind: 'shots', shots: 3 } },
  };
}

/** Measures of 240 frames with nothing wrong, a sharp pattern that changes slowly, repeated. */
const measured = (() => {
  const meter = frameMeter({ widthPx: 64, heightPx: 36 });
  const pattern = (frame: number): Uint8Array =>
    Uint8Array.from({ length: 3 * 64 * 36 }, (_, i) => 40 + ((i * 37 + (i >> 6) * 11 + frame) % 170));
  for (let frame = 0; frame < 240; frame++) meter.push(pattern(frame));
  return meter.end();
})();
function goodMeasures(frames: number) {
  const fields = measured.length / 240;
  const bytes = new Uint8Array(fields * frames).map(
    (_, at) => measured[Math.floor(at / frames) * 240 + ((at % frames) % 240)]!,
  );
  return readMeasures(bytes, [], frames);
}

/** A video that was never filmed: its vectors are drawn. */
function drawn(place: number, { count = SHOTS, dim = DIM, value = Math.abs } = {}): AnalysedVideo {
  const { normal } = random(place + 1);
  const base = { num: 1, den: 25 };
  const shots = Array.from({ length: count }, (_, index) => ({
    index,
    ...{ take: 0, view: index },
    ...{ startFrame: index * 40, endFrame: index * 40 + 40 },
    range: { start: index * 40, end: index * 40 + 40, base },
  }));
  const data = Float32Array.from({ length: count * dim }, () => value(normal()));
  const analysis = {
    stream: { packets: 0 },
    takes: [{ index: 0, startFrame: 0, endFrame: count * 40, range: { start: 0, end: count * 40, base } }],
    ...{ shots, frameCount: count * 40, timeBase: base, frameRate: null, start: 0, end: count * 40 },
    ...{ features: sourceOf({ shotCount: count, dim, data }), warning: null, isDamaged: false, readWhole: null },
    picture: async () => Buffer.alloc(0),
    frameTicks: async () => Float64Array.from({ length: count * 40 }, (_, frame) => frame),
    sound: async () => null,
    measures: async () => goodMeasures(count * 40),
  };
  const name = `${place}.mp4`;
  const info = { widthPx: 1280, heightPx: 720, sampleAspect: { num: 1, den: 1 } };
  const extractor = { name: 'drawn', version: '1', dim, sha256: null, layer: null };
  return { id: String(place), name, path: name, info, analysis, extractor, blocks: [] } as unknown as AnalysedVideo;
}

describe('a topic of more videos than are compared with each other', () => {
  const videos = Array.from({ length: COMPARED_VIDEOS + 1 }, (_, place) => drawn(place));

  it(
    'is ranked all the same, each video by itself and the topic’s moment alone, and says what was not done',
    { tags: 'slow' },
    async () => {
      const run = runOf();
      const related = await relateTopic(videos, run);
      expect(related.votes).toEqual({ common: videos.map(() => 1) });
      const posed = buildProblems(related, run);
      const ranked = await rankShotsOfTopic(related, run, undefined, posed);
      expect(run.notes.map((note) => note.split(':')[0])).toEqual([
        `The topic has ${videos.length} videos, more than the ${COMPARED_VIDEOS} that are compared with each other`,
        'There is no background of unrelated footage for the features "drawn"',
        `The topic has ${videos.length} videos, more than the ${COMPARED_VIDEOS} up to which the supporters of a shot are worked out`,
      ]);
      expect(ranked.every(({ shots }) => shots.every(({ support }) => support.length === 0))).toBe(true);

      const features = await posed.vectors.features();
      const moment = momentOfTopic(features, related.votes);
      for (const place of [0, 63, 64, 500, COMPARED_VIDEOS]) {
        const asked = new Set<number>();
        const featuresOf = async (at: number) => (asked.add(at), features[at]!);
        const looks = (await posed.vectors.of(place)).looks;
        const weigh = () => weigher(videos[place]!, looks, run.options, new Set());
        const topic = { moment, votes: { count: videos.length }, featuresOf, idOf: (at: number) => String(at), weigh };
        const wishes = await wishesOf(videos[place]!, { pin: [], veto: [], sequence: [], topicSequence: [] });
        const { ranking, supportersOf } = await rankVideo(place, topic, wishes, run);
        expect(await supportersOf([0, 5])).toEqual([
          { shot: 0, by: [] },
          { shot: 5, by: [] },
        ]);
        expect([...asked]).toEqual([place]);
        expect([...ranking.scores]).toEqual(ranked[place]!.shots.map(({ score }) => score));
      }
      expect(run.notes).toHaveLength(3);

      // Half of six shots each: more than can be solved as one video.
      const { pool } = poolShots(ranked, { kind: 'shots', shots: 3 }, run);
      expect(pool).toHaveLength(POOLED_SHOTS);
      expect(run.notes.at(-1)).toContain(`chosen from ${POOLED_SHOTS} of them`);
      const sources = pool.map(({ source }) => source);
      expect(sources).toEqual(sources.toSorted((a, b) => a - b));
      // The best of every summary comes before the second best of any.
      const turns = pool.map(({ source, shot }) => {
        const chosen = ranked[source]!.shots.filter((other) => other.chosen).sort((a, b) => a.rank - b.rank);
        return chosen.findIndex(({ index }) => index === shot.index);
      });
      expect(turns.filter((turn) => turn === 0)).toHaveLength(videos.length);
      expect(turns.filter((turn) => turn === 1)).toHaveLength(POOLED_SHOTS - videos.length);
      // The best of a summary is the best of its video, but where a better picture of the same view stands in for it.
      const isBest = ({ shots }: (typeof ranked)[number]): boolean => shots.some(({ rank, chosen, twin }) => rank === 0 && (chosen || twin !== undefined)); // prettier-ignore
      expect(ranked.filter((video) => !isBest(video))).toEqual([]);
    },
  );

  it('is compared up to that many', () => {
    const run = runOf();
    expect(isCompared(COMPARED_VIDEOS, run)).toBe(true);
    expect(run.notes).toEqual([]);
    expect(isCompared(COMPARED_VIDEOS + 1, run)).toBe(false);
    expect(run.notes).toHaveLength(1);
  });
});

describe('evidence', () => {
  const { normal } = random(99);
  const foreign = Array.from({ length: 40 }, () => Array.from({ length: DIM }, () => Math.abs(normal())));
  const videosOf = (count: number): AnalysedVideo[] =>
    Array.from({ length: count }, (_, place) => ({ ...drawn(place), sha256: `own ${place}` }));

  it.each([1, 2, COMPARED_VIDEOS + 1])(
    'of a topic of %i: no likeness without others, and never against its own footage',
    async (count) => {
      const folder = await mkdtemp(join(tmpdir(), 'throughline-background-'));
      const videos = videosOf(count);
      const place = count - 1;
      const { data } = await videos[place]!.analysis.features.read(0, SHOTS);
      const own = Array.from({ length: SHOTS }, (_, shot) => [...data.subarray(shot * DIM, (shot + 1) * DIM)]);
      const termsAgainst = async (name: string, rows: number[][], sources: { sha256: string; shots: number }[]) => {
        const background = join(folder, name);
        await writeFile(background, encodeBackground({ raw: matrixOf(rows), features: 'drawn 1', sources }));
        const posed = buildProblems({ videos, votes: { common: videos.map(() => 1) } }, runOf({ background }));
        const pose = await posed.problems('moment', weighingOf({ method: 'cvs' }));
        return pose(place).evidence!;
      };
      const [theirs, ours] = [
        { sha256: 'foreign', shots: foreign.length },
        { sha256: `own ${place}`, shots: SHOTS },
      ];
      const apart = await termsAgainst('apart', foreign, [theirs]);
      expect('likeness' in apart.terms).toBe(count > 1);
      expect(await termsAgainst('mixed', [...own, ...foreign], [ours, theirs])).toEqual(apart);
      expect('likeness' in (await termsAgainst('own', own, [ours])).terms).toBe(false);
      await rm(folder, { recursive: true });
    },
  );

  it('weighs likeness by the share of the other videos: against a shot at 0, as it is from ½ up', () => {
    const weights = [0, 0.25, 0.5, 1].map((shared) => weighingOf({ method: 'cvs', knobs: { shared } })!.likenessWeight);
    expect(weights[0]).toBe(-1);
    expect(weights[1]).toBeGreaterThan(-1);
    expect(weights[1]).toBeLessThan(0);
    expect(weights.slice(2)).toEqual([1, 1]);
    expect(weighingOf({ method: 'cvs-paper' })).toBeNull();
  });
});

/** Each counts once; two count half, and nothing for each other; each weighs the others in its own way. */
function votesOf(kind: 'equal' | 'doubles' | 'similar', count: number): Votes {
  const places = [...Array(count).keys()];
  const isDouble = (place: number): boolean => kind === 'doubles' && (place === 3 || place === 7);
  const common = places.map((place) => (isDouble(place) ? 0.5 : 1));
  if (kind === 'equal') return { common };
  const weightsOf = (place: number): number[] =>
    kind === 'doubles' ? common.map((weight, other) => (isDouble(other) ? 0 : weight)) : places.map((other) => ((place + other) % 5) / 4); // prettier-ignore
  return { common, special: places.map((place) => (kind === 'similar' || isDouble(place) ? weightsOf(place) : null)) };
}

describe('a topic whose vectors are too many for memory', () => {
  it(
    'is related and ranked as in memory, and its vectors are on disk until the run ends',
    { tags: 'slow' },
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'throughline-large-'));
      const workspace = localWorkspace(await openCache(folder));
      const run = { ...runOf({ blocks: 'motion', evidence: 0 }, workspace), heldNumbers: 20_000 };
      // Rows of the block have length one: either of two entries.
      const [count, dim] = [20, 30];
      const flags = (place: number): number[] =>
        Array.from({ length: 2 * count }, (_, k) => (place + k + (k >> 1)) % 2);
      const videos = Array.from({ length: 40 }, (_, place) => ({
        ...drawn(place, { count, dim, value: (x) => x }),
        blocks: [
          {
            name: 'motion' as const,
            weight: 0.2,
            rows: { shotCount: count, dim: 2, data: Float32Array.from(flags(place)) },
          },
        ],
      }));
      const related = await relateTopic(videos, run);
      const posed = buildProblems(related, run);
      const features = await posed.vectors.features();
      expect(features.every((matrix) => 'file' in matrix && matrix.cols === dim + 2)).toBe(true);
      const ranked = await rankShotsOfTopic(related, run, undefined, posed);

      const held = features.map(inMemory);
      expect(relateVideos((await pictureVectors(videos, run.options, run)).map(inMemory), null).votes).toEqual(
        related.votes,
      );
      const problems = problemsOfTopic(held, 'moment', related.votes);
      for (const place of [0, 20, 39]) {
        const { scores } = cvs().select(problems[place]!);
        expect(ranked[place]!.shots.map(({ score }) => score)).toEqual([...scores]);
        expect(ranked[place]!.shots.find(({ chosen }) => chosen)!.support.length).toBeGreaterThan(0);
      }
      expect((await posed.vectors.of(3)).looks).toMatchObject({ rows: count, cols: dim });
      expect(await readdir(folder)).toEqual([]);
      await workspace.close();
      expect(() => inMemory(features[0]!)).toThrow('was closed meanwhile');
      await rm(folder, { recursive: true });
    },
  );

  it('is tried again when its vectors could not be kept at first', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'throughline-large-'));
    const workspace = localWorkspace(await openCache(folder));
    const videos = Array.from({ length: 3 }, (_, place) => drawn(place));
    const run = { ...runOf({}, workspace), heldNumbers: 1 };
    await rm(folder, { recursive: true });
    const { vectors } = buildProblems({ videos, votes: votesOf('equal', 3) }, run);
    for (const ask of [vectors.features, () => vectors.of(0)]) {
      await expect(ask()).rejects.toMatchObject({ code: 'folder-gone', message: expect.stringContaining(folder) });
    }
    await mkdir(folder);
    const held = buildProblems({ videos: videos.map((_, place) => drawn(place)), votes: votesOf('equal', 3) }, runOf());
    expect((await vectors.features()).map(inMemory)).toEqual((await held.vectors.features()).map(inMemory));
    await workspace.close();
    await rm(folder, { recursive: true });
  });
});

describe('a topic of which few videos are held at a time', () => {
  it.each(['equal', 'doubles', 'similar'] as const)(
    'names the same supporters as one that is held whole: %s',
    async (kind) => {
      const videos = Array.from({ length: 40 }, (_, place) => drawn(place));
      const run = runOf();
      const related = { videos, votes: votesOf(kind, videos.length) };
      const posed = buildProblems(related, run);
      const ranked = await rankShotsOfTopic(related, run, undefined, posed);
      const features = await posed.vectors.features();
      let [reading, most] = [0, 0];
      const topic = {
        ...{ moment: momentOfTopic(features, related.votes), votes: related.votes },
        idOf: (at: number) => related.videos[at]!.id,
        async featuresOf(at: number) {
          most = Math.max(most, ++reading);
          // The later are read sooner.
          await sleep((40 - at) / 10);
          reading--;
          return features[at]!;
        },
      };
      for (const place of [0, 3, 7, 39]) {
        const weigh = () => weigher(related.videos[place]!, features[place]!, run.options, new Set());
        const { ranking, supportersOf } = await rankVideo(place, { ...topic, weigh }, { pinned: [], vetoed: [] }, run);
        const { shots } = ranked[place]!;
        expect([...ranking.scores]).toEqual(shots.map(({ score }) => score));
        const chosen = shots.filter((shot) => shot.chosen);
        const named = await supportersOf(chosen.map(({ index }) => index));
        expect(named).toEqual(chosen.map(({ index, support }) => ({ shot: index, by: support })));
        expect(named.some(({ by }) => by.length > 0)).toBe(true);
      }
      expect(most).toBeLessThanOrEqual(16);
    },
  );
});

describe('the record of very many videos', () => {
  /** A video that was summarised: the odd shots are chosen. */
  const summarised = (place: number): RenderedVideo => {
    const { analysis, ...video } = drawn(place);
    const shots = analysis.shots.map((shot, index) => {
      const scores = { rank: index, score: 1 / (index + 1), own: 1 / (index + 1), shared: 0 };
      return { ...shot, ...scores, evidence: null, chosen: index % 2 === 1, support: [] };
    });
    const info = { codec: 'h264', widthPx: 64, heightPx: 36, sampleAspect: { num: 1, den: 1 }, audio: [] };
    return {
      ...{ ...video, analysis, info, shots, sha256: 'ab'.repeat(32), bytes: 1000, extractor: { name: 'shallow', sha256: null } },
      clips: shots.filter(({ chosen }) => chosen).map(({ startFrame, endFrame, range }) => ({ startFrame, endFrame, range })),
      solver: { iterations: 1, converged: true, residual: 0 },
      ...{ film: null, storyboard: null, pictures: [] },
    } as unknown as RenderedVideo; // prettier-ignore
  };

  /** A run that writes nowhere; `hear` is told of every piece. */
  function runTo(hear: (path: string, part: string) => void): Run {
    const writeParts: Run['workspace']['writeParts'] = async (path, parts) => {
      for await (const part of parts) hear(path, String(part));
    };
    return {
      ...runOf({ pictures: 'none' }),
      workspace: { writeParts, readText: async () => null } as unknown as Run['workspace'],
    };
  }

  it('is written a video at a time, in the bytes of one that is written at once', async () => {
    const written: Record<string, string> = {};
    const run = runTo((path, part) => (written[path] = (written[path] ?? '') + part));
    const result = { topic: 'T', options: { b: 1, a: 2 }, concept: null };
    const videos = Array.from({ length: 30 }, (_, place) => summarised(place));
    await publishEach({ ...result, videos }, run);
    const document = recordOf({ ...result, videos }, [], run);
    expect(written['summary.json']).toBe(serialiseSummary(document));
    let page = '';
    for await (const part of renderReport(document, async () => Buffer.alloc(0))) page += part;
    expect(written['report.html']).toBe(page);
    expect(page).not.toContain('This page shows the first');
  });

  it('needs no more memory for more of them; the page shows the first, and says so', { tags: 'slow' }, async () => {
    const [COUNT, EARLY] = [20_000, 5_000];
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const heap = (): number => (collect(), process.memoryUsage().heapUsed);
    const held: number[] = [];
    const videos = function* (): Generator<RenderedVideo> {
      for (let place = 0; place < COUNT; place++) {
        if (place === EARLY || place === COUNT - 1) held.push(heap());
        yield summarised(place);
      }
    };
    let [bytes, longest, ids, page] = [0, 0, 0, ''];
    const run = runTo((path, part) => {
      if (path === 'report.html') return void (page += part);
      bytes += part.length;
      longest = Math.max(longest, part.length);
      ids += part.split('"sha256": "abab').length - 1;
    });
    const found = await publishEach({ topic: 'T', options: {}, concept: null, videos: videos() }, run);
    expect(found).toMatchObject({ videos: COUNT, skipped: 0 });
    expect([ids, bytes > 1000 * COUNT, longest < 20_000]).toEqual([COUNT, true, true]);
    // A name each is kept, so that none is given twice.
    expect(held[1]! - held[0]!).toBeLessThan(10e6);
    expect(run.notes).toEqual([expect.stringContaining(`show the first ${SHOWN_VIDEOS}`)]);
    expect(/shows the first 2\D?000 of 20\D?000 videos, and its figures are for these/.test(page)).toBe(true);
    expect(page.split('<section class="video"').length - 1).toBe(SHOWN_VIDEOS);
  });
});
