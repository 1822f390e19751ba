import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { parseSummary, summarizeTopic, type OptionsInput, type Outcome, type RunEvent } from 'throughline-video';
import { lengthInSeconds, matrixOf, rational, toSeconds } from '../../src/base/index.js';
import type { DemoTopic } from '../../src/demo/index.js';
import { isUsable } from '../../src/shots/index.js';
import { comparable, KIN_FROM, sameFrom, sameness, alikeAcrossShapes } from '../../src/topic/index.js';
import { normaliseShots } from '../../src/features/index.js';
import { collectInputs } from '../../src/pipeline/collect-inputs.js';
import { locateFfmpeg, probe } from '../../src/media/index.js';
import { optionsSchema } from '../../src/options/index.js';
import type { Run } from '../../src/pipeline/run.js';
import { METHOD_NAMES, type MethodName } from '../../src/select/index.js';
import { admitVideos } from '../../src/pipeline/admit.js';
import { analyseVideos, type AnalysedVideo } from '../../src/pipeline/analyse-videos.js';
import { chooseConcept } from '../../src/pipeline/concept.js';
import { backgroundFrom, readBackground } from '../../src/pipeline/evidence.js';
import { poolShots } from '../../src/pipeline/pool-shots.js';
import { buildProblems, rankShotsOfTopic } from '../../src/pipeline/rank.js';
import { relateTopic } from '../../src/pipeline/relate.js';
import { localWorkspace, openCache } from '../../src/storage/index.js';
import { topicClipsOf } from '../../src/summary/index.js';
import { analysisKeys } from '../fixtures/analyses.js';
import { copyAnalysis, drawTopic } from '../fixtures/drawn-topic.js';
import { eachCase } from '../fixtures/each-case.js';
import { makeVideo, readBack } from '../fixtures/make.js';
import { runFfmpeg } from '../fixtures/run.js';

let home: string;
let ffmpeg: string;
let topic: DemoTopic;
let first: Outcome;
let cache: Awaited<ReturnType<typeof openCache>>;

const at = (...parts: string[]): string => join(home, ...parts);
const conceptOf = ({ document }: Outcome) => document.concept!;
const filmSeconds = ({ document: { concept } }: Pick<Outcome, 'document'>): number =>
  toSeconds(concept!.frames, { num: concept!.frame.rate.den, den: concept!.frame.rate.num });
const secondsOf = (shots: readonly { range: Parameters<typeof lengthInSeconds>[0] }[]): number =>
  shots.reduce((sum, shot) => sum + lengthInSeconds(shot.range), 0);

function run(out: string, options: OptionsInput = {}, onEvent: (event: RunEvent) => void = () => undefined) {
  return summarizeTopic(
    at('topic'),
    { out: at(out), cache: at('cache'), films: false, length: '30%', concept: '14s', ...options },
    { onEvent },
  );
}

/** What a stage is given, for a film of five shots. */
const stageRun = (method: MethodName): Run => ({
  options: optionsSchema.parse({ method, concept: '5 shots', order: 'importance', length: '30%' }),
  budget: { kind: 'share', share: 0.3 },
  conceptBudget: { kind: 'shots', shots: 5 },
  ...{ jobs: 1, out: at('stages'), emit: () => undefined, signal: undefined, skipped: [], notes: [] },
  workspace: localWorkspace(cache),
});

async function analysedTopic(): Promise<AnalysedVideo[]> {
  const { inputs } = await collectInputs([at('topic')], { recursive: false, out: at('stages') });
  return analyseVideos(await admitVideos(inputs, stageRun('cvs')), stageRun('cvs'));
}

async function hashOf(...path: string[]): Promise<string> {
  return createHash('sha256')
    .update(await readFile(at(...path)))
    .digest('hex');
}

/** The vectors of all shots by the id of their video, read from the cache. */
async function vectorsFromCache(): Promise<Map<string, Float64Array[]>> {
  const vectors = new Map<string, Float64Array[]>();
  for (const key of await analysisKeys(at('cache'))) {
    const entry = (await cache.find(key))!;
    const header = entry.header as { dim?: number; frameCount: number; shots: unknown[] };
    if (header.dim === undefined) continue;
    const bytes = await entry.read('features');
    const data = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    const { cols, data: rows } = normaliseShots({ shotCount: header.shots.length, dim: header.dim, data }, 'root');
    const { id } = first.document.videos.find((video) => video.frames === header.frameCount)!;
    vectors.set(id, header.shots.map((_, k) => rows.slice(k * cols, (k + 1) * cols))); // prettier-ignore
  }
  return vectors;
}

/** The scene a shot shows, by what was drawn. */
function sceneOf(path: string, shot: { startFrame: number; endFrame: number }): { name: string; kind: string } {
  const middle = (shot.startFrame + shot.endFrame) / 2;
  const { scenes } = topic.videos.find((video) => video.file === path)!;
  return scenes.find((scene) => scene.startFrame <= middle && middle < scene.endFrame)!;
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-concept-'));
  ffmpeg = (await locateFfmpeg()).path;
  topic = await drawTopic({ folder: at('topic'), ffmpeg, scale: 0.2 });
  await copyAnalysis(at('cache'));
  first = await run('first', { jobs: 2 });
  cache = await openCache(at('cache'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

describe('the film of a topic', () => {
  it('stands beside the record and the report, with its storyboard', async () => {
    const names = await readdir(at('first'));
    expect(names.filter((name) => name.startsWith('concept'))).toEqual(['concept.mp4', 'concept.storyboard.png']);
    expect(names.filter((name) => name.endsWith('.mp4'))).toEqual(['concept.mp4']);
    expect(conceptOf(first)).toMatchObject({ film: 'concept.mp4', storyboard: 'concept.storyboard.png' });
    expect(parseSummary(await readFile(at('first', 'summary.json'), 'utf8'))).toEqual(first.document);
    expect(await readFile(at('first', 'report.html'), 'utf8')).toContain('id="fconcept"');
  });

  it('is as long as asked for, of the size and rate it says, with sound', async () => {
    const { frame, frames } = conceptOf(first);
    expect(Math.abs(filmSeconds(first) - 14)).toBeLessThanOrEqual(0.5);
    const film = await probe(at('first', 'concept.mp4'));
    expect(film).toMatchObject({ widthPx: frame.widthPx, heightPx: frame.heightPx, frameRate: frame.rate });
    expect(film.audio).toHaveLength(1);
    expect(Math.abs(film.durationHint! - toSeconds(frames, { num: frame.rate.den, den: frame.rate.num }))).toBeLessThan(
      0.05,
    );
  });

  it('plays clips like those of a video’s own film: two to six seconds of one take; exactly the shots if asked for', async () => {
    const isInTake = ({ video, startFrame, endFrame }: { video: string; startFrame: number; endFrame: number }) => {
      const { takes } = first.document.videos.find(({ id }) => id === video)!;
      return takes.some((take) => take.startFrame <= startFrame && endFrame <= take.endFrame);
    };
    const { shots } = conceptOf(first);
    for (const shot of shots) expect(isInTake(shot)).toBe(true);
    // Shots that follow each other in one video are one clip.
    for (const { video, clip, shots: played } of topicClipsOf(shots)) {
      const { takes, shots: own } = first.document.videos.find(({ id }) => id === video)!;
      const take = lengthInSeconds(takes[own[played[0]!.shot]!.take]!.range);
      expect(lengthInSeconds(clip.range)).toBeGreaterThanOrEqual(Math.min(2, take));
      expect(lengthInSeconds(clip.range)).toBeLessThanOrEqual(6);
    }
    const { document } = await run('as-found', { cutAt: 'exact', pictures: 'none', sound: 'none' });
    for (const { video, shot, startFrame, endFrame } of document.concept!.shots) {
      const found = document.videos.find(({ id }) => id === video)!.shots[shot]!;
      expect([startFrame, endFrame]).toEqual([found.startFrame, found.endFrame]);
    }
    expect(secondsOf(document.concept!.shots)).toBeLessThanOrEqual(14);
  });

  it('counts fades and a title, and says the length that the file has', { tags: 'slow' }, async () => {
    const outcome = await run('titled', { title: 'Evening', fade: 0.5, pictures: 'none', sound: 'none' });
    expect(Math.abs(filmSeconds(outcome) - 14)).toBeLessThanOrEqual(0.5);
    const { durationHint } = await probe(at('titled', 'concept.mp4'));
    expect(Math.abs(durationHint! - filmSeconds(outcome))).toBeLessThan(0.05);
  });

  it('shows what the videos share first, and two shots at most that only one has', () => {
    const byId = new Map(first.document.videos.map((video) => [video.id, video.path]));
    const scenes = conceptOf(first).shots.map((shot) => sceneOf(byId.get(shot.video)!, shot));
    expect(scenes.filter(({ kind }) => kind !== 'shared').length).toBeLessThanOrEqual(2);
    expect(new Set(scenes.map(({ name }) => name)).size).toBeGreaterThanOrEqual(4);
  });

  it('orders shots by position: within a video as filmed, beginnings first, ends last', async () => {
    const base = stageRun('cvs');
    const run: Run = { ...base, options: { ...base.options, order: 'position' }, conceptBudget: { kind: 'seconds', seconds: 14 } }; // prettier-ignore
    const related = await relateTopic(await analysedTopic(), run);
    const posed = buildProblems(related, run);
    const { shots, order } = (await chooseConcept(await rankShotsOfTopic(related, run, undefined, posed), run, posed.vectors))!; // prettier-ignore
    expect(order!.rule).toBe('position');
    const framesOf = new Map(related.videos.map(({ id, analysis }) => [id, analysis.frameCount]));
    for (const id of framesOf.keys()) {
      const starts = shots.filter((shot) => shot.video === id).map((shot) => shot.startFrame);
      expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    }
    const places = shots.map(({ video, startFrame, endFrame }) => (startFrame + endFrame) / 2 / framesOf.get(video)!);
    expect(places[0]! - Math.min(...places)).toBeLessThanOrEqual(0.15);
    expect(Math.max(...places) - places.at(-1)!).toBeLessThanOrEqual(0.15);
    for (const [at, here] of places.entries()) expect(here).toBeGreaterThan(Math.max(0, ...places.slice(0, at)) - 0.15);
  });

  it('never shows nearly the same twice, by vectors read from the cache', async () => {
    const { shots, alike } = conceptOf(first);
    const vectors = await vectorsFromCache();
    expect(vectors.size).toBe(topic.videos.length);
    const similarity = (a: { video: string; shot: number }, b: { video: string; shot: number }): number =>
      vectors.get(a.video)![a.shot]!.reduce((sum, value, k) => sum + value * vectors.get(b.video)![b.shot]![k]!, 0);
    const isUpright = (id: string): boolean => {
      const { widthPx, heightPx } = first.document.videos.find((video) => video.id === id)!;
      return widthPx < heightPx;
    };
    const limit = (a: { video: string }, b: { video: string }): number =>
      isUpright(a.video) === isUpright(b.video) ? alike : alikeAcrossShapes(alike);
    for (const [k, shot] of shots.entries())
      for (const other of shots.slice(k + 1)) expect(similarity(shot, other)).toBeLessThan(limit(shot, other));
    const left = shots.flatMap((shot) => shot.alike.map((other) => ({ shot, other })));
    expect(left.length).toBeGreaterThan(2);
    for (const { shot, other } of left) {
      expect(other.similarity).toBeCloseTo(similarity(shot, other), 9);
      expect(other.similarity).toBeGreaterThanOrEqual(limit(shot, other));
    }
  });

  it('has reasons that can be recomputed from the record and the vectors', async () => {
    const { document } = first;
    const { shots, same, moments } = conceptOf(first);
    const vectors = await vectorsFromCache();
    // Bad pictures are not in the pool, and no reason counts them.
    const pool = document.videos.flatMap(({ id, shots: all }) =>
      vectors.get(id)!.flatMap((row, shot) => (isUsable(all[shot]!) ? [{ video: id, shot, row }] : [])),
    );
    const extractor = { ...document.model, version: document.model.version!, dim: 1280, layer: document.model.layer! };
    const hashes = new Set(document.videos.map(({ sha256 }) => sha256));
    const background = backgroundFrom((await readBackground(extractor, {}))!, { normalise: 'root' }, hashes)!;
    const prepared = comparable(matrixOf(pool.map(({ row }) => row)), background);
    const S = sameness(prepared, prepared);
    const placeOf = ({ video, shot }: { video: string; shot: number }): number =>
      pool.findIndex((other) => other.video === video && other.shot === shot);
    // The sample of a topic this small is every shot.
    const whole = [...vectors.values()].map((rows) => comparable(matrixOf(rows), background));
    const { from } = same!;
    expect(from).toBeCloseTo(sameFrom(whole), 9);
    expect(same).toEqual({ from, kinFrom: KIN_FROM, unit: 'deviations' });
    // It finds no scene in another, and misses none but in the upright video, whose pictures show a part of them.
    const scenes = pool.map(({ video, shot }) => sceneOf(`${video}.mp4`, document.videos.find(({ id }) => id === video)!.shots[shot]!).name); // prettier-ignore
    for (const [a, { video }] of pool.entries()) {
      for (const [b, other] of pool.entries()) {
        if (other.video === video) continue;
        const [isSame, isUpright] = [S.data[a * pool.length + b]! >= from, [video, other.video].includes('dmitri')];
        if (isSame || !isUpright) expect(isSame, `${video} ${scenes[a]}, ${other.video} ${scenes[b]}`).toBe(scenes[a] === scenes[b]); // prettier-ignore
      }
    }
    const words = ['no', 'one', 'two', 'three', 'four', 'five', 'six'];
    let claims = 0;
    for (const [at, shot] of shots.entries()) {
      const before = shots[at - 1];
      const continues = before?.video === shot.video && before.endFrame === shot.startFrame;
      expect(shot.reason.includes('It goes on from the shot before.')).toBe(continues);
      const near = pool.flatMap((other, place) => {
        const value = S.data[placeOf(shot) * pool.length + place]!;
        return place !== placeOf(shot) && value >= KIN_FROM ? [{ ...other, value }] : [];
      });
      const alike = near.filter(({ value }) => value >= from);
      const others = new Set(alike.map(({ video }) => video).filter((video) => video !== shot.video));
      expect(new Set(shot.shown!.by.map(({ video }) => video))).toEqual(others);
      for (const { similarity, ...other } of shot.shown!.by) {
        expect(similarity).toBeCloseTo(S.data[placeOf(shot) * pool.length + placeOf(other)]!, 6);
        expect(similarity).toBe(Math.max(...shot.shown!.by.filter(({ video }) => video === other.video).map((each) => each.similarity))); // prettier-ignore
      }
      const kin = new Set(near.map(({ video }) => video).filter((video) => video !== shot.video && !others.has(video)));
      expect(new Set(shot.shown!.kin!.map(({ video }) => video))).toEqual(kin);
      expect(shot.reason.includes('something like it')).toBe(!continues && others.size === 0 && kin.size > 0);
      expect(shot.shown!.own).toBe(alike.filter(({ video }) => video === shot.video).length);
      // The sentence says these numbers, in words.
      const [, count, of] = /(\w+) (?:of the )?(\w+) other videos show/i.exec(shot.reason) ?? [];
      if (count !== undefined) {
        const all = count.toLowerCase() === 'all';
        expect(words.indexOf(all ? of! : count.toLowerCase())).toBe(others.size);
        expect(words.indexOf(of!)).toBe(document.videos.length - 1);
        claims++;
      } else if (!continues) expect(others.size, shot.reason).toBe(0);
      if (shot.reason.includes('Nothing else')) expect(alike).toEqual([]);
      const { evidence } = document.videos.find(({ id }) => id === shot.video)!.shots[shot.shot]!;
      expect(shot.evidence).toEqual(evidence);
      if (shot.reason.includes('more to see')) expect(evidence!.strength).toBeGreaterThanOrEqual(1);
      if (shot.reason.includes('More happens')) expect(evidence!.activity).toBeGreaterThanOrEqual(1);
      if (shot.reason.includes('stands out')) expect(evidence!.distinct).toBeGreaterThanOrEqual(1);
      if (shot.reason.includes('more like the other videos')) expect(evidence!.likeness).toBeGreaterThanOrEqual(1);
      const totals = document.videos.find(({ id }) => id === shot.video)!.shots.map((each) => each.evidence!.total);
      const { total, ...terms } = evidence!;
      const isStrongest = total > 0 && total === Math.max(...totals) && Math.max(...Object.values(terms)) < 1;
      expect(shot.reason.includes('strongest shot of its video')).toBe(isStrongest);
      expect(shot.reason).not.toMatch(/rank|%/i);
    }
    expect(claims).toBeGreaterThan(2);
    for (const [at, { members, plays, videos }] of moments!.entries()) {
      expect(new Set(members.map(({ video }) => video)).size).toBe(videos);
      for (const member of members.slice(1)) expect(member.similarity).toBeGreaterThanOrEqual(from);
      expect(plays).toEqual(shots.flatMap(({ moment, video, shot }) => (moment === at ? [{ video, shot }] : [])));
    }
  });

  it('is another film without the other videos', async () => {
    const { document } = await run('alone', { method: 'cvs-neighborhood', films: false, pictures: 'none' });
    const played = (concept: typeof document.concept) =>
      concept!.shots.map(({ video, shot }) => `${video} ${shot}`).sort();
    expect(played(document.concept)).not.toEqual(played(first.document.concept));
  });

  it(
    'leaves out upright views of what it shows wide, more of them than one limit for all would',
    { tags: 'slow' },
    async () => {
      const { document } = await run('shapes', { concept: '20s', pictures: 'none' });
      const { alike } = document.concept!;
      const one = await run('one-limit', { concept: '20s', pictures: 'none', alike });
      const byId = new Map(document.videos.map((video) => [video.id, video]));
      const sceneAt = ({ video, shot }: { video: string; shot: number }): string =>
        sceneOf(byId.get(video)!.path, byId.get(video)!.shots[shot]!).name;
      const isUpright = (id: string): boolean => byId.get(id)!.widthPx < byId.get(id)!.heightPx;
      const left = document.concept!.shots.flatMap((shot) => shot.alike.map((other) => ({ shot, other })));
      const across = left.filter(({ shot, other }) => isUpright(shot.video) !== isUpright(other.video));
      expect(across.some(({ other }) => other.similarity < alike)).toBe(true);
      for (const { shot, other } of across) expect(sceneAt(other)).toBe(sceneAt(shot));
      const repeats = ({ shots }: typeof one.document.concept & object): number =>
        shots.length - new Set(shots.map(sceneAt)).size;
      expect(repeats(document.concept!)).toBeLessThan(repeats(one.document.concept!));
    },
  );

  it(
    'considers more of each video where the pool shows too little that differs, and fills the length',
    { tags: 'slow' },
    async () => {
      const { document } = await run('shapes', { concept: '20s', pictures: 'none' });
      expect(Math.abs(filmSeconds({ document }) - 20)).toBeLessThanOrEqual(0.5);
      expect(Number.parseInt(document.concept!.each)).toBeGreaterThan(30);
      expect(document.notes.join(' ')).not.toContain('The film of the topic is');
    },
  );

  it(
    'is the same bytes with any number of workers and an empty cache, and is left alone where it stands',
    { tags: 'slow' },
    async () => {
      await run('again', { jobs: 1, cache: at('other-cache') });
      for (const name of ['concept.mp4', 'concept.storyboard.png', 'summary.json', 'report.html'])
        expect(await hashOf('again', name), name).toBe(await hashOf('first', name));
      const events: RunEvent[] = [];
      await run('first', {}, (event) => events.push(event));
      expect(events.filter((event) => event.type === 'item-done' && event.stage === 'concept')).toEqual([
        { type: 'item-done', stage: 'concept', item: 'the film of topic', cached: true },
      ]);
    },
  );

  it('keeps to the seconds a video may have, and says when it is short for that', { tags: 'slow' }, async () => {
    const { document } = await run('limited', { perSource: 3, concept: '30s', sound: 'none' });
    const { shots } = document.concept!;
    for (const { id } of document.videos)
      expect(secondsOf(shots.filter((shot) => shot.video === id))).toBeLessThanOrEqual(3);
    expect(document.notes.join(' ')).toMatch(/The film of the topic is [\d.]+ s long \(asked for: 30s\): .* 3 s of one video\./); // prettier-ignore
    expect((await probe(at('limited', 'concept.mp4'))).audio).toEqual([]);
  });

  it('says so where no shot is as short as what one video may give', { tags: 'slow' }, async () => {
    const { document } = await run('scant', { concept: '10s', perSource: 0.1, sound: 'none' });
    expect(document.concept!.shots).toHaveLength(1);
    expect(document.notes.join(' ')).toContain('no shot is as short as the 0.1 s allowed of one video');
  });
});

describe('a double of a video', () => {
  it('gives nothing to the film, unless it is pinned', { tags: 'slow' }, async () => {
    await mkdir(at('doubled'));
    for (const { file } of topic.videos.slice(0, 4)) await copyFile(at('topic', file), at('doubled', file));
    const name = topic.videos[0]!.file;
    const smaller = ['-v', 'error', '-i', at('topic', name), '-vf', 'scale=96:54', '-c:a', 'copy'];
    await runFfmpeg(ffmpeg, [...smaller, at('doubled', 'z-copy.mp4')]);
    const shots = async (pin: string[]) => {
      const { document } = await summarizeTopic(at('doubled'), {
        ...{ out: at(`doubled-${pin.length}`), cache: at('cache'), films: false, sound: 'none' },
        ...{ concept: '10s', length: '30%', pin },
      });
      expect(document.videos.find((video) => video.id === 'z-copy')!.standing?.doubleOf).toBe(name.replace('.mp4', ''));
      expect(document.notes.join(' ')).toContain(`The film of the topic takes what they show from "${name}".`);
      return document.concept!.shots.filter((shot) => shot.video === 'z-copy').map((shot) => shot.shot);
    };
    expect(await shots([])).toEqual([]);
    expect(await shots(['z-copy.mp4#2'])).toEqual([1]);
  });
});

describe('a video of one view', () => {
  it(
    'is one clip while others have more to show, and the record names what was left out',
    { tags: 'slow' },
    async () => {
      const run = { ...stageRun('cvs'), conceptBudget: { kind: 'seconds' as const, seconds: 40 } };
      const related = await relateTopic(await analysedTopic(), run);
      const posed = buildProblems(related, run);
      const ranked = await rankShotsOfTopic(related, run, undefined, posed);
      const chosen = async (videos: typeof ranked) => (await chooseConcept(videos, run, posed.vectors))!.shots;
      const of = (shots: Awaited<ReturnType<typeof chosen>>, id: string) => shots.filter(({ video }) => video === id);
      const before = await chosen(ranked);
      const { id } = ranked.find((video) => of(before, video.id).length > 1)!;
      const fixed = ranked.map((video) => (video.id === id ? { ...video, views: video.views.map(() => 0) } : video));
      const shown = of(await chosen(fixed), id);
      // Shots that follow each other are one clip, of six seconds at most.
      const numbers = shown.map(({ shot }) => shot).sort((a, b) => a - b);
      expect(numbers).toEqual(numbers.map((_, at) => numbers[0]! + at));
      expect(secondsOf(shown)).toBeLessThanOrEqual(6);
      const left = new Set(shown.flatMap(({ alike }) => alike).filter(({ video }) => video === id).map(({ shot }) => shot)); // prettier-ignore
      for (const { shot } of of(before, id)) expect(numbers.includes(shot) || left.has(shot)).toBe(true);
    },
  );
});

describe('a stray', () => {
  it('contributes to the film like any other video', { tags: 'slow' }, async () => {
    const run = { ...stageRun('cvs'), conceptBudget: { kind: 'seconds' as const, seconds: 10 } };
    const ranked = await rankShotsOfTopic(await relateTopic(await analysedTopic(), run), run);
    const strayed = ranked.map((video) => ({ ...video, standing: { weight: 0.25, isStray: true } }));
    expect(poolShots(strayed, run.conceptBudget, run)).toEqual(poolShots(ranked, run.conceptBudget, run));
  });
});

describe('wishes about a topic', () => {
  it(
    'hold for its film too: what is pinned plays, what is vetoed does not, long shots play their middle',
    { tags: 'slow' },
    async () => {
      const { shots } = conceptOf(first);
      const unwanted = shots[0]!;
      const path = (id: string): string => first.document.videos.find((video) => video.id === id)!.path;
      const { document } = await run('wished', {
        pin: ['aiko.mp4#3', 'femi.mp4@0:01-0:02'],
        veto: [`${path(unwanted.video)}#${unwanted.shot + 1}`],
        ...{ maxClip: 1.5, sound: 'none' },
      });
      const wished = document.concept!.shots;
      const of = (video: string, shot: number) => wished.find((each) => each.video === video && each.shot === shot);
      expect(of('aiko', 2)?.reason).toMatch(/^Asked for by a wish\./);
      expect(of('femi', 0)).toMatchObject({ startFrame: 25, endFrame: 50 });
      expect(of(unwanted.video, unwanted.shot)).toBeUndefined();
      for (const shot of wished) expect(lengthInSeconds(shot.range)).toBeLessThanOrEqual(1.5);
      const frames = wished.reduce((sum, shot) => sum + lengthInSeconds(shot.range), 0);
      const { rate } = document.concept!.frame;
      expect(Math.abs((document.concept!.frames * rate.den) / rate.num - frames)).toBeLessThan(0.3);
    },
  );
});

describe('the film of a topic by', () => {
  eachCase(METHOD_NAMES, 2, '%s: ranked in the pool, best first, never alike', async (method) => {
    const run = stageRun(method);
    const related = await relateTopic(await analysedTopic(), run);
    const ranked = await rankShotsOfTopic(related, run);
    const { vectors } = buildProblems(related, run);
    const { shots, pooled, solver, alike } = (await chooseConcept(ranked, run, vectors))!;
    expect(shots.length).toBeGreaterThan(2);
    expect(shots.length).toBeLessThanOrEqual(5);
    expect(pooled).toBeGreaterThanOrEqual(10);
    expect(solver.converged).toBe(true);
    // One threshold for all methods, so that they can be compared.
    expect(alike).toBe(conceptOf(first).alike);
    for (const key of ['rank', 'score'] as const) {
      const values = shots.map((shot) => (key === 'rank' ? shot.rank : -shot.score));
      expect(values).toEqual(values.toSorted((a, b) => a - b));
    }
  });
});

describe('a film of marked sources', () => {
  it('plays the frames and the sound it claims, joined where shots touch', { tags: 'slow' }, async () => {
    await mkdir(at('marked'));
    const cuts = [36, 72];
    const specs = [
      { frameCount: 108, firstNumber: 0, tones: [700], cuts },
      { frameCount: 112, firstNumber: 1000, tones: [1000], cuts: cuts.map((cut) => cut + 7) },
      { frameCount: 200, firstNumber: 2000, tones: [1400], cuts: cuts.map((cut) => 2 * cut - 9), frameRate: rational(50, 1) },
    ]; // prettier-ignore
    for (const [k, spec] of specs.entries())
      await makeVideo(ffmpeg, at('marked', `${'abc'[k]}.mp4`), {
        ...spec,
        widthPx: 192 + 64 * k,
        heightPx: 108 + 36 * k,
      });
    const { document } = await summarizeTopic(at('marked'), {
      ...{ out: at('marked-out'), cache: at('cache'), films: false, concept: '7s', alike: 1, length: '40%' },
    });
    const { shots, frame, frames } = document.concept!;
    const rate = frame.rate.num / frame.rate.den;
    expect([25, 50]).toContain(rate);
    expect(new Set(shots.map((shot) => shot.video)).size).toBe(3);
    const read = await readBack(ffmpeg, at('marked-out', 'concept.mp4'));
    expect(read.frameNumbers).toHaveLength(frames);
    for (const [k, shot] of shots.entries()) {
      const source = 'abc'.indexOf(shot.video);
      const end = shots[k + 1]?.filmFrame ?? frames;
      // The film has one rate: sources of the other show each of their frames twice, or every second one.
      const step = (source === 2 ? 50 : 25) / rate;
      for (let film = shot.filmFrame; film < end; film++) {
        const expected = 1000 * source + shot.startFrame + Math.floor((film - shot.filmFrame) * step);
        expect(Math.abs(read.frameNumbers[film]! - expected), `${shot.video} at ${film}`).toBeLessThanOrEqual(
          step === 1 ? 0 : 1,
        );
      }
    }
    // A beep of its own tone wherever a source flashes.
    for (const [source, toneHz] of [700, 1000, 1400].entries()) {
      const { beepTimes, flashTimes } = await readBack(ffmpeg, at('marked-out', 'concept.mp4'), { toneHz });
      const own = shots.filter((shot) => shot.video === 'abc'[source]);
      const inOwn = (time: number): boolean =>
        own.some((shot) => {
          const start = shot.filmFrame / rate;
          return time >= start && time < start + lengthInSeconds(shot.range);
        });
      for (const flash of flashTimes.filter(inOwn))
        expect(Math.min(...beepTimes.map((beep) => Math.abs(beep - flash))), `${toneHz} Hz at ${flash}`).toBeLessThan(
          0.03,
        );
    }
  });
});

describe('a topic with a video called as its film', () => {
  it('keeps both apart', { tags: 'slow' }, async () => {
    await mkdir(at('named'));
    for (const [k, name] of ['concept.mp4', 'other.mp4'].entries())
      await makeVideo(ffmpeg, at('named', name), { frameCount: 120, cuts: [60 + k], tones: [] });
    const { document } = await summarizeTopic(at('named'), {
      length: '50%',
      out: at('named-out'),
      cache: at('cache'),
      concept: '2s',
    });
    expect(document.videos.map((video) => video.film)).toEqual(['concept-2.mp4', 'other.mp4']);
    expect(document.concept!.film).toBe('concept.mp4');
  });
});
