import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { summarizeTopic, type OptionsInput, type RunEvent } from 'throughline';
import { fetchResults, runHere, submitTopic, type Desk } from '../../src/jobs/index.js';
import { optionsSchema } from '../../src/options.js';
import { openObjects } from '../../src/store/index.js';
import { contentsOf, makeTroubledTopic } from './topic.js';

let home: string;
const at = (...parts: string[]): string => join(home, ...parts);

const wanted: OptionsInput = {
  ...{ length: '25%', concept: '10s', pictures: 'storyboard,sheet,stills', preview: 'webp' },
  ...{ pin: ['aiko.mp4#2', 'femi.mp4@0:01-0:02'], veto: ['carla.mp4#1'], topicSequence: ['aiko.mp4#2'] },
};

async function deskOn(store: string, told: RunEvent[] = []): Promise<Desk> {
  const objects = await openObjects(at(store));
  return { objects, scratch: at('scratch'), jobs: 2, tell: (event) => told.push(event) };
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-jobs-'));
  await makeTroubledTopic(at('topic'));
  await summarizeTopic(at('topic'), { ...wanted, out: at('one'), cache: at('cache') });
}, 300_000);
afterAll(() => rm(home, { recursive: true, force: true }));

describe('a topic done in tasks', () => {
  it('comes to the same bytes as on one machine, every file of it', async () => {
    const told: RunEvent[] = [];
    const desk = await deskOn('store', told);
    const { topicId, skipped } = await submitTopic([at('topic')], optionsSchema.parse(wanted), desk);
    expect(skipped.map(({ path, code }) => [path, code])).toEqual([
      ['text.mp4', expect.any(String)],
      ['z same.mp4', 'duplicate'],
    ]);
    await runHere(topicId, desk);
    await fetchResults(topicId, at('many'), desk);
    const one = JSON.parse(await readFile(at('one', 'summary.json'), 'utf8')) as unknown;
    expect(JSON.parse(await readFile(at('many', 'summary.json'), 'utf8'))).toEqual(one);
    expect(await contentsOf(at('many'))).toEqual(await contentsOf(at('one')));
    expect(await readdir(at('scratch'))).toEqual([]);
  }, 300_000);
});
