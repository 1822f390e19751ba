import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { addToTopic, summarizeTopic, updateTopic, type OptionsInput } from 'throughline-video';
import { locateFfmpeg } from '../../src/media/index.js';
import { contents } from '../fixtures/contents.js';
import { canTrace, fileCalls, fileTracer, unflushed, type FileCall } from '../fixtures/file-calls.js';
import { buildProgram, type Program } from '../fixtures/program.js';
import { makeVideo } from '../fixtures/video.js';

/** A power cut takes what was not on the disk yet, in any order. */
let home: string;
let program: Program;
const at = (...parts: string[]): string => join(home, ...parts);
const OPTIONS: OptionsInput = { length: '40%', concept: '2s', features: 'shallow', pictures: 'storyboard,stills' };
const run = (): Promise<unknown> => summarizeTopic(at('topic'), { ...OPTIONS, out: at('out'), cache: at('cache') });

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-power-'));
  program = await buildProgram();
  await mkdir(at('topic'));
  const { path: ffmpeg } = await locateFfmpeg();
  for (const [place, name] of ['one.mp4', 'two.mp4'].entries()) {
    await makeVideo(ffmpeg, at('topic', name), { widthPx: 96, heightPx: 54, frameCount: 50, cuts: [25], firstNumber: 200 * place }); // prettier-ignore
  }
});
afterAll(async () => {
  await program.close();
  await rm(home, { recursive: true, force: true });
});

/** Runs a command of the program; what it asked of files in these folders. */
const traced = (args: readonly string[], ...folders: string[]): Promise<FileCall[][]> =>
  tracedScript([program.entry, ...args], ...folders);

async function tracedScript(script: readonly string[], ...folders: string[]): Promise<FileCall[][]> {
  const [tracer = '', ...rest] = fileTracer(at('notes'));
  const child = spawn(tracer, [...rest, process.execPath, ...script], { stdio: 'ignore' });
  expect(await once(child, 'close')).toEqual([0, null]);
  const notes = await readFile(at('notes'), 'utf8');
  return folders.map((folder) => fileCalls(notes, folder));
}

describe.skipIf(!canTrace())('what is put in its place', () => {
  const names = (calls: readonly FileCall[]): string[] => calls.flatMap((call) => (call.kind === 'rename' ? [call.to] : [])); // prettier-ignore

  it('by a run is on the disk before it gets its name, and its name before the record tells of it', async () => {
    const [out = [], cache = []] = await traced(
      ['summarize', at('topic'), '--out', at('safe', 'out'), '--cache', at('safe', 'cache'), '--length', '40%', '--concept', '2s', '--features', 'shallow', '--pictures', 'storyboard,stills', '--preview', 'gif'],
      at('safe', 'out'),
      at('safe', 'cache'),
    ); // prettier-ignore
    expect(names(out)).toEqual(expect.arrayContaining(['summary.json', 'report.html', 'one.mp4', 'concept.mp4', 'one.preview.gif'].map((name) => at('safe', 'out', name)))); // prettier-ignore
    expect(names(cache).length).toBeGreaterThanOrEqual(5);
    expect([...unflushed(out), ...unflushed(cache)]).toEqual([]);
    const record = out.findIndex((call) => call.kind === 'rename' && call.to.endsWith('/summary.json'));
    expect(unflushed(out.slice(0, record))).toEqual([]);
  });

  it('by a topic that grows, too', async () => {
    const [calls = []] = await traced(['topic', 'add', at('grown'), at('topic'), '--features', 'shallow'], at('grown'));
    expect(names(calls)).toEqual(expect.arrayContaining([at('grown', 'topic.json'), at('grown', 'summary', 'summary.json')])); // prettier-ignore
    expect(unflushed(calls)).toEqual([]);
  });
});

describe.skipIf(!canTrace())('an object in a store that is a folder', () => {
  it('is on the disk before it gets its name, and so is the record of its checksum', async () => {
    const store = pathToFileURL(join(dirname(program.entry), '../storage/index.js')).href;
    const write = `const { openObjects } = await import('${store}');
      await (await openObjects('${at('store')}')).write('topics/a/head.json', '{}');`;
    await writeFile(at('write.mjs'), write);
    const [calls = []] = await tracedScript([at('write.mjs')], at('store'));
    const named = calls.findIndex((call) => call.kind === 'rename' && call.to === at('store/topics/a/head.json'));
    expect(named).toBeGreaterThan(0);
    expect(unflushed(calls)).toEqual([]);
    const sums = at('store/.throughline-store/sums/topics/a/head.json');
    expect(calls.findIndex((call) => call.kind === 'flush' && call.path === sums)).toBeLessThan(named);
    expect(unflushed(calls.slice(0, named))).toEqual([]);
  });
});

/** Where a disk lost bytes all the same: one that lies about them, or a file that a program before this one wrote. */
describe('a file that lost its bytes is noticed and made again, though its receipt is there:', () => {
  let undisturbed: Record<string, string>;
  beforeAll(async () => {
    await run();
    undisturbed = await contents(at('out'));
  });

  it.each([
    ['all of them', 0],
    ['the second half', 0.5],
    ['the last one', 1],
  ])('%s', async (_, share) => {
    for (const name of Object.keys(undisturbed)) {
      const { length } = await readFile(at('out', name));
      await truncate(at('out', name), Math.min(length - 1, Math.floor(share * length)));
    }
    expect(await contents(at('out'))).not.toEqual(undisturbed);
    await run();
    expect(await contents(at('out'))).toEqual(undisturbed);
  });

  it('files of the cache, one gone from each entry', async () => {
    const parts = (await readdir(at('cache', 'film-parts'))).map((key) => join('film-parts', key));
    expect(parts.length).toBeGreaterThan(0);
    for (const key of [...(await readdir(at('cache'))).filter((name) => name !== 'film-parts'), ...parts]) {
      const [file = ''] = (await readdir(at('cache', key))).filter((name) => name !== 'entry');
      await rm(at('cache', key, file === '' ? 'entry' : file));
    }
    await rm(at('out'), { recursive: true });
    await run();
    expect(await contents(at('out'))).toEqual(undisturbed);
  });

  it('in a topic that grows, whose last summary is gone', async () => {
    const options = { ...OPTIONS, pictures: 'storyboard' };
    await addToTopic([at('topic')], options, { folder: at('kept') });
    const before = await contents(at('kept', 'summary'));
    for (const length of [0, 200]) {
      for (const name of Object.keys(before)) await truncate(at('kept', 'summary', name), length);
      await updateTopic({}, { folder: at('kept') });
      expect(await contents(at('kept', 'summary'))).toEqual(before);
    }
  });
});
