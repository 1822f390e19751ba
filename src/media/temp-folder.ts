import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { isAlive, MediaError } from '../base/index.js';

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
