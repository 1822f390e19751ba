import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { summarizeTopic, type OptionsInput, type Outcome, type RunEvent } from 'throughline-video';
import { lengthInSeconds, rational } from '../../src/base/index.js';
import type { DemoTopic } from '../../src/demo/index.js';
import { locateFfmpeg, probe } from '../../src/media/index.js';
import { parseSummary } from '../../src/summary/index.js';
import { drawTopic } from '../fixtures/drawn-topic.js';
import { contents } from '../fixtures/contents.js';
import { makeBroken, makeFixture, makeVideo } from '../fixtures/make.js';

let home: string;
let topic: DemoTopic;
let ffmpeg: string;
let first: { outcome: Outcome; events: RunEvent[] };

const at = (...parts: string[]): string => join(home, ...parts);

async function run(
  inputs: string | string[],
  options: OptionsInput,
): Promise<{ outcome: Outcome; events: RunEvent[] }> {
  const events: RunEvent[] = [];
  const outcome = await summarizeTopic(
    inputs,
    { cache: at('cache'), ...options },
    { onEvent: (event) => events.push(event) },
  );
  return { outcome, events };
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-pipeline-'));
  ffmpeg = (await locateFfmpeg()).path;
  topic = await drawTopic({ folder: at('topic'), ffmpeg, scale: 0.2, videoCount: 4 });
  first = await run(at('topic'), { out: at('first'), length: '30%' });
});
afterAll(() => rm(home, { recursive: true, force: true }));

describe('the video of the demo with defects', () => {
  it('has just the flaws that were drawn, and a film without them', async () => {
    const drawn = await drawTopic({ folder: at('spoiled'), ffmpeg, scale: 0.5, file: 'gus.mp4' });
    const { document } = (await run(at('spoiled'), { out: at('spoiled-out'), length: '9s', films: false, pictures: 'none' })).outcome; // prettier-ignore
    const [{ scenes }, { shots }] = [drawn.videos[0]!, document.videos[0]!];
    const sceneOf = (startFrame: number) => scenes.findLast((scene) => scene.startFrame <= startFrame)!;
    expect(new Set(scenes.flatMap(({ defect = [] }) => defect)).size).toBe(6);
    expect(shots.map(({ startFrame, flaws = [] }) => [startFrame, flaws.map(({ kind }) => kind)])).toEqual(
      shots.map(({ startFrame }) => [startFrame, [sceneOf(startFrame).defect].filter((defect) => defect !== undefined)]), // prettier-ignore
    );
    const chosen = shots.filter((shot) => shot.chosen);
    expect(chosen.length).toBeGreaterThanOrEqual(3);
    expect(chosen.filter(({ startFrame }) => sceneOf(startFrame).defect)).toEqual([]);
  });
});

describe('a topic', () => {
  it('gives a film and a storyboard a video, a record and a report', async () => {
    const names = topic.videos.map((video) => video.file.replace('.mp4', ''));
    const expected = [
      ...names.flatMap((name) => [`${name}.mp4`, `${name}.storyboard.png`]),
      'report.html',
      'summary.json',
    ];
    expect(Object.keys(await contents(at('first')))).toEqual(expected.sort());
    const text = await readFile(at('first', 'summary.json'), 'utf8');
    expect(parseSummary(text)).toEqual(first.outcome.document);
  });

  it('has shots whose boundaries are the cuts that were drawn', () => {
    for (const video of first.outcome.document.videos) {
      const drawn = topic.videos.find((candidate) => candidate.file === video.path)!;
      const starts = new Set(video.shots.map((shot) => shot.startFrame));
      const hard = drawn.scenes.filter((scene, place) => place > 0 && scene.dissolveFrames === 0);
      expect(hard.length).toBeGreaterThan(2);
      expect(
        hard.filter((scene) => !starts.has(scene.startFrame)),
        video.path,
      ).toEqual([]);
      expect(video.frames).toBe(drawn.frameCount);
    }
  });

  it('prefers what the videos share to what was filmed by mistake', () => {
    const kinds = { shared: 0, private: 0, filler: 0 };
    for (const video of first.outcome.document.videos) {
      const scenes = topic.videos.find((candidate) => candidate.file === video.path)!.scenes;
      for (const shot of video.shots.filter((candidate) => candidate.chosen)) {
        const middle = (shot.startFrame + shot.endFrame) / 2;
        kinds[scenes.find((scene) => scene.startFrame <= middle && middle < scene.endFrame)!.kind]++;
      }
    }
    expect(kinds.filler).toBe(0);
    expect(kinds.shared).toBeGreaterThan(kinds.private);
  });

  it('names, for a chosen shot of a shared scene, a video that shows that scene', () => {
    let right = 0;
    let asked = 0;
    for (const video of first.outcome.document.videos) {
      const scenes = topic.videos.find((candidate) => candidate.file === video.path)!.scenes;
      for (const shot of video.shots.filter((candidate) => candidate.chosen && candidate.support.length > 0)) {
        const middle = (shot.startFrame + shot.endFrame) / 2;
        const scene = scenes.find((candidate) => candidate.startFrame <= middle && middle < candidate.endFrame)!;
        if (scene.kind !== 'shared') continue;
        asked++;
        const supporter = first.outcome.document.videos.find((candidate) => candidate.id === shot.support[0]!.video)!;
        if (scene.alsoIn.includes(supporter.path)) right++;
      }
    }
    expect(asked).toBeGreaterThan(3);
    expect(right / asked).toBeGreaterThan(0.7);
  });

  it('keeps to the length, and films hold exactly the clips', async () => {
    for (const video of first.outcome.document.videos) {
      const ticks = video.clips.reduce((sum, clip) => sum + clip.range.end - clip.range.start, 0);
      const seconds = (ticks * video.timeBase.num) / video.timeBase.den;
      expect(video.seconds).toBe(seconds);
      const asked = 0.3 * lengthInSeconds(video.range);
      expect(Math.abs(seconds - asked)).toBeLessThanOrEqual(0.5);
      const film = await probe(at('first', video.film!));
      expect(film).toMatchObject({ codec: 'h264', widthPx: video.widthPx, heightPx: video.heightPx });
      expect(film.audio).toHaveLength(1);
      expect(Math.abs(film.durationHint! - seconds)).toBeLessThan(0.05);
    }
  });
});

describe('a second run', () => {
  it('gives the same bytes with any number of workers and an empty cache', { tags: 'slow' }, async () => {
    await run(at('topic'), { out: at('again'), length: '30%', jobs: 1, cache: at('other-cache') });
    expect(await contents(at('again'))).toEqual(await contents(at('first')));
  });

  it('decodes nothing but to render when only the length changes', { tags: 'slow' }, async () => {
    const { events } = await run(at('topic'), { out: at('longer'), length: '40%' });
    const analysed = events.filter((event) => event.type === 'item-done' && event.stage === 'analyse');
    expect(analysed).toHaveLength(topic.videos.length);
    expect(analysed.every((event) => event.type === 'item-done' && event.cached)).toBe(true);
  });

  it('leaves films that stand there, and makes anew the one that was damaged', { tags: 'slow' }, async () => {
    const before = await contents(at('first'));
    const damaged = first.outcome.document.videos[0]!.film!;
    await writeFile(at('first', damaged), 'half a film');
    const { events } = await run(at('topic'), { out: at('first'), length: '30%' });
    const made = events.filter((event) => event.type === 'item-done' && event.stage === 'render' && !event.cached);
    expect(made).toHaveLength(1);
    expect(await contents(at('first'))).toEqual(before);
  });

  it('goes on where a stopped one was', { tags: 'slow' }, async () => {
    const stop = new AbortController();
    const cache = at('stopped-cache');
    const stopped = summarizeTopic(
      at('topic'),
      { out: at('stopped'), length: '30%', jobs: 1, cache },
      {
        signal: stop.signal,
        onEvent: (event) => {
          if (event.type === 'item-done' && event.stage === 'analyse') stop.abort();
        },
      },
    );
    await expect(stopped).rejects.toMatchObject({ code: 'cancelled' });
    const { events } = await run(at('topic'), { out: at('stopped'), length: '30%', cache });
    const known = events.filter((event) => event.type === 'item-done' && event.stage === 'analyse' && event.cached);
    expect(known).toHaveLength(1);
    expect(await contents(at('stopped'))).toEqual(await contents(at('first')));
  });
});

describe('bad input', () => {
  it('is named, skipped and listed; the good files are done', async () => {
    const folder = at('mixed');
    await mkdir(folder);
    const good = topic.videos.slice(0, 2).map((video) => video.file);
    for (const name of good) await cp(at('topic', name), join(folder, name));
    await cp(at('topic', good[0]!), join(folder, 'z-copy.mp4'));
    for (const name of ['zero-bytes', 'text', 'no-moov', 'audio-only', 'cover-art-only'] as const)
      await makeBroken(name, { folder, ffmpeg });
    const truncated = await makeBroken('truncated', { folder, ffmpeg });
    const { outcome } = await run(folder, { out: at('mixed-out'), films: false });
    const { videos, skipped, notes } = outcome.document;
    expect(videos.map((video) => video.path)).toEqual(expect.arrayContaining(good));
    expect(Object.fromEntries(skipped.map(({ path, code }) => [path, code]))).toMatchObject({
      'z-copy.mp4': 'duplicate',
      'zero-bytes.mp4': 'empty-file',
      'text.mp4': 'not-video',
      'audio-only.mp4': 'no-video-track',
    });
    for (const { message } of skipped) expect(message).toMatch(/^("|Expected|Could not).*\.$/s);
    expect(notes.some((note) => note.includes('cut off') && truncated.endsWith(note.match(/"(.*?)"/)![1]!))).toBe(true);
  });

  it(
    'that is damaged inside gives the same bytes with any number of threads, and is named',
    { tags: 'slow' },
    async () => {
      const folder = at('damaged');
      await mkdir(folder);
      const [whole, hurt] = topic.videos.slice(0, 2).map((video) => video.file);
      await cp(at('topic', whole!), join(folder, whole!));
      const bytes = await readFile(at('topic', hurt!));
      for (let place = 0; place < 40; place++)
        bytes.fill(
          place,
          Math.floor(bytes.length * (0.1 + place * 0.02)),
          Math.floor(bytes.length * (0.1 + place * 0.02)) + 6,
        );
      await writeFile(join(folder, hurt!), bytes);
      const outputs = [];
      for (const jobs of [1, 2]) {
        const out = at(`damaged-${jobs}`);
        const { outcome } = await run(folder, { out, cache: at(`damaged-cache-${jobs}`), jobs, length: '30%' });
        expect(
          outcome.document.notes.some((note) => note.includes(hurt!) && note.includes('What could be read was used')),
        ).toBe(true);
        outputs.push(await contents(out));
      }
      expect(outputs[1]).toEqual(outputs[0]);
    },
  );

  it('alone ends the run with the reason for each file', async () => {
    const folder = at('hopeless');
    await mkdir(folder);
    await makeBroken('text', { folder, ffmpeg });
    await expect(run(folder, { out: at('hopeless-out') })).rejects.toMatchObject({ code: 'nothing-done' });
  });

  it('of one video only falls back to the video alone and says so', async () => {
    const { outcome } = await run(at('topic', topic.videos[0]!.file), { out: at('alone'), films: false });
    expect(outcome.document.notes.join()).toContain('judged by the video alone');
    expect(outcome.document.videos[0]!.shots.every((shot) => shot.shared === 0 && shot.support.length === 0)).toBe(
      true,
    );
    expect(outcome.document.videos[0]!.shots.some((shot) => shot.own > 0)).toBe(true);
  });

  it('writes nothing into a folder with other files', async () => {
    await mkdir(at('theirs'));
    await writeFile(at('theirs', 'aiko.mp4'), 'precious');
    await expect(run(at('topic'), { out: at('theirs') })).rejects.toMatchObject({ code: 'out-not-empty' });
    await expect(run(at('topic'), { out: at('topic') })).rejects.toMatchObject({ code: 'out-holds-sources' });
    expect(await readFile(at('theirs', 'aiko.mp4'), 'utf8')).toBe('precious');
  });

  it('of a listener that throws ends the run with what it threw', { tags: 'slow' }, async () => {
    const fault = new Error('listener');
    for (const stage of ['analyse', 'render'] as const) {
      const failing = summarizeTopic(
        at('topic'),
        { out: at(`listener-${stage}`), cache: at('cache') },
        {
          onEvent: (event) => {
            if (event.type === 'progress' && event.stage === stage) throw fault;
          },
        },
      );
      await expect(failing).rejects.toBe(fault);
    }
    const onEvent = ({ type }: { type: string }): void => {
      if (type === 'run-done') throw fault;
    };
    const atTheEnd = summarizeTopic(at('topic'), { out: at('listener-end'), cache: at('cache') }, { onEvent });
    await expect(atTheEnd).rejects.toBe(fault);
  });

  it('tells a wrong option before anything is done', async () => {
    await expect(run(at('topic'), { length: 'much', out: at('never') })).rejects.toMatchObject({ name: 'UsageError' });
    await expect(run(at('topic'), { maxShot: 1, out: at('never') })).rejects.toMatchObject({ code: 'bad-option' });
    await expect(readdir(at('never'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('odd input', () => {
  it('with a stated length of zero still reports progress', { tags: 'slow' }, async () => {
    const instant = { frameCount: 2, frameRate: rational(1000, 1), tones: [] };
    const { path } = await makeVideo(ffmpeg, at('instant.mp4'), instant);
    expect((await probe(path)).durationHint).toBe(0);
    const { events } = await run(path, { out: at('instant-out'), films: false });
    const fractions = events.flatMap((event) => (event.type === 'progress' ? [event.fraction] : []));
    expect(fractions.filter((fraction) => !(fraction >= 0 && fraction <= 1))).toEqual([]);
  });

  it('of every kind is summarised, however short', { tags: 'slow' }, async () => {
    const folder = at('odd');
    await mkdir(folder);
    const names = [
      'vfr-mp4',
      'start-1h-ts',
      'rotated-90',
      'no-audio',
      'three-audio-mkv',
      'odd-size-h264',
      'vp9-webm',
      'av1-mp4',
      'mpeg4-avi',
      'one-frame',
      'five-frames',
      'static',
      'interlaced',
      'anamorphic',
    ] as const;
    for (const name of names) await makeFixture(name, { folder, ffmpeg });
    // A time is for each video; a share would leave the shortest without a film.
    const { outcome } = await run(folder, { out: at('odd-out'), length: '2s' });
    expect(outcome.document.skipped).toEqual([]);
    expect(outcome.document.videos).toHaveLength(names.length);
    for (const video of outcome.document.videos) {
      expect(video.clips.length, video.path).toBeGreaterThan(0);
      const film = await probe(at('odd-out', video.film!));
      // Films have square pixels.
      const shownPx = Math.round((video.widthPx * video.sampleAspect.num) / video.sampleAspect.den);
      expect(film.widthPx, video.path).toBe(shownPx - (shownPx % 2));
    }
    expect(outcome.document.videos.find((video) => video.path === 'vfr-mp4.mp4')!.frameRate).toBeNull();
  });

  it('can bring its own shots', { tags: 'slow' }, async () => {
    const { file, scenes } = topic.videos[0]!;
    const list = [
      'file,start_frame,end_frame',
      ...scenes.map((scene) => `${file},${scene.startFrame},${scene.endFrame}`),
    ].join('\n');
    await writeFile(at('shots.csv'), list);
    const { outcome } = await run([at('topic', file), at('topic', topic.videos[1]!.file)], {
      out: at('listed'),
      films: false,
      shots: at('shots.csv'),
    });
    expect(outcome.document.videos[0]!.shots.map((shot) => shot.startFrame)).toEqual(
      scenes.map((scene) => scene.startFrame),
    );
    expect(outcome.document.skipped.map(({ code }) => code)).toEqual(['no-shots-for-video']);
  });

  it.each(['uniform', 'kts'] as const)('can be cut by %s', { tags: 'slow' }, async (segmenter) => {
    const { outcome } = await run(at('topic'), { out: at(segmenter), films: false, segmenter });
    for (const video of outcome.document.videos) expect(video.shots.at(-1)!.endFrame).toBe(video.frames);
  });
});

describe('a second run into the same folder', () => {
  it(
    'removes what the record of the first names and its own does not, and nothing else',
    { tags: 'slow' },
    async () => {
      const { outcome } = await run(at('topic'), {
        out: at('swept'),
        length: '30%',
        concept: '5s',
        pictures: 'storyboard',
      });
      const film = outcome.document.concept!.film!;
      await writeFile(at('swept', 'mine.mp4'), 'not theirs');
      expect(existsSync(at('swept', film))).toBe(true);
      const { outcome: later } = await run(at('topic'), { out: at('swept'), length: '30%', pictures: 'none' });
      expect(later.document.concept).toBeUndefined();
      expect(existsSync(at('swept', film))).toBe(false);
      expect(existsSync(at('swept', outcome.document.concept!.storyboard!))).toBe(false);
      expect(existsSync(at('swept', outcome.document.videos[0]!.storyboard!))).toBe(false);
      for (const video of later.document.videos) expect(existsSync(at('swept', video.film!))).toBe(true);
      expect(existsSync(at('swept', 'mine.mp4'))).toBe(true);
    },
  );
});
