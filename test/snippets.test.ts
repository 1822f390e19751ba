import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { allPages } from '../scripts/figures.js';

const home = resolve(import.meta.dirname, '..');
/** Beside the sources, so that packages are found as they are from there. */
let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(home, 'test', '.snippets-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

it('every TypeScript block of the pages compiles, with the exports and types there are', { tags: 'slow' }, async () => {
  const names = new Map<string, string>();
  for (const page of allPages()) {
    const text = await readFile(join(home, page), 'utf8');
    for (const [at, [, block]] of [...text.matchAll(/^```ts\n(.*?)^```/gms)].entries()) {
      const file = `${page.replace(/\W+/g, '-')}-${at + 1}.ts`;
      // Paths are those of a page two folders down; a block without imports is still a module of its own.
      await writeFile(join(folder, file), `${block!.replaceAll("'../src/", "'../../src/")}\nexport {};\n`);
      names.set(relative(home, join(folder, file)), page);
    }
  }
  expect(names.size).toBeGreaterThan(5);
  const options = { incremental: false, tsBuildInfoFile: null, noUnusedLocals: false };
  const settings = { extends: '../../tsconfig.json', compilerOptions: options, include: ['*.ts'], exclude: [] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  const tsc = join(home, 'node_modules', '.bin', 'tsc');
  const complaints = await promisify(execFile)(tsc, ['-p', folder, '--pretty', 'false'], { cwd: home }).then(
    ({ stdout }) => stdout,
    ({ stdout, message }: { stdout?: string; message: string }) => stdout || message,
  );
  expect([...names].reduce((text, [file, page]) => text.replaceAll(file, page), complaints)).toBe('');
});
