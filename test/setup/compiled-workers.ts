import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vite';

import { compileProgram } from '../fixtures/program.js';

const SOURCES = `${resolve(import.meta.dirname, '../../src')}/`;
const STARTS_A_WORKER = /start(?:Worker|Process)\(import\.meta\.url|isSource = import\.meta\.url/;

/**
 * Threads and processes of the program start from the compiled program: tsx would need longer to load them than most of
 * them work. While tests are watched, sources change, and workers start from them.
 */
export function compiledWorkers(isWatching = !process.argv.includes('run')): Plugin {
  return {
    name: 'compiled-workers',
    enforce: 'pre',
    async transform(code, id) {
      if (isWatching || !id.startsWith(SOURCES) || id.includes('.test.') || id.endsWith('/base/workers.ts'))
        return null;
      if (!STARTS_A_WORKER.test(code)) return null;
      const built = join(await compileProgram(), 'dist', id.slice(SOURCES.length).replace(/\.ts$/, '.js'));
      return { code: code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(built).href)), map: null };
    },
  };
}
