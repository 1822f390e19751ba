import { spawnSync } from 'node:child_process';
import { mkdtemp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { decodeNpy } from '../../src/features/index.js';
import { openWorkbench } from '../../src/index.js';
import { locateFfmpeg } from '../../src/media/index.js';
import { scoreLine } from '../../src/summary/index.js';
import { copyAnalysis, drawTopic } from '../fixtures/drawn-topic.js';
import { programEntry } from '../fixtures/program.js';

const entry = await programEntry();
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-score-'));
  await drawTopic({ folder: join(home, 'town'), ffmpeg: (await locateFfmpeg()).path, scale: 0.2, videoCount: 3 });
  await copyAnalysis(join(home, 'cache'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

function throughline(...args: string[]) {
  const env = { ...process.env, THROUGHLINE_CACHE: join(home, 'cache'), NO_COLOR: '1' };
  return spawnSync(process.execPath, [entry, ...args], { cwd: home, encoding: 'utf8', env });
}

const readTable = async (path: string) =>
  decodeNpy(await readFile(path), (expected, found) => {
    throw new Error(`Expected ${expected}, found ${found}`);
  });

it('score prints a line a shot, the same as in summary.json, with its rows in the tables', async () => {
  const { status, stdout, stderr } = throughline('score', 'town', '--length', '30%', '--tables', 'tables', '--quiet');
  expect([status, stderr]).toEqual([0, '']);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => scoreLine.parse(JSON.parse(line)));
  expect(lines.map(({ row }) => row)).toEqual(lines.map((_, at) => at));

  // What the run itself records.
  const bench = await openWorkbench(join(home, 'town'), {
    length: '30%',
    ...{ cache: join(home, 'cache'), out: join(home, 'cache', 'bench') },
  });
  const document = await bench.rank({});
  const vectors = await bench.vectors();
  await bench.close();
  const shots = document.videos.flatMap(({ id, range: whole, shots: own }) =>
    own.map((shot) => ({ id, whole, shot: { ...shot } })),
  );
  expect(lines.map(({ video, index, range, rank, score, evidence, chosen, support }) => ({ video, index, range, rank, score, evidence, chosen, support }))) // prettier-ignore
    .toEqual(shots.map(({ id, shot: { index, range, rank, score, evidence, chosen, support } }) => ({ video: id, index, range, rank, score, evidence, chosen, support }))); // prettier-ignore
  expect(lines.some(({ chosen }) => chosen)).toBe(true);
  for (const [at, { seconds, range }] of lines.entries()) {
    const { num, den } = range.base;
    expect(seconds.start).toBeCloseTo(((range.start - shots[at]!.whole.start) * num) / den, 9);
    expect(seconds.end - seconds.start).toBeCloseTo(((range.end - range.start) * num) / den, 9);
  }

  const file = resolve(home, 'tables/vectors.npy');
  const table = await readTable(file);
  expect(lines.map(({ vector }) => vector)).toEqual(lines.map(({ row }) => ({ file, row })));
  expect([table.rows, table.cols]).toEqual([lines.length, vectors.cols]);
  expect([...table.values]).toEqual([...Float32Array.from(vectors.data)]);
  const evidence = await readTable(resolve(home, 'tables/evidence.npy'));
  expect([evidence.rows, evidence.cols]).toEqual([lines.length, 5]);
  const terms = ['total', 'likeness', 'distinct', 'strength', 'activity'] as const;
  expect([...evidence.values]).toEqual(lines.flatMap((line) => terms.map((term) => line.evidence?.[term] ?? NaN)));
  // Nothing was rendered.
  expect((await readdir(home)).toSorted()).toEqual(['cache', 'tables', 'town']);
});

it('score writes the lines to a file, whole or not at all, and says what is wrong', { tags: 'slow' }, async () => {
  expect(throughline('score', 'town', '--json', 'shots.jsonl', '--evidence', '0').status).toBe(0);
  const lines = (await readFile(join(home, 'shots.jsonl'), 'utf8')).trimEnd().split('\n');
  const first = scoreLine.parse(JSON.parse(lines[0]!));
  expect(first.vector).toBeNull();

  // What is not a video is named, and the others are scored.
  await writeFile(join(home, 'town', 'list.mp4'), 'milk, flour');
  const some = throughline('score', 'town', '--quiet');
  expect([some.status, some.stderr]).toEqual([3, expect.stringMatching(/^skipped: .*list\.mp4/)]);
  expect(some.stdout.trimEnd().split('\n')).toHaveLength(lines.length);

  await mkdir(join(home, 'mine'));
  await writeFile(join(home, 'mine', 'letter.txt'), 'dear');
  const refused = throughline('score', 'town', '--tables', 'mine');
  expect([refused.status, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toMatch(/found other files .*--tables/);
  // No video is replaced by lines, and no device by a file.
  const before = await readFile(join(home, 'town', 'aiko.mp4'));
  for (const path of ['town/aiko.mp4', 'town/new.MP4', '/dev/null', 'town']) {
    const { status, stderr } = throughline('score', 'town', '--json', path);
    expect([path, status, stderr]).toEqual([path, 2, expect.stringContaining('for --json, found')]);
  }
  expect(await readFile(join(home, 'town', 'aiko.mp4'))).toEqual(before);
  const none = throughline('score', 'nowhere');
  expect([none.status, none.stdout]).toEqual([2, '']);
  const film = throughline('score', 'town', '--format', 'webm');
  expect([film.status, film.stderr]).toEqual([2, expect.stringContaining('Expected an option of "throughline score"')]);
});
