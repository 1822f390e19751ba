import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { summarizeTopic, type OptionsInput, type Outcome, type VideoSummary } from 'throughline-video';
import { drawTopic } from '../fixtures/drawn-topic.js';
import { locateFfmpeg } from '../../src/media/index.js';
import { makePatterns } from '../fixtures/patterns.js';
import { runFfmpeg } from '../fixtures/run.js';

let home: string;
const at = (...parts: string[]): string => join(home, ...parts);

/** The drawn topic, with a copy of one video (smaller, another codec, its first second gone) and computed patterns. */
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-relate-'));
  const ffmpeg = (await locateFfmpeg()).path;
  const { videos } = await drawTopic({ folder: at('drawn'), ffmpeg, scale: 0.2 });
  await mkdir(at('in'));
  for (const { file } of videos) await cp(at('drawn', file), at('in', file));
  const copy = ['-ss', '1', '-i', at('in', 'carla.mp4'), '-vf', 'scale=128:-2', '-an', '-c:v', 'mpeg4', '-q:v', '5'];
  await runFfmpeg(ffmpeg, ['-v', 'error', '-y', ...copy, at('in', 'reupload.avi')]);
  await makePatterns(ffmpeg, at('in', 'patterns.mp4'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

function run(out: string, options: OptionsInput = {}): Promise<Outcome> {
  return summarizeTopic(at('in'), {
    cache: at('cache'),
    out: at(out),
    length: '30%',
    films: false,
    pictures: 'none',
    ...options,
  });
}
const find = ({ document }: Outcome, path: string): VideoSummary =>
  document.videos.find((video) => video.path === path)!;

describe('a topic with a stray and a double', () => {
  it('names them, with numbers, and no other video', { tags: 'slow' }, async () => {
    const outcome = await run('plain');
    const { videos, notes, skipped } = outcome.document;
    expect(skipped).toEqual([]);
    expect(videos.filter(({ standing }) => standing!.isStray).map(({ path }) => path)).toEqual(['patterns.mp4']);
    expect(videos.filter(({ standing }) => standing!.doubleOf).map(({ path }) => path)).toEqual(['reupload.avi']);
    expect(find(outcome, 'reupload.avi').standing).toMatchObject({ doubleOf: 'carla', weight: 0.5 });
    expect(find(outcome, 'carla.mp4').standing).toMatchObject({ weight: 0.5, isStray: false });
    expect(find(outcome, 'patterns.mp4').standing!.weight).toBe(1);
    const { likeness, least, nearestLikeness, rank, against } = find(outcome, 'patterns.mp4').belonging!;
    expect({ rank, against }).toEqual({ rank: videos.length, against: 'background' });
    expect(likeness).toBeLessThan(least / 2);
    expect(nearestLikeness).toBeLessThan(0.15);
    expect(videos.map(({ belonging }) => belonging!.rank).sort()).toEqual(videos.map((_, at) => at + 1));
    expect(notes.filter((note) => note.includes('does not seem to belong'))).toHaveLength(1);
    expect(notes.filter((note) => note.includes('"reupload.avi" shows the same as "carla.mp4"'))).toHaveLength(1);
    const report = await readFile(outcome.report, 'utf8');
    expect(report).toContain('does not seem to belong</span>');
    expect(report).toContain('Shown twice: 1 double');
  });

  it('lets doubles support others once and each other not at all', { tags: 'slow' }, async () => {
    const outcome = await run('plain');
    const supporters = (path: string): Set<string> =>
      new Set(find(outcome, path).shots.flatMap(({ support }) => support.map(({ video }) => video)));
    expect(supporters('carla.mp4')).not.toContain('reupload');
    expect(supporters('reupload.avi')).not.toContain('carla');
  });

  it('leaves strays out, or looks for none, as the options say', { tags: 'slow' }, async () => {
    const dropped = await run('dropped', { dropStrays: true });
    expect(dropped.document.skipped.map(({ path, code }) => [path, code])).toEqual([['patterns.mp4', 'stray']]);
    expect(dropped.document.videos).toHaveLength(8);
    const untouched = await run('untouched', { relate: false });
    expect(untouched.document.videos.every(({ standing }) => standing === undefined)).toBe(true);
    expect(untouched.document.notes.some((note) => note.includes('belong'))).toBe(false);
  });

  it(
    'is the same, byte for byte, with any number of workers, and with nearer neighbours counting more',
    { tags: 'slow' },
    async () => {
      for (const neighbors of ['equal', 'similar'] as const) {
        await run(`one-${neighbors}`, { jobs: 1, neighbors });
        await run(`three-${neighbors}`, { jobs: 3, neighbors });
        const [one, three] = await Promise.all(
          ['one', 'three'].map((name) => readFile(at(`${name}-${neighbors}`, 'summary.json'), 'utf8')),
        );
        expect(three).toBe(one);
      }
      const scores = async (name: string): Promise<unknown> =>
        (JSON.parse(await readFile(at(name, 'summary.json'), 'utf8')) as Outcome['document']).videos.map(({ shots }) =>
          shots.map(({ score }) => score),
        );
      expect(await scores('one-similar')).not.toEqual(await scores('one-equal'));
    },
  );
});

describe('a topic of two', () => {
  it.each([false, true])('has no strays, whatever they show (dropStrays %s)', async (dropStrays) => {
    const { document } = await summarizeTopic([at('in', 'aiko.mp4'), at('in', 'patterns.mp4')], {
      dropStrays,
      cache: at('cache'),
      out: at('two'),
      films: false,
      pictures: 'none',
    });
    expect(document.videos.map(({ standing }) => standing)).toEqual([
      { weight: 1, isStray: false },
      { weight: 1, isStray: false },
    ]);
  });
});
