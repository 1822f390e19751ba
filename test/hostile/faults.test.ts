import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, closeSync, copyFileSync, existsSync, linkSync, openSync, readFileSync, renameSync, truncateSync, writeSync } from 'node:fs'; // prettier-ignore
import { copyFile, mkdir, mkdtemp, open, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { summarizeTopic, type Outcome, type RunEvent } from 'throughline-video';
import { random } from '../../src/base/index.js';
import { locateFfmpeg } from '../../src/media/index.js';
import { openCache } from '../../src/storage/index.js';
import { contents } from '../fixtures/contents.js';
import { buildProgram, type Program } from '../fixtures/program.js';
import { makeVideo } from '../fixtures/video.js';

/** Runs that are killed, and for how long; docs/reliability.md tells of a longer trial. `FAULT_LOG` names a file that is told of each. */
const KILLS = Number(process.env['FAULT_KILLS'] ?? 4);
const MINUTES = Number(process.env['FAULT_MINUTES'] ?? 100);
const LOG = process.env['FAULT_LOG'];
const FLIPS = Number(process.env['FAULT_FLIPS'] ?? 1);
/** Changes of files at which a run is killed, spread over all of them; `all` for every one. */
const STEPS = process.env['FAULT_STEPS'] ?? '6';
const SEED = Number(process.env['FC_SEED'] ?? 2017);
/** The quickest; where a run is disturbed it makes no difference which. */
const FEATURES = process.env['FAULT_FEATURES'] ?? 'shallow';
const OPTIONS = { length: '40%', concept: '3s', features: FEATURES as 'shallow' } as const;

let home: string;
let program: Program;
let undisturbed: Record<string, string>;
/** Events of a whole run. */
let events = 0;
const at = (...parts: string[]): string => join(home, ...parts);

/** Folders of a run of its own. */
type Lane = { readonly out: string; readonly cache: string };
const usual = (): Lane => ({ out: at('out'), cache: at('cache') });
const clear = async ({ out, cache }: Lane = usual()): Promise<void> => {
  for (const folder of [out, cache]) await rm(folder, { recursive: true, force: true });
};

const run = (onEvent: (event: RunEvent) => void = () => undefined, signal?: AbortSignal, lane = usual()): Promise<Outcome> =>
  summarizeTopic(at('topic'), { ...OPTIONS, ...lane }, { onEvent, ...(signal ? { signal } : {}) }); // prettier-ignore

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-faults-'));
  program = await buildProgram();
  const { path: ffmpeg } = await locateFfmpeg();
  await mkdir(at('topic'));
  for (const [place, name] of ['one.mp4', 'two.mkv', 'three.mov'].entries()) {
    const container = name.split('.')[1] as 'mp4';
    await makeVideo(ffmpeg, at('topic', name), { container, widthPx: 128, heightPx: 72, frameCount: 75, cuts: [25, 50], firstNumber: 200 * place }); // prettier-ignore
  }
  await run(() => events++);
  undisturbed = await contents(at('out'));
});
afterAll(async () => {
  await program.close();
  await rm(home, { recursive: true, force: true });
});
beforeEach(() => clear());

const whole = (files: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).filter(([name]) => !name.includes('draft')));

/** Every file under its final name has the bytes of an undisturbed run. A run that was killed early may have no folder yet. */
async function expectWhole({ out }: Lane): Promise<void> {
  const files = existsSync(out) ? whole(await contents(out)) : {};
  expect(Object.entries(undisturbed)).toEqual(expect.arrayContaining(Object.entries(files)));
}

/** A clean run gives the bytes of an undisturbed one, and no drafts are left that a later run would not take away. */
async function expectAllWell(lane = usual()): Promise<void> {
  await run(undefined, undefined, lane);
  expect(whole(await contents(lane.out))).toEqual(undisturbed);
}

type Ended = { readonly code: number | null; readonly signal: string | null; readonly lines: readonly string[] };

/** A run in a process of its own. */
async function runApart(
  { out, cache }: Lane,
  { preload, args = ['--json'], env = {}, onLine }: { preload?: string; args?: readonly string[]; env?: Record<string, string>; onLine?: (line: string, kill: () => void) => void } = {},
): Promise<Ended> {
  const before = preload ? ['--import', join(import.meta.dirname, '../fixtures', preload)] : [];
  const command = [...before, program.entry, 'summarize', at('topic'), '--out', out, '--cache', cache, '--length', '40%', '--concept', '3s', '--features', FEATURES, ...args];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NO_COLOR: '1', ...env } });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on('line', (line) => {
      lines.push(line);
      onLine?.(line, () => child.kill('SIGKILL'));
    });
  }
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { code, signal, lines };
} // prettier-ignore

describe('nothing is lost', () => {
  /** Kills runs on folders of its own, until so many were killed. */
  async function killMany(lane: Lane, seed: number, kills: number, ends: Record<string, number>): Promise<void> {
    const dice = random(seed);
    const until = Date.now() + MINUTES * 60_000;
    for (let killed = 0, round = 1; killed < kills && round < 3 * kills + 20 && Date.now() < until; round++) {
      // A moment is an event and a little more, not a time: machines differ, and so do their busy hours.
      const [event, moreMs] = [dice.below(Math.max(1, events - 4)), dice.below(150)];
      let [seen, stage] = [0, 'start'];
      const { signal } = await runApart(lane, {
        onLine: (line, kill) => {
          stage = /"stage-started","stage":"(\w+)"/.exec(line)?.[1] ?? stage;
          if (seen++ === event) setTimeout(kill, moreMs);
        },
      });
      const isKilled = signal === 'SIGKILL';
      if (isKilled) killed++;
      const end = isKilled ? stage : 'done';
      ends[end] = (ends[end] ?? 0) + 1;
      if (LOG) appendFileSync(LOG, `${JSON.stringify({ seed, round, killed, ends })}\n`);
      else if (killed % 25 === 0) process.stderr.write(`killed ${killed} (seed ${seed}): ${JSON.stringify(ends)}\n`);
      await expectWhole(lane);
      if (isKilled && round % 10 !== 0 && killed < kills) continue;
      await expectAllWell(lane);
      await clear(lane);
    }
  }

  it(`when it is killed ${KILLS} times, one after the other, in two places`, async () => {
    const ends: Record<string, number> = {};
    const lanes = [1, 2].map((number) => ({ out: at(`out-${number}`), cache: at(`cache-${number}`) }));
    await Promise.all(lanes.map((lane, place) => killMany(lane, SEED + place, Math.ceil(KILLS / 2), ends)));
    const killed = Object.entries(ends).reduce((sum, [end, count]) => sum + (end === 'done' ? 0 : count), 0);
    if (KILLS > 50) process.stderr.write(`killed ${killed}: ${JSON.stringify(ends)}\n`);
    expect(killed).toBeGreaterThanOrEqual(MINUTES < 100 ? 1 : KILLS);
  }, 36_000_000);

  it(`when it is killed beside ${STEPS} of its changes of files`, async () => {
    const env = { KILL_UNDER: `${at('out')}:${at('cache')}`, KILL_COUNT: at('changes') };
    const settings = { preload: 'kill-at.mjs', args: ['--json', '--jobs', '1'] };
    expect((await runApart(usual(), { ...settings, env })).code).toBe(0);
    const changes = Number(await readFile(at('changes'), 'utf8'));
    expect(changes).toBeGreaterThan(50);
    const count = STEPS === 'all' ? changes : Math.min(changes, Number(STEPS));
    for (let step = 0; step < count; step++) {
      await clear();
      const number = STEPS === 'all' ? step + 1 : 1 + Math.floor(((step + 0.5) * changes) / count);
      const moments = ['before', 'half', 'after'];
      for (const moment of STEPS === 'all' ? moments : [moments[step % 3]!]) {
        const ended = await runApart(usual(), { ...settings, env: { ...env, KILL_AT: String(number), KILL_WHEN: moment } });
        expect([number, moment, ended.signal]).toEqual([number, moment, 'SIGKILL']);
        await expectWhole(usual());
        await expectAllWell();
        if (LOG) appendFileSync(LOG, `${JSON.stringify({ step: number, of: changes, moment })}\n`);
        await clear();
      }
    }
  }, 36_000_000); // prettier-ignore

  it('when it is stopped as each stage begins, and as each has made something', async () => {
    const kinds = new Set<string>();
    await run((event) => kinds.add('stage' in event ? `${event.type} ${event.stage}` : event.type));
    for (const kind of [...kinds].filter((each) => /^(stage-started|item-done|wrote)/.test(each))) {
      await clear();
      const stop = new AbortController();
      await run((event) => {
        if (('stage' in event ? `${event.type} ${event.stage}` : event.type) === kind) stop.abort();
      }, stop.signal).catch((error: unknown) => expect(error).toMatchObject({ code: 'cancelled' }));
      await expectAllWell();
    }
  }, 1_200_000);

  it('when any byte of a kept entry turns over: the cache does not know it', async () => {
    await run();
    const sizes = new Map<string, number>();
    for (const entry of await readdir(at('cache'), { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) sizes.set(entry.parentPath, (sizes.get(entry.parentPath) ?? 0) + (await stat(join(entry.parentPath, entry.name))).size); // prettier-ignore
    }
    const [smallest] = [...sizes].sort(([, a], [, b]) => a - b)[0]!;
    const key = smallest.slice(at('cache').length + 1);
    const files = new Map<string, Buffer>();
    for (const name of await readdir(smallest)) files.set(name, await readFile(join(smallest, name)));
    const cache = await openCache(at('cache'));
    for (const [name, bytes] of files) {
      for (let place = 0; place < bytes.length; place++) {
        await mkdir(smallest, { recursive: true });
        for (const [other, content] of files) await writeFile(join(smallest, other), content);
        const turned = Buffer.from(bytes);
        turned[place]! ^= 1 << (place % 8);
        await writeFile(join(smallest, name), turned);
        expect(await cache.find(key), `${name}, byte ${place}`).toBeNull();
      }
    }
  }, 1_200_000);

  /** Turns a bit of a file over. */
  async function turnOver(path: string, dice: ReturnType<typeof random>): Promise<void> {
    const file = await open(path, 'r+');
    const { size } = await file.stat();
    const place = dice.below(size);
    const byte = Buffer.alloc(1);
    await file.read(byte, 0, 1, place);
    byte[0]! ^= 1 << dice.below(8);
    await file.write(byte, 0, 1, place);
    await file.close();
  }
  const filesIn = async (folder: string): Promise<string[]> =>
    (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));

  it(`when ${FLIPS} bytes of the cache turn over, one after the other`, async () => {
    await run();
    const dice = random(SEED + 1);
    for (let flip = 0; flip < FLIPS; flip++) {
      const files = await filesIn(at('cache'));
      await turnOver(files[dice.below(files.length)]!, dice);
      await expectAllWell();
    }
  }, 1_200_000);

  it.each(['nothing', 'damage'])('when three processes use one cache at once, and find %s there', async (found) => {
    if (found === 'damage') {
      await run();
      await rm(at('out'), { recursive: true });
      for (const file of await filesIn(at('cache'))) await turnOver(file, random(SEED));
    }
    const outs = ['out', 'out-2', 'out-3'].map((name) => at(name));
    const ends = await Promise.all(outs.map(async (out, place) => (await sleep(300 * place), runApart({ ...usual(), out }))));
    for (const { code, lines } of ends) expect([code, code === 0 ? '' : lines.at(-1)]).toEqual([0, '']);
    for (const out of outs) expect(whole(await contents(out))).toEqual(undisturbed);
    for (const out of outs.slice(1)) await rm(out, { recursive: true });
    await expectAllWell();
  }); // prettier-ignore

  it('when three processes are given one folder for results: one writes, the others are refused with a sentence', async () => {
    const ends = await Promise.all([0, 50, 100].map(async (waitMs) => (await sleep(waitMs), runApart(usual()))));
    const refused = ends.filter(({ code }) => code !== 0);
    expect(refused.length).toBeLessThan(3);
    for (const { code, lines } of refused) expect([code, lines.at(-1)]).toEqual([2, expect.stringMatching(/^throughline: Expected a folder for results that no other run is writing to, .* in use by process \d+/)]);
    expect(whole(await contents(at('out')))).toEqual(undisturbed);
    await expectAllWell();
  }); // prettier-ignore

  /** Ways in which somebody changes a file, at once: the run goes on as soon as they return. */
  const changes: Record<string, (path: string) => void> = {
    replaced: (path) => {
      copyFileSync(at('topic', 'two.mkv'), at('other'));
      renameSync(at('other'), path);
    },
    'cut off': (path) => truncateSync(path, 3000),
    'appended to': (path) => appendFileSync(path, 'more'),
    'written to in place': (path) => {
      const file = openSync(path, 'r+');
      writeSync(file, Buffer.alloc(2000, 0x55), 0, 2000, 4000);
      closeSync(file);
    },
    // Where it says when it was made: nothing that is decoded.
    'written to where it does not show, its time set back': (path) => {
      execFileSync('cp', ['-p', path, at('as-it-was')]);
      const file = openSync(path, 'r+');
      writeSync(file, Buffer.from([1, 2, 3, 4]), 0, 4, readFileSync(path).indexOf('mvhd') + 8);
      closeSync(file);
      execFileSync('touch', ['-r', at('as-it-was'), path]);
    },
  };

  it.each([
    ['analysed', 'progress', 'analyse', ['replaced', 'cut off']],
    ['analysed', 'progress', 'analyse', ['appended to', 'written to in place']],
    ['rendered', 'stage-started', 'render', ['replaced', 'written to in place']],
    ['rendered', 'stage-started', 'render', ['cut off', 'appended to']],
    ['rendered', 'stage-started', 'render', ['written to where it does not show, its time set back', 'replaced']],
    ['put into the film of the topic', 'stage-started', 'concept', ['replaced', 'written to in place']],
  ] as const)(
    'when files are changed while they are %s (%s %s: %s): they are named, and nothing wrong is kept',
    async (_, type, stage, kinds) => {
      // The film of the topic has shots of the second.
      const names = ['one.mp4', 'three.mov'];
      for (const name of names) await copyFile(at('topic', name), at(name));
      const facts = await Promise.all(names.map((name) => stat(at('topic', name))));
      const restore = async (): Promise<void> => {
        for (const [place, name] of names.entries()) {
          await copyFile(at(name), at('topic', name));
          await utimes(at('topic', name), facts[place]!.atime, facts[place]!.mtime);
        }
      };
      let isChanged = false;
      const { document } = await run((event) => {
        if (isChanged || event.type !== type || event.stage !== stage) return;
        isChanged = true;
        kinds.forEach((kind, place) => changes[kind]!(at('topic', names[place]!)));
      }).finally(restore);
      expect(isChanged).toBe(true);
      // Whoever reads what is not there any more may find that out before it is known to have changed.
      const code = expect.stringMatching(/^(source-changed|source-gone|film-incomplete|decode-failed)$/) as string;
      const said = document.skipped.map(({ path, code: why }) => [path, why]);
      const wanted = stage === 'concept' ? ['the film of topic'] : names;
      for (const name of wanted) expect(said).toContainEqual([name, code]);
      // With two of three videos it is another topic, and films are other films: then they are checked by the run below.
      const films = Object.entries(whole(await contents(at('out')))).filter(([name]) => name.endsWith('.mp4'));
      if (stage !== 'analyse') {
        for (const film of films) expect(Object.entries(undisturbed)).toContainEqual(film);
        expect(films.map(([name]) => name)).not.toContain('concept.mp4');
      }
      await expectAllWell();
    },
  );

  it('when files get another name or permission while they are read: they are the same', async () => {
    const touched = new Set<string>();
    const { document } = await run((event) => {
      if (event.type !== 'stage-started' || touched.has(event.stage)) return;
      touched.add(event.stage);
      linkSync(at('topic', 'one.mp4'), at(`link-${touched.size}`));
      chmodSync(at('topic', 'three.mov'), touched.size % 2 === 0 ? 0o644 : 0o600);
    });
    expect([touched.size > 3, document.skipped]).toEqual([true, []]);
    expect(whole(await contents(at('out')))).toEqual(undisturbed);
  });

  it('when the clock goes back a year while it runs: it tells of its progress all the same', async () => {
    const { code, lines } = await runApart(usual(), { preload: 'clock-back.mjs' });
    expect(code).toBe(0);
    const reported = lines.filter((line) => line.includes('"progress","stage":"analyse"'));
    expect(reported.length).toBeGreaterThan(100);
    expect(whole(await contents(at('out')))).toEqual(undisturbed);
    await clear();
    const plain = await runApart(usual(), { preload: 'clock-back.mjs', args: [] });
    expect(plain.code).toBe(0);
    const rates = plain.lines.filter((line) => line.startsWith('analysing')).slice(1);
    expect(rates.filter((line) => /\d frames\/s/.test(line)).length).toBeGreaterThan(0);
    expect(rates.filter((line) => /-\d/.test(line))).toEqual([]);
    await expectAllWell();
  });

  it('when the clock went back a year between two runs', async () => {
    await run();
    const past = new Date(Date.now() - 365 * 24 * 3600 * 1000);
    for (const folder of ['out', 'cache']) {
      for (const entry of await readdir(at(folder), { recursive: true, withFileTypes: true })) {
        const later = new Date(Date.now() + 365 * 24 * 3600 * 1000);
        await utimes(join(entry.parentPath, entry.name), entry.isFile() ? later : past, entry.isFile() ? later : past);
      }
    }
    await expectAllWell();
  });
});
