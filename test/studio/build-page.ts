import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** Builds the studio's page, as `npm run build` does, into a folder of its own inside `folder`. */
export async function buildPage(folder: string): Promise<string> {
  const outDir = join(folder, 'page');
  const configFile = fileURLToPath(new URL('../../vite.studio.config.ts', import.meta.url));
  await build({ configFile, logLevel: 'error', build: { outDir } });
  return outDir;
}
