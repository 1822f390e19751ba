import { execFile } from 'node:child_process';
import { access, chmod, constants } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';

import { MediaError, isAlive } from '../base/index.js';

const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** A program that was found and works. */
export type Tool = {
  readonly path: string;
  readonly origin: 'environment' | 'path' | 'bundled';
  /** First line of its own version report. */
  readonly version: string;
  /** Major version; builds named by commit or date instead of a number count as their year's release. */
  readonly major: number;
};

/** Packages that carry the program for this platform, newest build first. */
const BUNDLED = [
  `@ffmpeg-binary/${process.platform}-${process.arch}`,
  `@ffmpeg-installer/${process.platform}-${process.arch}`,
];
const PROGRAM = process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg';

/** A filter that films need; releases before 4.4 do not have it. */
const NEEDED_PART = 'setts';

let found: Promise<Tool> | undefined;

/**
 * Finds ffmpeg: `$FFMPEG_PATH` first, then the bundled build, then `PATH`.
 * The bundled build comes before `PATH`, so that the same release gives the same bytes on every machine.
 */
export function locateFfmpeg(): Promise<Tool> {
  found ??= locate();
  found.catch(() => (found = undefined));
  return found;
}

async function locate(): Promise<Tool> {
  const asked = process.env['FFMPEG_PATH'];
  if (asked) {
    const tool = await ask(resolve(asked), 'environment');
    if (tool) return tool;
    throw new MediaError(
      'no-decoder',
      `Expected a working ffmpeg 4.4 or newer at FFMPEG_PATH, found none at "${asked}". Correct or unset it.`,
    );
  }
  for (const path of bundledPaths()) {
    const tool = await ask(path, 'bundled');
    if (tool) return tool;
  }
  for (const folder of (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)) {
    const tool = await ask(resolve(folder, PROGRAM), 'path');
    if (tool) return tool;
  }
  throw new MediaError(
    'no-decoder',
    `Expected a working ffmpeg 4.4 or newer, found none for ${process.platform}-${process.arch}. Install ffmpeg, or set FFMPEG_PATH to one.`,
  );
}

function bundledPaths(): string[] {
  return BUNDLED.flatMap((module) => {
    try {
      return [join(dirname(require.resolve(`${module}/package.json`)), PROGRAM)];
    } catch {
      return [];
    }
  });
}

async function ask(path: string, origin: Tool['origin']): Promise<Tool | null> {
  try {
    await access(path, constants.F_OK);
    // Install scripts that set the executable bit are often switched off; set it here when allowed to.
    await access(path, constants.X_OK).catch(() => chmod(path, 0o755));
    const stdout = await answer(path, '-version');
    const version = stdout.split('\n')[0]?.trim() ?? '';
    const major = majorOf(version, stdout);
    const parts = await answer(path, '-bsfs');
    return parts.split(/\s+/).includes(NEEDED_PART) ? { path, origin, version, major } : null;
  } catch {
    return null;
  }
}

/** The answer of the program to a question, in an empty folder like every other program. */
async function answer(path: string, question: string): Promise<string> {
  const folder = openTempFolder();
  try {
    const env = { ...process.env, ...folder.environment };
    const options = { timeout: 20_000, maxBuffer: 1 << 24, cwd: folder.path, env };
    return (await run(path, ['-hide_banner', question], options)).stdout;
  } finally {
    folder.close();
  }
}

/** libavutil's major number follows the release: 56 = 4.x, 57 = 5.x, 58 = 6.x, 59 = 7.x, 60 = 8.x. */
function majorOf(version: string, report: string): number {
  const numbered = /version n?(\d+)\.\d/.exec(version);
  if (numbered) return Number(numbered[1]);
  const library = /libavutil\s+(\d+)\./.exec(report);
  return library ? Number(library[1]) - 52 : 0;
}

let filters: Promise<Set<string>> | undefined;

/** Whether the program that was found has all of these filters. */
export async function hasFilters(names: readonly string[]): Promise<boolean> {
  const { path } = await locateFfmpeg();
  filters ??= answer(path, '-filters').then((text) => new Set(text.split(/\s+/)));
  const known = await filters;
  return names.every((name) => known.has(name));
}

/** The codecs of a build, for `throughline doctor`. */
export async function listCodecs(ffmpeg: Tool): Promise<{ decoders: Set<string>; encoders: Set<string> }> {
  const names = async (flag: string): Promise<Set<string>> => {
    return new Set(
      [...(await answer(ffmpeg.path, flag)).matchAll(/^ [VAS][A-Z.]{5} (\S+)/gm)].map((match) => match[1] ?? ''),
    );
  };
  const [decoders, encoders] = await Promise.all([names('-decoders'), names('-encoders')]);
  return { decoders, encoders };
}

/** The folder of one program: empty when it starts, removed by `close`. */
type TempFolder = {
  readonly path: string;
  /** Environment variables that make a program keep its temporary files here, on any system. */
  readonly environment: Readonly<Record<'TMPDIR' | 'TMP' | 'TEMP', string>>;
  close(): void;
};

const MARK = 'throughline-programs-';
const QUIET_MS = 60_000;

/** The folder of this process, with those of the programs that it runs. */
let home: string | undefined;
let opened = 0;

/** Makes a new folder for one program; synchronous, so that nothing can happen between this and the start. */
export function openTempFolder(): TempFolder {
  try {
    home ??= openHome();
    const path = join(home, String(opened++));
    mkdirSync(path, { recursive: true });
    return { path, environment: { TMPDIR: path, TMP: path, TEMP: path }, close: () => remove(path) };
  } catch (error) {
    throw new MediaError(
      'no-temp-folder',
      `Could not make a folder for the decoder in "${tmpdir()}" (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}). Make room there, or set TMPDIR to a folder that can be written.`,
      { cause: error },
    );
  }
}

function openHome(): string {
  sweep();
  const folder = mkdtempSync(join(tmpdir(), `${MARK}${process.pid}-`));
  process.once('exit', () => remove(folder));
  return folder;
}

/** Removes folders of processes that were killed. A process that is alive but not visible here makes its folder again. */
function sweep(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(MARK) || isAlive(Number(name.slice(MARK.length).split('-')[0]))) continue;
    const path = join(tmpdir(), name);
    const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - written > QUIET_MS) remove(path);
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Owned by somebody else, or still open on Windows: a later process removes it.
  }
}
