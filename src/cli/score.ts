import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { type Command, Option } from 'commander';

import { ThroughlineError, type Matrix } from '../base/index.js';
import { npyHeader } from '../features/index.js';
import { openWorkbench, type OptionsInput, type Workbench } from '../index.js';
import { optionFacts } from '../options/index.js';
import { VIDEO_ENDINGS } from '../pipeline/index.js';
import { openFolder, writeParts } from '../storage/index.js';
import { scoreLines, type ScoreLine, type SummaryDocument } from '../summary/index.js';
import { refuseOverwriting, requireFile } from './export.js';
import { printable, EXIT, withReporter } from './reporters.js';
import { addDeclared, optionsOf } from './run-options.js';

type ScoreFlags = { json: string; tables?: string; quiet?: boolean };

/** Nothing is rendered, and only videos that share a topic are compared. */
const OPTIONS = optionFacts
  .filter(({ group }) => group !== 'film' && group !== 'output')
  .map(({ name }) => name)
  .filter((name) => name !== 'concept');

/** Adds `score`. `end` is called with the exit code. */
export function addScore(program: Command, end: (code: number) => void): void {
  const score = program
    .command('score')
    .description('Write what is known about every shot of a topic, for other programs: one JSON object per line.')
    .argument('<videos...>', 'a folder of videos, or video files')
    .addOption(new Option('--json <FILE>', 'File to write the lines to; - is standard output.').default('-'))
    .addOption(new Option('--tables <FOLDER>', 'Folder for vectors.npy and evidence.npy: one row for each line.'))
    .addOption(new Option('--quiet', 'Print only errors and what was skipped.'))
    .addOption(
      new Option('--config <FILE>', 'Read options from this file. Default: throughline.config.json, if there is one.'),
    );
  addDeclared(score, [...OPTIONS, 'recursive', 'jobs', 'cache'])
    .addHelpText(
      'after',
      '\nExamples:\n  throughline score ./paris --json - | python3 09-scores.py -\n  throughline score ./paris --json shots.jsonl --tables ./paris-tables',
    )
    .exitOverride()
    .action(async (videos: string[], flags: ScoreFlags, command: Command) =>
      end(await runScore(videos, flags, await optionsOf(command))),
    );
}

async function runScore(
  videos: readonly string[],
  { json, tables, quiet = false }: ScoreFlags,
  options: OptionsInput,
): Promise<number> {
  if (json !== '-') await requireLines(resolve(json), videos);
  const folder = tables === undefined ? null : resolve(tables);
  if (folder !== null) await openFolder(folder).catch(nameTables);
  const vectors = folder && join(folder, 'vectors.npy');
  return withReporter(
    { quiet },
    async (onEvent, signal) => {
      // A workbench wants a folder for results; without tables there are none.
      const out = folder ?? (await mkdtemp(join(tmpdir(), 'throughline-score-')));
      let bench: Workbench | null = null;
      try {
        bench = await openWorkbench(videos, { ...options, out }, { onEvent, signal }).catch(nameTables);
        const document = await bench.rank(options);
        if (folder !== null) {
          await writeParts(join(folder, 'vectors.npy'), vectorTable(await bench.vectors()));
          await writeParts(join(folder, 'evidence.npy'), evidenceTable(document));
        }
        const lines = textOf(scoreLines(document, vectors));
        await (json === '-' ? print(lines) : writeParts(resolve(json), lines));
        return document;
      } finally {
        await bench?.close();
        if (folder === null) await rm(out, { recursive: true, force: true });
      }
    },
    ({ notes, skipped }) => {
      if (!quiet) for (const note of notes) process.stderr.write(`note: ${printable(note)}\n`);
      return skipped.length > 0 ? EXIT.someSkipped : EXIT.done;
    },
  );
}

/** Refuses a file that must not be replaced: a video, of this topic or not, a device or a pipe. */
async function requireLines(path: string, videos: readonly string[]): Promise<void> {
  const isVideo = VIDEO_ENDINGS.has(extname(path).toLowerCase());
  refuseOverwriting(path, [...videos.map((each) => resolve(each)), ...(isVideo ? [path] : [])], '--json');
  await requireFile(path, '--json');
}

/** Errors about the folder of results, which is called otherwise here. */
function nameTables(error: unknown): never {
  if (error instanceof ThroughlineError) error.message = error.message.replaceAll('--out', '--tables');
  throw error;
}

function* textOf(lines: Iterable<ScoreLine>): Generator<string> {
  for (const line of lines) yield `${JSON.stringify(line)}\n`;
}

/** Prints as fast as the reader reads. */
async function print(parts: Iterable<string>): Promise<void> {
  const { stdout } = process;
  for (const part of parts) {
    // A reader that stopped early, as `head` does, wants no more.
    if (stdout.destroyed || stdout.errored) return;
    if (!stdout.write(part)) await Promise.race([once(stdout, 'drain'), once(stdout, 'close')]).catch(() => undefined);
  }
}

/** Rows that are written at a time. */
const AT_ONCE = 1024;

/** The vectors as 32-bit numbers. */
function* vectorTable({ rows, cols, data }: Matrix): Generator<Uint8Array> {
  yield npyHeader({ rows, cols, bytes: 4 });
  for (let from = 0; from < data.length; from += AT_ONCE * cols) {
    yield littleEndian(data.subarray(from, from + AT_ONCE * cols), 4);
  }
}

/** The columns of `evidence.npy`. */
const TERMS = ['total', 'likeness', 'distinct', 'strength', 'activity'] as const;

/** The evidence of every shot as 64-bit numbers; a term that could not be computed is not a number. */
function* evidenceTable({ videos }: SummaryDocument): Generator<Uint8Array> {
  const shots = videos.flatMap((video) => video.shots);
  yield npyHeader({ rows: shots.length, cols: TERMS.length, bytes: 8 });
  for (const { evidence } of shots)
    yield littleEndian(
      TERMS.map((term) => evidence?.[term] ?? NaN),
      8,
    );
}

function littleEndian(values: ArrayLike<number>, bytes: 4 | 8): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * bytes));
  for (let i = 0; i < values.length; i++) {
    if (bytes === 4) view.setFloat32(4 * i, values[i]!, true);
    else view.setFloat64(8 * i, values[i]!, true);
  }
  return new Uint8Array(view.buffer);
}
