import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { openBrowser as openWithSystem } from '../../src/cli/studio.js';
import { startStudio, type StudioServer } from '../../src/studio/index.js';
import { canBeNobody, NOBODY } from '../fixtures/nobody.js';
import { openBrowser } from './browser.js';
import { buildPage } from './build-page.js';

const browser: Browser | null = await openBrowser();
let home: string;
let studio: StudioServer;

/** What another user of this machine finds: processes with the token in their arguments, and whether a file can be read. */
const spy = `const fs = require('node:fs');
const [, token, page] = process.argv;
const seen = fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name) && name !== String(process.pid)).filter((pid) => {
  try { return fs.readFileSync('/proc/' + pid + '/cmdline', 'latin1').includes(token); } catch { return false; }
});
let read = 'yes';
try { fs.readFileSync(page); } catch (error) { read = error.code; }
process.stdout.write(JSON.stringify({ seen, read }));`;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-open-'));
  await chmod(home, 0o755);
  studio = await startStudio(undefined, { page: await buildPage(), home });
});
afterAll(async () => {
  await studio?.close();
  await browser?.close();
  await rm(home, { recursive: true, force: true });
});

/** Opens the studio as the command does, with a program in place of the browser that notes its arguments and stays. */
async function opened(): Promise<{ page: string; arguments: string; close(): Promise<void> }> {
  const notes = join(home, 'arguments');
  await writeFile(join(home, 'xdg-open'), `#!/bin/sh\necho $$ "$@" > "${notes}.part"\nmv "${notes}.part" "${notes}"\nsleep 600\n`); // prettier-ignore
  await chmod(join(home, 'xdg-open'), 0o755);
  vi.stubEnv('PATH', `${home}${delimiter}${process.env['PATH']}`);
  try {
    const remove = openWithSystem(studio.address);
    await expect.poll(() => existsSync(notes)).toBe(true);
    const [pid, ...args] = (await readFile(notes, 'utf8')).trim().split(' ');
    const close = async (): Promise<void> => {
      remove();
      // It leads a group of its own.
      process.kill(-Number(pid), 'SIGKILL');
      await rm(notes);
    };
    return { page: args[0]!, arguments: args.join(' '), close };
  } finally {
    vi.unstubAllEnvs();
  }
}

describe.runIf(process.platform === 'linux')('the browser is opened without the token in its arguments', () => {
  it('by a file that leads to the studio, which is removed afterwards', async () => {
    const { page, arguments: given, close } = await opened();
    expect(given).not.toContain(studio.token);
    expect(await readFile(page, 'utf8')).toContain(studio.address);
    await close();
    expect(existsSync(page)).toBe(false);
  });

  it.skipIf(!canBeNobody())('which another user can neither see nor read', async () => {
    const { page, close } = await opened();
    const args = ['-e', spy, studio.token, page];
    const { stdout } = spawnSync(process.execPath, args, { uid: NOBODY, gid: NOBODY, encoding: 'utf8', cwd: '/' });
    await close();
    expect(JSON.parse(stdout)).toEqual({ seen: [], read: 'EACCES' });
  });

  it.skipIf(browser === null)('and leads a real browser there', async () => {
    const { page: file, close } = await opened();
    const page = await browser!.newPage();
    await page.goto(pathToFileURL(file).href);
    await page.waitForURL(`http://127.0.0.1:${studio.port}/`);
    await expect.poll(() => page.evaluate("sessionStorage.getItem('token')")).toBe(studio.token);
    expect(page.url()).not.toContain('token');
    await close();
  });
});
