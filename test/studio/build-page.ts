import { fileURLToPath } from 'node:url';
import { build } from 'vite';

import { cached, hashOf } from '../fixtures/cache.js';

/** The studio's page, built as `npm run build` does, once for all tests. */
export function buildPage(): Promise<string> {
  const configFile = fileURLToPath(new URL('../../vite.studio.config.ts', import.meta.url));
  const key = hashOf('src', 'vite.studio.config.ts', 'package-lock.json');
  return cached(
    'page',
    key,
    async (outDir) => void (await build({ configFile, logLevel: 'error', build: { outDir } })),
  );
}
