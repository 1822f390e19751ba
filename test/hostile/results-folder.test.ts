import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { summarizeTopic, type OptionsInput } from 'throughline-video';
import { runCli } from '../../src/cli/index.js';
import { locateFfmpeg } from '../../src/media/index.js';
import { makeVideo } from '../fixtures/video.js';

let home: string;
const at = (...parts: string[]): string => join(home, ...parts);
const options = (out: string): OptionsInput => ({ features: 'shallow', films: false, pictures: 'none', length: '1s', out: at(out), cache: at('cache') }); // prettier-ignore

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-results-'));
  await mkdir(at('footage', 'more'), { recursive: true });
  const { path: ffmpeg } = await locateFfmpeg();
  for (const [place, name] of ['one.mp4', 'more/two.mp4'].entries()) {
    await makeVideo(ffmpeg, at('footage', name), { widthPx: 96, heightPx: 54, frameCount: 50, cuts: [25], firstNumber: 100 * place, tones: [] }); // prettier-ignore
  }
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** Exports a summary, and gives what was said and written. */
async function exported(summary: string, out: string): Promise<{ said: string; text: string }> {
  let said = '';
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => ((said += String(chunk)), true)),
  );
  try {
    expect(await runCli(['export', summary, '--format', 'otio', '--topic', '--out', out])).toBe(0);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return { said, text: await readFile(out, 'utf8') };
}

describe('export', () => {
  it.each([
    ['a folder', () => [at('footage')], ['one.mp4', 'more/two.mp4']],
    ['files of several folders', () => [at('footage', 'one.mp4'), at('footage', 'more', 'two.mp4')], ['one.mp4', 'more/two.mp4']],
  ])('finds the videos of a run whose topic has another name than %s', async (title, given, names) => {
    const out = join('results', 'deep', title.replaceAll(' ', '-'));
    await summarizeTopic(given(), { ...options(out), topic: 'Paris', recursive: true });
    const { said, text } = await exported(at(out, 'summary.json'), at(`${title}.otio`));
    expect(said).not.toContain('Not found');
    for (const name of names) expect(text).toContain(pathToFileURL(at('footage', name)).href);
  }); // prettier-ignore
});

describe('names of results', () => {
  it('are composed, and keep what belongs to a letter', async () => {
    const names = ['cafe\u0301', 'हिन्दी', 'ภาษาไทยที่นี่', 'क्‍ष', 'é'.repeat(60).normalize('NFD')];
    await mkdir(at('names'));
    for (const [place, name] of names.entries()) {
      await cp(at('footage', 'one.mp4'), at('names', `${name}.mp4`));
      // Each has other bytes: copies would be left out.
      await writeFile(at('names', `${name}.mp4`), Buffer.from([0, 0, 0, 9 + place, ...Buffer.from('free'), ...Buffer.alloc(1 + place)]), { flag: 'a' }); // prettier-ignore
    }
    const { document } = await summarizeTopic(at('names'), { ...options('named'), pictures: 'storyboard' });
    expect(document.videos.map(({ id }) => id).sort()).toEqual(names.map((name) => name.normalize('NFC')).sort());
    const found = await readdir(at('named'));
    for (const name of names) expect(found).toContain(`${name.normalize('NFC')}.storyboard.png`);
  });
});

describe('two runs with the same folder for results', () => {
  const refused = { code: 'out-in-use', message: expect.stringContaining('choose another --out') as string };
  const lock = (...folder: string[]): string => at(...folder, '.throughline-lock');
  const claim = (pid: number, host = hostname()): string =>
    JSON.stringify({ pid, host, started: '', token: 'somebody' });

  it('at the same time: the second is refused, the first ends as if it had been alone', async () => {
    const [first, second] = await Promise.allSettled(
      [1, 2].map(() => summarizeTopic(at('footage'), options('shared'))),
    );
    const failed = [first!, second!].filter(({ status }) => status === 'rejected');
    expect(failed).toEqual([{ status: 'rejected', reason: expect.objectContaining(refused) as unknown }]);
    expect(await readdir(at('shared'))).not.toContain('.throughline-lock');
    await summarizeTopic(at('footage'), options('shared'));
  });

  it('where the other is alive: refused; where it was killed: taken over', async () => {
    await summarizeTopic(at('footage'), options('left'));
    const other = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)']);
    await writeFile(lock('left'), claim(other.pid!));
    await expect(summarizeTopic(at('footage'), options('left'))).rejects.toMatchObject(refused);
    other.kill('SIGKILL');
    await once(other, 'close');
    await summarizeTopic(at('footage'), options('left'));
    expect(await readdir(at('left'))).not.toContain('.throughline-lock');
  });

  it('where the other is on another machine: refused, with the file to remove', async () => {
    await writeFile(lock('left'), claim(1, 'elsewhere'));
    await expect(summarizeTopic(at('footage'), options('left'))).rejects.toThrow(`or remove "${lock('left')}"`);
  });
});
