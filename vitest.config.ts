import { rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

import { fastParts, LONG, slowParts, type Part } from './test/parts.js';
import { compiledWorkers } from './test/setup/compiled-workers.js';

const project = (
  { name, files, except = [] }: Part,
  test: TestProjectInlineConfiguration['test'] = {},
): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name, include: [...files], exclude: [...except], ...test },
});
/** What the tests of a part share. */
const globalSetups: Record<string, TestProjectInlineConfiguration['test']> = {
  studio: { globalSetup: 'test/setup/studio.ts' },
  fleet: { globalSetup: 'test/setup/fleet.ts' },
};
const [pure, files, isolated] = fastParts as [Part, Part, Part];

/** The cache of tests that name none: never the user's own. */
const defaultCache = join(tmpdir(), `throughline-test-default-${process.pid}`);
// This file is evaluated once for every project; the variable says that it was.
if (process.env['THROUGHLINE_TEST_DEFAULT'] !== defaultCache)
  process.once('exit', () => rmSync(defaultCache, { recursive: true, force: true }));
process.env['THROUGHLINE_TEST_DEFAULT'] = defaultCache;

export default defineConfig({
  resolve: {
    alias: [{ find: /^throughline-video$/, replacement: fileURLToPath(new URL('./src/index.ts', import.meta.url)) }],
  },
  plugins: [compiledWorkers()],
  test: {
    setupFiles: ['test/seed.ts'],
    env: { THROUGHLINE_CACHE: defaultCache },
    reporters: ['default', './test/setup/left-out.ts'],
    tags: [{ name: LONG.tag, description: 'Left to "npm run test:all".' }],
    pool: 'forks',
    // Tests wait for other processes a part of their time.
    maxWorkers: availableParallelism() + 1,
    // Long enough for a machine with other work: nothing here is about time.
    testTimeout: 900_000,
    expect: { poll: { timeout: 180_000 }, requireAssertions: true },
    hookTimeout: 900_000,
    projects: [
      project(pure, { pool: 'threads', isolate: false }),
      project(files, { isolate: false }),
      project(isolated),
      ...slowParts.map((part) => project(part, globalSetups[part.name])),
    ],
  },
});
