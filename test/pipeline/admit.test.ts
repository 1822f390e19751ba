import { copyFile, mkdir, mkdtemp, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { locateFfmpeg } from '../../src/media/index.js';
import { optionsSchema } from '../../src/options/index.js';
import { admitVideos } from '../../src/pipeline/admit.js';
import { collectInputs } from '../../src/pipeline/collect-inputs.js';
import type { Run } from '../../src/pipeline/run.js';
import { localWorkspace, openCache } from '../../src/storage/index.js';
import { makeFixture } from '../fixtures/make.js';

let home: string;
const at = (...parts: string[]): string => join(home, ...parts);
/** Far more than a probe reads. */
const MEGABYTES = 64;

/** Adds an empty part to an MP4, so that it is large without taking room. */
async function enlarge(path: string): Promise<void> {
  const file = await open(path, 'r+');
  const { size } = await file.stat();
  const box = Buffer.alloc(8);
  box.writeUInt32BE(MEGABYTES << 20);
  box.write('free', 4);
  await file.write(box, 0, 8, size);
  await file.truncate(size + (MEGABYTES << 20));
  await utimes(path, 1_700_000_000, 1_700_000_000);
  await file.close();
}

async function settle(path: string): Promise<void> {
  while (Date.now() - (await stat(path)).ctimeMs <= 2001) await sleep(50);
}

async function admit({ verify = false, skipped = [] as Run['skipped'] } = {}) {
  const run: Run = {
    options: optionsSchema.parse({ verify }),
    budget: { kind: 'share', share: 0.3 },
    conceptBudget: null,
    ...{ jobs: 2, out: at('out'), emit: () => undefined, signal: undefined, skipped, notes: [] },
    workspace: localWorkspace(await openCache(at('cache')), { verify }),
  };
  const { inputs } = await collectInputs([at('topic')], { recursive: false, out: at('out') });
  return admitVideos(inputs, run);
}

/** Megabytes that this process has read from files so far, from memory or from the disk. */
async function megabytesRead(): Promise<number> {
  const [, count] = /^rchar: (\d+)$/m.exec(await readFile('/proc/self/io', 'utf8'))!;
  return Number(count) / (1 << 20);
}

async function reading<T>(work: () => Promise<T>): Promise<{ result: T; megabytes: number }> {
  const before = await megabytesRead();
  const result = await work();
  return { result, megabytes: (await megabytesRead()) - before };
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-admit-'));
  const { path: ffmpeg } = await locateFfmpeg();
  await mkdir(at('topic'));
  for (const [name, made] of [
    ['one.mp4', 'h264-mp4'],
    ['two.mp4', 'no-audio'],
  ] as const) {
    const { path } = await makeFixture(made, { folder: home, ffmpeg });
    await copyFile(path, at('topic', name));
    await enlarge(at('topic', name));
    await settle(at('topic', name));
  }
});
afterAll(() => rm(home, { recursive: true, force: true }));

describe.runIf(process.platform === 'linux')('videos that were admitted before', () => {
  it('are not read again until they change, or are to be verified', async () => {
    const cold = await reading(() => admit());
    expect(cold.megabytes).toBeGreaterThan(2 * MEGABYTES);
    const warm = await reading(() => admit());
    expect(warm.megabytes).toBeLessThan(1);
    expect(warm.result).toEqual(cold.result);
    const verified = await reading(() => admit({ verify: true }));
    expect(verified.megabytes).toBeGreaterThan(2 * MEGABYTES);
    expect(verified.result).toEqual(cold.result);

    // Somebody writes to one of them and sets its time back.
    const path = at('topic', 'one.mp4');
    const file = await open(path, 'r+');
    await file.write(Buffer.from('new'), 0, 3, 1 << 20);
    await file.close();
    await utimes(path, 1_700_000_000, 1_700_000_000);
    const changed = await reading(() => admit());
    expect(changed.megabytes).toBeGreaterThan(MEGABYTES);
    expect(changed.megabytes).toBeLessThan(2 * MEGABYTES);
    expect(changed.result.map(({ sha256 }) => sha256 === cold.result[0]!.sha256)).toEqual([false, false]);
    expect(changed.result[1]).toEqual(cold.result[1]);
  });

  it('are refused by their name as new ones are', async () => {
    const named = at('topic', 'two\u001b.mp4');
    await rename(at('topic', 'two.mp4'), named);
    await settle(named);
    const workspace = localWorkspace(await openCache(at('cache')));
    await workspace.hash(named);
    expect(await workspace.known(named)).not.toBeNull();
    const skipped: Run['skipped'] = [];
    expect((await admit({ skipped })).map(({ name }) => name)).toEqual(['one.mp4']);
    expect(skipped).toMatchObject([{ code: 'bad-name' }]);
  });
});
