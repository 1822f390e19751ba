import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { summarizeTopic, type Outcome, type RunEvent } from 'throughline';
import { random } from '../../src/base/index.js';
import { locateFfmpeg } from '../../src/media/index.js';
import { contents } from '../fixtures/contents.js';
import { buildProgram } from '../fixtures/program.js';
import { makeVideo } from '../fixtures/video.js';

/** Runs that are killed, and for how long; docs/reliability.md tells of a longer trial. */
const KILLS = Number(process.env['FAULT_KILLS'] ?? 6);
const MINUTES = Number(process.env['FAULT_MINUTES'] ?? 100);
const FLIPS = Number(process.env['FAULT_FLIPS'] ?? 8);
const SEED = Number(process.env['FC_SEED'] ?? 2017);
const OPTIONS = { length: '40%', concept: '3s' } as const;

let home: string;
let undisturbed: Record<string, string>;
const at = (...parts: string[]): string => join(home, ...parts);

const run = (onEvent: (event: RunEvent) => void = () => undefined, signal?: AbortSignal): Promise<Outcome> =>
  summarizeTopic(at('topic'), { ...OPTIONS, out: at('out'), cache: at('cache') }, { onEvent, ...(signal ? { signal } : {}) }); // prettier-ignore

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-faults-'));
  const { path: ffmpeg } = await locateFfmpeg();
  await rm(at('topic'), { recursive: true, force: true });
  await mkdir(at('topic'));
  for (const [place, name] of ['one.mp4', 'two.mkv', 'three.mov'].entries()) {
    const container = name.split('.')[1] as 'mp4';
    await makeVideo(ffmpeg, at('topic', name), { container, widthPx: 128, heightPx: 72, frameCount: 75, cuts: [25, 50], firstNumber: 200 * place }); // prettier-ignore
  }
  await run();
  undisturbed = await contents(at('out'));
}, 300_000);
afterAll(() => rm(home, { recursive: true, force: true }));
beforeEach(async () => {
  await rm(at('out'), { recursive: true, force: true });
  await rm(at('cache'), { recursive: true, force: true });
});

/** A clean run gives the bytes of an undisturbed one, and no drafts are left that a later run would not take away. */
async function expectAllWell(): Promise<void> {
  await run();
  const left = await contents(at('out'));
  expect(Object.fromEntries(Object.entries(left).filter(([name]) => !name.includes('draft')))).toEqual(undisturbed);
}

/** Events of a whole run, about. */
const EVENTS = 40;

/** Starts a run, and kills it `moreMs` after its event number `event`. Gives the stage it was in, or `done`. */
async function killAt(command: readonly string[], event: number, moreMs: number): Promise<string> {
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'ignore'] });
  let [seen, stage] = [0, 'start'];
  createInterface(child.stdout).on('line', (line) => {
    stage = /"stage-started","stage":"(\w+)"/.exec(line)?.[1] ?? stage;
    if (seen++ === event) setTimeout(() => child.kill('SIGKILL'), moreMs);
  });
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  return signal === 'SIGKILL' ? stage : 'done';
}

describe('nothing is lost', () => {
  it(`when it is killed at ${KILLS} moments, one after the other`, async () => {
    const program = KILLS > 50 ? await buildProgram() : null;
    const entry = program ? [program.entry] : ['--import', 'tsx', join(import.meta.dirname, '../../src/cli/main.ts')];
    const args = ['summarize', at('topic'), '--out', at('out'), '--cache', at('cache'), '--length', '40%', '--concept', '3s', '--json']; // prettier-ignore
    const dice = random(SEED);
    const ends: Record<string, number> = {};
    const until = Date.now() + MINUTES * 60_000;
    for (let round = 1; round <= KILLS && Date.now() < until; round++) {
      // A moment is an event and a little more, not a time: machines differ, and so do their busy hours.
      const end = await killAt([...entry, ...args], dice.below(EVENTS), dice.below(150));
      ends[end] = (ends[end] ?? 0) + 1;
      const standing = Object.entries(await contents(at('out'))).filter(([name]) => !name.includes('draft'));
      for (const [name, hash] of standing) expect([name, hash]).toEqual([name, undisturbed[name]]);
      if (end !== 'done' && round % 10 !== 0) continue;
      await expectAllWell();
      await rm(at('cache'), { recursive: true, force: true });
      await rm(at('out'), { recursive: true, force: true });
    }
    if (KILLS > 50) process.stderr.write(`killed in ${JSON.stringify(ends)}\n`);
    await program?.close();
    expect(Object.keys(ends).some((end) => end !== 'done')).toBe(true);
    await expectAllWell();
  }, 7_200_000);

  it('when it is stopped as each stage begins, and as each has made something', async () => {
    const kinds = new Set<string>();
    await run((event) => kinds.add('stage' in event ? `${event.type} ${event.stage}` : event.type));
    for (const kind of [...kinds].filter((each) => /^(stage-started|item-done|wrote)/.test(each))) {
      await rm(at('out'), { recursive: true, force: true });
      await rm(at('cache'), { recursive: true, force: true });
      const stop = new AbortController();
      await run((event) => {
        if (('stage' in event ? `${event.type} ${event.stage}` : event.type) === kind) stop.abort();
      }, stop.signal).catch((error: unknown) => expect(error).toMatchObject({ code: 'cancelled' }));
      await expectAllWell();
    }
  }, 1_200_000);

  it(`when ${FLIPS} bytes of the cache turn over, one after the other`, async () => {
    await run();
    const dice = random(SEED + 1);
    for (let flip = 0; flip < FLIPS; flip++) {
      const entries = (await readdir(at('cache'), { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()); // prettier-ignore
      const entry = entries[dice.below(entries.length)]!;
      const file = await open(join(entry.parentPath, entry.name), 'r+');
      const { size } = await file.stat();
      const place = dice.below(size);
      const byte = Buffer.alloc(1);
      await file.read(byte, 0, 1, place);
      byte[0]! ^= 1 << dice.below(8);
      await file.write(byte, 0, 1, place);
      await file.close();
      await expectAllWell();
    }
  }, 1_200_000);

  it('when two runs work on the same folders at once', async () => {
    await Promise.all([run(), run(), run()]);
    await expectAllWell();
  }, 300_000);

  it('when a file is replaced while it is read: it is named, and nothing wrong is kept', async () => {
    await cp(at('topic', 'one.mp4'), at('kept.mp4'));
    let isReplaced = false;
    const swaps: Promise<void>[] = [];
    const { document } = await run((event) => {
      if (isReplaced || event.type !== 'stage-started' || event.stage !== 'analyse') return;
      isReplaced = true;
      swaps.push(
        cp(at('topic', 'two.mkv'), at('other.mp4')).then(() => rename(at('other.mp4'), at('topic', 'one.mp4'))),
      );
    });
    await Promise.all(swaps);
    expect(document.skipped).toMatchObject([{ path: 'one.mp4', code: 'source-changed' }]);
    const facts = await stat(at('kept.mp4'));
    await rename(at('kept.mp4'), at('topic', 'one.mp4'));
    await utimes(at('topic', 'one.mp4'), facts.atime, facts.mtime);
    await rm(at('out'), { recursive: true, force: true });
    await expectAllWell();
  }, 300_000);

  it('when the clock goes back a year between two runs', async () => {
    await run();
    const past = new Date(Date.now() - 365 * 24 * 3600 * 1000);
    for (const folder of ['out', 'cache']) {
      for (const entry of await readdir(at(folder), { recursive: true, withFileTypes: true })) {
        const later = new Date(Date.now() + 365 * 24 * 3600 * 1000);
        await utimes(join(entry.parentPath, entry.name), entry.isFile() ? later : past, entry.isFile() ? later : past);
      }
    }
    await expectAllWell();
  }, 300_000);
});
