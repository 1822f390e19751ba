import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { start } from './process.js';

const TELL = `console.error(JSON.stringify({ cwd: process.cwd(), inside: fs.readdirSync('.'), tmp: ['TMPDIR', 'TMP', 'TEMP'].map((name) => process.env[name]) }));`;
type Told = { cwd: string; inside: string[]; tmp: string[] };

function run(script: string): { reported: Promise<Told>; exited: Promise<unknown>; kill: () => void } {
  let emit: (reported: Told) => void;
  const reported = new Promise<Told>((resolve) => (emit = resolve));
  const onLine = (line: string): boolean => (emit(JSON.parse(line) as Told), true);
  return { reported, ...start(process.execPath, ['-e', `${TELL}${script}`], { onLine }) };
}

let home: string;
beforeAll(async () => void (home = await mkdtemp(join(tmpdir(), 'throughline-temp-'))));
afterAll(() => rm(home, { recursive: true, force: true }));

describe('a program works in a folder of its own', () => {
  it('which is empty, where its temporary files go too, and is gone with all that is in it', async () => {
    const [one, two] = [run(`fs.mkdirSync('deep'); fs.writeFileSync('deep/left', 'x')`), run('')];
    const [first, second] = [await one.reported, await two.reported];
    expect(first.inside).toEqual([]);
    expect(first.tmp).toEqual([first.cwd, first.cwd, first.cwd]);
    expect(second.cwd).not.toBe(first.cwd);
    await Promise.all([one.exited, two.exited]);
    expect([first.cwd, second.cwd].filter(existsSync)).toEqual([]);
  });

  it('which is gone when it is killed, and when it cannot be started', async () => {
    const running = run('setInterval(() => undefined, 1000)');
    const { cwd } = await running.reported;
    running.kill();
    await running.exited;
    expect(existsSync(cwd)).toBe(false);
    const before = readdirSync(join(cwd, '..'));
    await expect(start(join(home, 'no-such-program'), []).exited).rejects.toMatchObject({ code: 'ENOENT' });
    expect(() => start(process.execPath, ['a\0b'])).toThrow('null bytes');
    expect(readdirSync(join(cwd, '..'))).toEqual(before);
  });
});

describe('of a process of ours', () => {
  const script = (ending: string): string => `
    import { start } from '${join(import.meta.dirname, 'process.ts')}';
    start(process.execPath, ['-e', 'setTimeout(() => undefined, 60_000)']);
    ${ending}`;

  async function end(name: string, ending: string): Promise<void> {
    const path = join(home, `${name}.ts`);
    await writeFile(path, script(ending));
    const child = spawn(process.execPath, ['--import', 'tsx', path], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, TMPDIR: join(home, 'tmp') },
    });
    await once(child, 'close');
  }
  const left = async (): Promise<string[]> =>
    (await readdir(join(home, 'tmp'))).filter((name) => name.startsWith('throughline-'));

  it('that ends nothing is left; what one that was killed left, a later one takes away', { tags: 'slow' }, async () => {
    await mkdir(join(home, 'tmp'));
    await end('ends', 'process.exit(0)');
    expect(await left()).toEqual([]);
    await end('killed', `process.kill(process.pid, 'SIGKILL')`);
    const [abandoned] = await left();
    const long = new Date(Date.now() - 3600_000);
    await utimes(join(home, 'tmp', abandoned!), long, long);
    await end('later', 'process.exit(0)');
    expect(await left()).toEqual([]);
  });

  it('a temp folder that cannot be had is named', { tags: 'slow' }, async () => {
    const path = join(home, 'nowhere.ts');
    await writeFile(
      path,
      `import { start } from '${join(import.meta.dirname, 'process.ts')}';
      process.env.TMPDIR = '/no-such-folder';
      try { start('x', []); } catch (error) { console.log(error.code, error.message); }`,
    );
    const child = spawn(process.execPath, ['--import', 'tsx', path], { stdio: ['ignore', 'pipe', 'inherit'] });
    let words = '';
    child.stdout.on('data', (text: Buffer) => (words += text.toString()));
    await once(child, 'close');
    expect(words).toMatch(/^no-temp-folder .*no-such-folder.*set TMPDIR/);
  });
});
