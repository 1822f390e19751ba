import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { RunEvent } from '../../src/base/index.js';
import { locateFfmpeg } from '../../src/media/index.js';
import { keepOptions } from '../../src/pipeline/index.js';
import type { Work } from '../../src/studio/contract.js';
import { createEngine } from '../../src/studio/engine.js';
import { openTopics } from '../../src/studio/topics.js';
import { makeVideo } from '../fixtures/make.js';

let home: string;
let desk: Awaited<ReturnType<typeof openTopics>>;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-desk-'));
  desk = await openTopics(undefined, { home, jobs: 1 });
});
afterEach(async () => {
  await desk.close();
  await rm(home, { recursive: true, force: true });
});

/** Waits for the work under way, and returns how it ended. */
function ended(): Promise<string> {
  return new Promise((settle) => {
    const stop = desk.subscribe((kind, data) => {
      if (kind !== 'work') return;
      const { state } = data as Work;
      if (state !== 'analysing') queueMicrotask(() => (stop(), settle(state)));
    });
  });
}

describe('the engine', () => {
  it('tells cuts and sound of a video while others are still to be analysed', async () => {
    const ffmpeg = (await locateFfmpeg()).path;
    const videos = [join(home, 'a.mp4'), join(home, 'b.mp4')];
    for (const [at, video] of videos.entries())
      await makeVideo(ffmpeg, video, { frameCount: 70, cuts: [35], firstNumber: 100 * at });
    const engine = createEngine();
    const done: string[] = [];
    const told: Promise<unknown>[] = [];
    const onEvent = (event: RunEvent): void => {
      if (event.type !== 'item-done' || event.stage !== 'analyse') return;
      done.push(event.item);
      if (done.length > 1) return;
      told.push(engine.track({ video: 'a' }).then(({ shots }) => shots));
      told.push(engine.track({ video: 'b' }).catch((error: Error) => [error.message]));
    };
    try {
      const options = { out: join(home, 'summary'), jobs: 1 };
      const ranking = { options: {}, leftOut: [] };
      await engine.open({ videos, options, ranking }, { signal: new AbortController().signal, onEvent });
      expect(done).toEqual(['a.mp4', 'b.mp4']);
      expect(await told[0]).toMatchObject([{ to: 1.4 }, { from: 1.4, to: 2.8 }]);
      expect(await told[1]).toEqual(['Expected a video of this topic, found "b".']);
      expect((await engine.track({ video: 'b' })).shots).toHaveLength(2);
    } finally {
      await engine.close();
    }
  });
});

const nothing = { parameters: {}, body: undefined };

describe('the desk', () => {
  it('opens one topic, though two are asked for at the same time', async () => {
    const begin = (name: string) => desk.handlers.beginTopic({ parameters: {}, body: { name } });
    const answers = await Promise.allSettled([begin('one'), begin('two')]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(answers[1]).toMatchObject({ reason: { code: 'open-already' } });
    expect(await desk.handlers.readTopic(nothing)).toMatchObject({ name: 'one', folder: join(home, 'one-topic') });
  });

  it('lets another topic be begun where one could not be', async () => {
    await mkdir(join(home, 'one-topic', 'topic.json'), { recursive: true });
    const begin = (name: string) => desk.handlers.beginTopic({ parameters: {}, body: { name } });
    await expect(begin('one')).rejects.toThrow();
    expect(await begin('two')).toEqual({ name: 'two' });
  });

  it('keeps what it showed when a video that was sent cannot be added', async () => {
    const ffmpeg = (await locateFfmpeg()).path;
    await mkdir(join(home, 'town'));
    await makeVideo(ffmpeg, join(home, 'town', 'a.mp4'), { frameCount: 70, cuts: [35], firstNumber: 0 });
    await makeVideo(ffmpeg, join(home, 'b.mp4'), { frameCount: 80, cuts: [40], firstNumber: 50 });
    await desk.handlers.openFolder({ parameters: {}, body: { name: 'town' } });
    expect(await ended()).toBe('idle');

    // The record of the topic may be changed from outside, here to a wish for a shot that there is none of.
    await keepOptions(join(home, 'town-topic'), { pin: ['a.mp4#900'] });
    const bytes = new Blob([await readFile(join(home, 'b.mp4'))]).stream();
    await desk.handlers.upload({ parameters: { name: 'b.mp4' }, body: { bytes, declared: null } });
    await desk.handlers.include(nothing);
    expect(await ended()).toBe('failed');
    const { selection, known } = await desk.handlers.readTopic(nothing);
    expect([known, selection?.videos.map(({ id }) => id)]).toEqual([1, ['a']]);
    expect([desk.media('a'), desk.media('b')]).toEqual([join(home, 'town', 'a.mp4'), null]);
  });
});
