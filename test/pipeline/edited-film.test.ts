// @module-tag slow
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { importTimeline, summarizeTopic, timelineFormats, timelineOfConcept, type Outcome, type OptionsInput } from 'throughline-video'; // prettier-ignore
import { locateFfmpeg } from '../../src/media/index.js';
import { copyAnalysis, drawTopic } from '../fixtures/drawn-topic.js';

let home: string;
const at = (...parts: string[]): string => join(home, ...parts);

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-edited-film-'));
  await drawTopic({ folder: at('topic'), ffmpeg: (await locateFfmpeg()).path, scale: 0.2, videoCount: 4 });
  await copyAnalysis(at('cache'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

const run = (out: string, options: OptionsInput): Promise<Outcome> =>
  summarizeTopic(at('topic'), { out: at(out), cache: at('cache'), films: false, pictures: 'none', ...options });
const clipsOf = ({ document }: Pick<Outcome, 'document'>): unknown[] =>
  timelineOfConcept(document).clips.map(({ source, firstFrame, endFrame }) => [source, firstFrame, endFrame]);

it('a film of the topic that was cut elsewhere is made again, to the frame: reordered, trimmed, and one clip less', async () => {
  const first = await run('first', { concept: '14s' });
  const timeline = timelineOfConcept(first.document);
  const [opening, , ...others] = timeline.clips;
  expect(others.length).toBeGreaterThan(1);
  const trimmed = { ...opening!, in: opening!.in + 5, out: opening!.out - 7 };
  const edited = { ...timeline, clips: [others.at(-1)!, ...others.slice(0, -1), trimmed] };
  const { film, filmNotes, leftOut } = importTimeline(timelineFormats.json.write(edited).text, first.document, { file: 'a' }); // prettier-ignore
  expect([filmNotes, leftOut]).toEqual([[], []]);
  const second = await run('second', { ...film, pin: [...film.pin], topicSequence: [...film.topicSequence] });
  expect(clipsOf(second)).toEqual(
    edited.clips.map(({ source, in: from, out }) => [source, from, out]), // prettier-ignore
  );
});
