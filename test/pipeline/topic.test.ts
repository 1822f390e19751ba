// @module-tag slow
import { writeFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  addToTopic,
  describeTopic,
  removeFromTopic,
  summarizeTopic,
  updateTopic,
  type RunEvent,
} from 'throughline-video';
import { drawTopic } from '../fixtures/drawn-topic.js';
import { locateFfmpeg } from '../../src/media/index.js';

let home: string;
const at = (...parts: string[]): string => join(home, ...parts);
let videos: string[];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-growing-'));
  const drawn = await drawTopic({ folder: at('in'), ffmpeg: (await locateFfmpeg()).path, scale: 0.2, videoCount: 4 });
  videos = drawn.videos.map(({ file }) => at('in', file));
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** Notes which videos were really analysed. */
function watch(folder: string) {
  const analysed: string[] = [];
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'item-done' && event.stage === 'analyse' && !event.cached) analysed.push(event.item);
  };
  return { analysed, work: { folder: at(folder), onEvent } };
}
const options = { length: '30%', films: false } as const;
const summaryOf = (folder: string): Promise<string> => readFile(at(folder, 'summary', 'summary.json'), 'utf8');

describe('a topic in a folder', () => {
  it('grows by analysing what is new alone, and ends as if summarised at once', async () => {
    const first = watch('grown');
    const started = await addToTopic(videos.slice(0, 2), options, first.work);
    expect(first.analysed).toHaveLength(2);
    expect(started.added).toHaveLength(2);

    const second = watch('grown');
    const grown = await addToTopic([...videos.slice(2), videos[0]!], { jobs: 1 }, second.work);
    expect(second.analysed).toHaveLength(2);
    expect(grown.known).toEqual([videos[0]]);
    expect(grown.project.options).toEqual(options);
    const earlier = started.outcome!.document;
    for (const change of grown.changes!) {
      const known = earlier.videos.find(({ path }) => path === change.video);
      const now = grown.outcome!.document.videos.find(({ path }) => path === change.video)!;
      const chosen = now.shots.filter((shot) => shot.chosen).length;
      expect(change.kept + change.came.length).toBe(chosen);
      expect(change.kind === 'added').toBe(known === undefined);
    }

    const whole = watch('whole');
    await addToTopic([at('in')], { ...options, topic: 'grown' }, whole.work);
    expect(JSON.parse(await summaryOf('grown')).videos).toEqual(JSON.parse(await summaryOf('whole')).videos);
    const plain = await summarizeTopic(at('in'), { ...options, out: at('plain'), cache: at('plain-cache') });
    expect(plain.document.videos).toEqual(grown.outcome!.document.videos);
  });

  it('shrinks without analysing anything, says what moved, and finds everything again', async () => {
    const { analysed, work } = watch('grown');
    const name = videos[3]!.split('/').at(-1)!;
    const shrunk = await removeFromTopic([name], work);
    expect(shrunk.removed).toHaveLength(1);
    expect(shrunk.changes!.at(-1)).toMatchObject({ video: name, kind: 'removed' });
    expect(shrunk.outcome!.document.videos).toHaveLength(3);
    const back = await addToTopic([videos[3]!], {}, work);
    expect(back.added).toHaveLength(1);
    expect(analysed).toEqual([]);
    expect(JSON.parse(await summaryOf('grown')).videos).toEqual(JSON.parse(await summaryOf('whole')).videos);
  });

  it('keeps the options it was given last', async () => {
    const { work } = watch('grown');
    const longer = await updateTopic({ length: '60%' }, work);
    expect(longer.changes!.some(({ came }) => came.length > 0)).toBe(true);
    expect((await describeTopic(at('grown'))).project.options).toEqual({ ...options, length: '60%' });
  });

  it('takes no file that is no video, and goes on without it', async () => {
    await writeFile(at('text.mp4'), 'no video at all');
    const { work } = watch('whole');
    const grown = await addToTopic([at('text.mp4')], {}, work);
    expect(grown.added).toEqual([]);
    expect(grown.outcome!.document.skipped).toHaveLength(1);
    expect((await describeTopic(at('whole'))).videos).toHaveLength(4);
  });

  it('can be moved together with its videos', async () => {
    await cp(at('whole'), at('elsewhere', 'whole'), { recursive: true });
    await cp(at('in'), at('elsewhere', 'in'), { recursive: true });
    const { analysed, work } = watch('elsewhere/whole');
    const same = await updateTopic({}, work);
    expect(analysed).toEqual([]);
    expect(same.changes!.every(({ kind }) => kind === 'same')).toBe(true);
  });

  it('keeps a video whose file is missing, and accepts no other file in its place', async () => {
    const { work } = watch('elsewhere/whole');
    const lost = at('elsewhere', 'in', videos[1]!.split('/').at(-1)!);
    await truncate(lost, 1000);
    await expect(updateTopic({}, work)).rejects.toMatchObject({ code: 'video-changed' });
    await rename(lost, `${lost}.away`);
    await expect(updateTopic({}, work)).rejects.toMatchObject({ code: 'video-missing' });
    const { videos: states } = await describeTopic(at('elsewhere', 'whole'));
    expect(states.map(({ state }) => state).toSorted()).toEqual(['missing', 'ready', 'ready', 'ready']);
  });

  it('is not overwritten by a run that another one overtook', async () => {
    const path = at('whole', 'topic.json');
    const text = await readFile(path, 'utf8');
    const onEvent = (event: RunEvent): void => {
      if (event.type === 'run-done') writeFileSync(path, text.replace('"grown"', '"overtaken"'));
    };
    const late = updateTopic({ length: '50%' }, { folder: at('whole'), onEvent });
    await expect(late).rejects.toMatchObject({ code: 'topic-changed' });
    expect(await readFile(path, 'utf8')).toContain('overtaken');
  });

  it('is refused where there is none, or a damaged one, or for a video it does not have', async () => {
    await expect(updateTopic({}, { folder: at('nowhere') })).rejects.toMatchObject({ code: 'no-topic' });
    await expect(removeFromTopic(['none.mp4'], { folder: at('whole') })).rejects.toMatchObject({
      code: 'not-in-topic',
    });
    await writeFile(at('elsewhere', 'whole', 'topic.json'), '{"schema":"topic.1","name":"x"}');
    await expect(updateTopic({}, { folder: at('elsewhere', 'whole') })).rejects.toMatchObject({ code: 'bad-topic' });
  });
});
