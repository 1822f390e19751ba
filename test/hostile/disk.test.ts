import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { locateFfmpeg } from '../../src/media/index.js';
import { contents } from '../fixtures/contents.js';
import { canBeNobody, NOBODY } from '../fixtures/nobody.js';
import { doSteps, type Done, type Step } from '../fixtures/steps.js';
import { makeVideo } from '../fixtures/video.js';

const ROOT = process.getuid?.() === 0;
/** A place where disks of any size can be had: mounts of our own, which are gone with the process. */
const OWN_MOUNTS = ['unshare', '-rm'];
const canMount =
  spawnSync(OWN_MOUNTS[0]!, [...OWN_MOUNTS.slice(1), 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).status === 0;

let home: string;
let undisturbed: Record<string, string>;
const at = (...parts: string[]): string => join(home, ...parts);
const summarize = (out = 'out', cache = 'cache'): Step => ({
  run: ['summarize', 'topic', '--out', out, '--cache', cache, '--length', '40%', '--concept', '2s', '--features', 'shallow', '--quiet'], // prettier-ignore
});

/** The same run, with its vectors on disk. */
const summarizeLarge = (out: string, cache: string): Step => ({
  large: { topic: at('topic'), options: { out: at(out), cache: at(cache), length: '40%', concept: '2s', features: 'shallow' } }, // prettier-ignore
});

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-disk-'));
  await chmod(home, 0o777);
  await mkdir(at('topic'));
  const { path: ffmpeg } = await locateFfmpeg();
  for (const [place, name] of ['one.mp4', 'two.mkv'].entries()) {
    const container = name.split('.')[1] as 'mp4';
    await makeVideo(ffmpeg, at('topic', name), { container, widthPx: 128, heightPx: 72, frameCount: 60, cuts: [20, 40], firstNumber: 200 * place }); // prettier-ignore
  }
  // Names are relative on purpose: no program that is started may take them for names in its own folder.
  const [done] = await doSteps([summarize('whole', 'kept')], { cwd: home });
  expect(done).toEqual({ code: 0, said: '' });
  undisturbed = await contents(at('whole'));
});
afterAll(() => rm(home, { recursive: true, force: true }));
beforeEach(async () => {
  for (const name of ['out', 'cache', 'full']) {
    await rm(at(name), { recursive: true, force: true });
    await mkdir(at(name));
    await chmod(at(name), 0o777);
  }
});

/** Kilobytes that files take on a disk which gives room by 4 KB. */
async function roomFor(folder: string, wanted: (name: string) => boolean = () => true): Promise<number> {
  const entries = await readdir(at(folder), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && wanted(entry.name));
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).size));
  return sizes.reduce((sum, size) => sum + 4 * Math.ceil(size / 4096), 0);
}
const isRecord = (name: string): boolean => name === 'summary.json' || name === 'report.html';
/** A little more than all that is there before the film of the topic, or before the record. */
const beforeFilm = async (): Promise<number> => 4 + (await roomFor('whole', (name) => !isRecord(name) && name !== 'concept.mp4')); // prettier-ignore
const beforeRecord = async (): Promise<number> => 4 + (await roomFor('whole', (name) => !isRecord(name)));

/** Nothing but whole files, under their names. */
function expectWhole(files: Record<string, string> | undefined): void {
  expect(undisturbed).toMatchObject(files ?? {});
}

if (!canMount) process.stderr.write('Full disks are not tried: this user may not mount any (unshare -rm).\n');
describe.skipIf(!canMount)('a disk that is full: a sentence, no half file, and all is well when there is room', () => {
  /** A run on a disk of so many kilobytes, then one on a large disk. */
  async function twice(kilobytes: number, disk: string, out: string, cache: string): Promise<Done[]> {
    const mount = (...options: string[]): Step => ({ system: ['mount', ...options, 'tmpfs', at(disk)] });
    return doSteps(
      [
        mount('-t', 'tmpfs', '-o', `size=${kilobytes}k`),
        summarize(out, cache),
        ...[{ look: at(out) }, { look: at(cache) }],
        mount('-o', 'remount,size=64m'),
        summarize(out, cache),
        { look: at(out) },
      ],
      { cwd: home, wrapper: OWN_MOUNTS },
    );
  }

  type Full = [
    title: string,
    kilobytes: () => Promise<number>,
    disk: string,
    out: string,
    cache: string,
    option: string,
  ];
  const rare: Full[] = [
    ['for results, at once', async () => 4, 'out', 'out', 'cache', 'out'],
    ['of the cache, behind the first video', async () => (await roomFor('kept')) / 2, 'cache', 'out', 'cache', 'cache'],
  ];
  it.each<Full>([
    ['for results, at the film of the topic', beforeFilm, 'out', 'out', 'cache', 'out'],
    ['for results, at the record or the report', beforeRecord, 'out', 'out', 'cache', 'out'],
    ['of the cache, while a video is read', async () => 4, 'cache', 'out', 'cache', 'cache'],
    ['for both', async () => (await roomFor('kept')) + (await beforeFilm()), 'full', 'full/out', 'full/cache', 'out'],
    ...(process.env['FAULT_DISKS'] === 'all' ? rare : []),
  ])('%s', async (_, kilobytes, disk, out, cache, option) => {
    const [, first, left, kept, , second, after] = await twice(await kilobytes(), disk, out, cache);
    expect(first!.code).toBe(1);
    expect(first!.said).toMatch(
      new RegExp(`^throughline: The disk is full: could not write "${at(disk)}.*--${option}, and run again.*\\n$`),
    );
    expectWhole(left!.files);
    expect(Object.keys(kept!.files!).filter((name) => name.includes('draft'))).toEqual([]);
    expect(second).toEqual({ code: 0, said: '' });
    expect(after!.files).toEqual(undisturbed);
  });

  it('of the cache, when all but what saves time has room: the run goes on', async () => {
    const mount = (...options: string[]): Step => ({ system: ['mount', ...options, 'tmpfs', at('cache')] });
    const [, , , , , first, left] = await doSteps(
      [
        mount('-t', 'tmpfs', '-o', 'size=64m'),
        summarize(),
        mount('-o', 'remount,size=512k'),
        { system: ['sh', '-c', `dd if=/dev/zero of=${at('cache', 'filler')} bs=4k 2>/dev/null || true`] },
        { system: ['sh', '-c', `rm -r ${at('out')}/*`] },
        summarize(),
        { look: at('out') },
      ],
      { cwd: home, wrapper: OWN_MOUNTS },
    );
    expect(first!.code).toBe(0);
    expect(left!.files).toEqual(undisturbed);
  });
});

describe('a topic whose vectors are on disk', () => {
  const mount = (...options: string[]): Step => ({ system: ['mount', ...options, 'tmpfs', at('cache')] });
  const shell = (command: string): Step => ({ system: ['sh', '-c', command] });
  const clear = (): Step => shell(`rm -r ${at('out')}/*`);

  it.skipIf(!canMount)(
    'when the disk is full, at once or in the midst of them: a sentence, and nothing half',
    async () => {
      const filler = at('cache', 'filler');
      const fill = (left: string): Step => shell(`dd if=/dev/zero of=${filler} bs=4k 2>/dev/null; truncate -s -${left} ${filler}`); // prettier-ignore
      const attempt = [summarizeLarge('out', 'cache'), { look: at('out') }, { look: at('cache') }];
      const done = await doSteps(
        [
          ...[mount('-t', 'tmpfs', '-o', 'size=4m'), summarizeLarge('out', 'cache'), { look: at('out') }],
          ...[clear(), fill('0'), ...attempt],
          ...[fill('8k'), ...attempt],
          ...[shell(`rm ${filler}`), summarizeLarge('out', 'cache'), { look: at('out') }],
        ],
        { cwd: home, wrapper: OWN_MOUNTS },
      );
      const [, first, made, , , atOnce, nothing, , , inMidst, still, kept, , last, after] = done;
      expect([first, made]).toEqual([{ code: 0, said: '' }, { files: undisturbed }]);
      for (const { code, said } of [atOnce!, inMidst!]) {
        expect(said).toMatch(new RegExp(`^The disk is full: could not write "${at('cache')}".*--cache, and run again`));
        expect(code).toBe(1);
      }
      expect([nothing, still]).toEqual([{ files: {} }, { files: {} }]);
      expect(Object.keys(kept!.files!).filter((name) => name.includes('draft'))).toEqual([]);
      expect([last, after]).toEqual([{ code: 0, said: '' }, { files: undisturbed }]);
    },
  );

  it.skipIf(!canMount)('when the cache is complete and read-only: all that is known is used', async () => {
    const [, , , , again, after] = await doSteps(
      [
        ...[mount('-t', 'tmpfs'), summarizeLarge('out', 'cache'), mount('-o', 'remount,ro'), clear()],
        ...[summarizeLarge('out', 'cache'), { look: at('out') }],
      ],
      { cwd: home, wrapper: OWN_MOUNTS },
    );
    expect([again, after]).toEqual([{ code: 0, said: '' }, { files: undisturbed }]);
  });

  it.skipIf(process.platform === 'win32')('when no file may be as large: a sentence', async () => {
    const [done] = await doSteps([summarizeLarge('out', 'kept')], {
      ...{ cwd: home, wrapper: ['sh', '-c', 'ulimit -f 8; exec "$@"', 'sh'] },
    });
    expect(done).toEqual({ code: 1, said: expect.stringContaining(`"${at('kept')}": the file is larger than`) as string }); // prettier-ignore
    expect(await contents(at('out'))).toEqual({});
  });
});

describe.skipIf(!canMount)('a disk that is read-only: a sentence, and what stands stays as it is', () => {
  const mount = (disk: string, ...options: string[]): Step => ({ system: ['mount', ...options, 'tmpfs', at(disk)] });
  const frozen = (path: string): Done => ({
    code: 1,
    said: expect.stringContaining(`throughline: Could not write "${at(path)}": the disk is read-only. Choose a folder`) as string, // prettier-ignore
  });

  it('for results, empty and full, until it can be written to', async () => {
    const [, , empty, nothing, , , , full, left, , again, after] = await doSteps(
      [
        mount('out', '-t', 'tmpfs'),
        mount('out', '-o', 'remount,ro'),
        ...[summarize(), { look: at('out') }],
        mount('out', '-o', 'remount,rw'),
        summarize(),
        mount('out', '-o', 'remount,ro'),
        ...[summarize(), { look: at('out') }],
        mount('out', '-o', 'remount,rw'),
        ...[summarize(), { look: at('out') }],
      ],
      { cwd: home, wrapper: OWN_MOUNTS },
    );
    expect([empty, nothing]).toEqual([frozen('out'), { files: {} }]);
    expect([full, left]).toEqual([frozen('out'), { files: undisturbed }]);
    expect([again, after]).toEqual([{ code: 0, said: '' }, { files: undisturbed }]);
  });

  it('of the cache: empty, nothing can be read; full, all that is known is used', async () => {
    const [, , empty, , first, , , second, after] = await doSteps(
      [
        mount('cache', '-t', 'tmpfs'),
        mount('cache', '-o', 'remount,ro'),
        summarize(),
        mount('cache', '-o', 'remount,rw'),
        summarize(),
        mount('cache', '-o', 'remount,ro'),
        { system: ['sh', '-c', `rm -r ${at('out')}/*`] },
        summarize(),
        { look: at('out') },
      ],
      { cwd: home, wrapper: OWN_MOUNTS },
    );
    expect(empty).toEqual(frozen('cache'));
    expect([first!.code, second!.code]).toEqual([0, 0]);
    expect(after).toEqual({ files: undisturbed });
  });
});

describe('without permission: a sentence, and what stands is whole', () => {
  const asNobody = (steps: Step[]): Promise<Done[]> => doSteps(steps, { cwd: home, uid: ROOT ? NOBODY : undefined });
  const refused = (path: string): Done => ({
    code: 1,
    said: expect.stringContaining(`throughline: Could not write "${at(path)}": permission denied. Choose a folder`) as string, // prettier-ignore
  });

  it.skipIf(process.platform === 'win32' || (ROOT && !canBeNobody()))('to read or to write', async () => {
    const secret = at('topic', 'three.mp4');
    await writeFile(secret, 'x', { mode: 0 });
    await chmod(secret, 0);
    await mkdir(at('full', 'out', 'one.mp4'), { recursive: true });
    await writeFile(at('full', 'out', '.throughline'), '');
    await chmod(at('full', 'out', '.throughline'), 0o666);
    await chmod(at('full', 'out'), 0o777);
    await chmod(at('out'), 0o555);
    await chmod(at('cache'), 0o555);
    await chmod(at('kept'), 0o555);
    const [noOut, noCache, noRead, onlyRead, noReplacing] = await asNobody([
      summarize('out', 'full/cache'),
      summarize('full/new', 'cache'),
      summarize('full/read', 'full/cache'),
      summarize('full/kept', 'kept'),
      summarize('full/out', 'full/cache'),
    ]);
    expect(noOut).toEqual(refused('out'));
    expect(noCache).toEqual(refused('cache'));
    expect(noRead).toMatchObject({ code: 3 });
    expect(onlyRead).toMatchObject({ code: 3 });
    expect(noReplacing).toMatchObject({ code: 1, said: expect.stringContaining('Could not put') as string });
    expect(noReplacing!.said).toContain(at('full/out/one.mp4'));
    const names = ['one.mp4', 'two.mp4', 'concept.mp4', 'one.storyboard.png'];
    for (const folder of ['full/read', 'full/kept']) {
      const found = await contents(at(folder));
      for (const name of names) expect([folder, name, found[name]]).toEqual([folder, name, undisturbed[name]]);
    }
    expect((await contents(at('full', 'out')))['summary.json']).toBeUndefined();
    await rm(secret);
    for (const name of ['out', 'cache', 'kept']) await chmod(at(name), 0o777);
    const [again] = await asNobody([summarize()]);
    expect(again).toEqual({ code: 0, said: '' });
    expect(await contents(at('out'))).toEqual(undisturbed);
  });
});
