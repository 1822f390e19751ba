import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { OptionsInput } from '../index.js';
import type { RankedTopic } from '../pipeline/index.js';
import { METHOD_NAMES, type MethodName } from '../select/index.js';
import { keepStudies, subjectsOf, type Studies } from './studies.js';
import type { Ballot, NewStudy } from './study-contract.js';

const base = { num: 1, den: 10 };
const asked: OptionsInput[] = [];

/** Every method takes another second of each video, so that a clip tells the method to whoever knows this. */
const secondOf = (method: MethodName): number => METHOD_NAMES.indexOf(method);
const judge = async (options: OptionsInput): Promise<RankedTopic> => {
  asked.push(options);
  const second = secondOf(options.method!);
  const range = { start: 100 + 10 * second, end: 110 + 10 * second, base };
  const videos = ['one', 'two'].map((id) => ({
    ...{ id, name: `${id}.mp4`, analysis: { start: 100 } },
    clips: [{ startFrame: 0, endFrame: 1, range }],
  }));
  const concept = { shots: videos.map(({ id }) => ({ video: id, shot: 0, range })) };
  return { options, videos, concept, notes: [] } as unknown as RankedTopic;
};

let folder: string;
let studies: Studies;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-studies-'));
  studies = keepStudies(join(folder, 'studies'), (study) => subjectsOf(study, judge));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const FILM: NewStudy = { keyWord: 'Eiffel Tower', methods: ['cosum', 'cvs'], film: '30s', summaries: null };
const open = (change: Partial<NewStudy> = {}) =>
  studies.handlers.openStudy({ parameters: {}, body: { ...FILM, ...change } });
const join_ = (study: string, name: string): Promise<Ballot> =>
  studies.handlers.joinStudy({ parameters: { study }, body: { name } });
const mark = ({ study, rater }: Ballot, subject: number, letter: string, value: number): Promise<Ballot> =>
  studies.handlers.mark({ parameters: { study, rater }, body: { subject, letter, mark: value } });
const finish = ({ study, rater }: Ballot) =>
  studies.handlers.finishRating({ parameters: { study, rater }, body: undefined });
const end = (study: string) => studies.handlers.endStudy({ parameters: { study }, body: undefined });

/** Marks every summary by the method it secretly is. */
async function rate(ballot: Ballot, markOf: (method: MethodName, subject: string) => number): Promise<Ballot> {
  for (const [place, { title, summaries }] of ballot.subjects.entries())
    for (const { letter, clips } of summaries)
      await mark(ballot, place, letter, markOf(METHOD_NAMES[clips[0]!.from]!, title));
  return finish(ballot);
}

describe('a blind study', () => {
  it('gives the table one would work out by hand', async () => {
    const { id } = await open();
    // cvs 9 and 7, cosum 6 and 6: differences 3 and 1, t = 2 / (√2/√2) = 2 with one degree of freedom.
    await rate(await join_(id, 'Ada'), (method) => (method === 'cvs' ? 9 : 6));
    await rate(await join_(id, 'Bo, "B"'), (method) => (method === 'cvs' ? 7 : 6));
    await mark(await join_(id, 'Cy'), 0, 'A', 1);
    const { raters, unfinished, tables, csv } = await end(id);
    expect({ raters, unfinished, csv }).toEqual({ raters: 2, unfinished: 1, csv: '/studies/study-1.csv' });
    expect(tables).toHaveLength(1);
    const [cvs, cosum] = tables[0]!.rows;
    expect(cvs).toMatchObject({ method: 'cvs', marks: 2, mean: 8, lead: null });
    expect(cvs!.deviation).toBeCloseTo(Math.SQRT2, 12);
    // t for 95 % and one degree of freedom is 12.7062; times √2/√2.
    expect(cvs!.interval!.low).toBeCloseTo(8 - 12.7062, 4);
    expect(cosum).toMatchObject({ method: 'cosum', marks: 2, mean: 6, deviation: 0, interval: { low: 6, high: 6 } });
    expect(cosum!.lead).toMatchObject({ mean: 2, pairs: 2 });
    expect(cosum!.lead!.p).toBeCloseTo(1 - (2 / Math.PI) * Math.atan(2), 12);

    const lines = (await studies.csv(id)).split('\r\n');
    expect(lines).toHaveLength(1 + 3 * 2 + 1);
    expect(lines[0]).toBe('study,key_word,rater,finished,kind,subject,seen_as_number,letter,method,mark');
    const sorted = lines.slice(3, 5).map((line) => line.replace(/,[AB],/, ',?,'));
    expect(sorted.toSorted()).toEqual([
      'study-1,Eiffel Tower,"Bo, ""B""",yes,film,The film of the topic,1,?,cosum,6',
      'study-1,Eiffel Tower,"Bo, ""B""",yes,film,The film of the topic,1,?,cvs,7',
    ]);
  });

  it('has a table for films and one for summaries; a rater’s mean is what is compared', async () => {
    const { id, subjects } = await open({ summaries: '15%' });
    expect(subjects).toEqual(['The film of the topic', 'one.mp4', 'two.mp4']);
    for (const [name, extra] of [['Ada', 0], ['Bo', 2]] as const) // prettier-ignore
      await rate(await join_(id, name), (method, title) => (title === 'one.mp4' ? 2 : 6) + (method === 'cvs' ? extra : 0)); // prettier-ignore
    const { tables } = await end(id);
    expect(tables.map(({ kind, subjects: many, length }) => [kind, many, length])).toEqual([
      ['film', 1, '30s'],
      ['video', 2, '15%'],
    ]);
    // Marks of cvs: 2 and 6, then 4 and 8; the raters' means 4 and 6, their deviation √2.
    const [cvs] = tables[1]!.rows;
    expect(cvs).toMatchObject({ marks: 4, mean: 5 });
    expect(cvs!.deviation).toBeCloseTo(Math.sqrt((9 + 1 + 1 + 9) / 3), 12);
    expect(cvs!.interval!.high).toBeCloseTo(5 + 12.7062, 4);
  });

  it('asks of every method the same, without wishes', async () => {
    asked.length = 0;
    await open({ summaries: '20%' });
    const common = { length: '20%', concept: '30s', pin: [], veto: [], order: 'position' };
    expect(asked).toEqual([
      { ...common, method: 'cvs' },
      { ...common, method: 'cosum' },
    ]);
  });

  it('says nowhere before the end which method is which', async () => {
    const { id } = await open({ methods: [...METHOD_NAMES] });
    const ballot = await join_(id, 'Ada');
    const refused = await studies.handlers
      .readResults({ parameters: { study: id }, body: undefined })
      .catch((error: Error) => error);
    const csv = await studies.csv(id).catch((error: Error) => error);
    expect([refused, csv].map((error) => (error as { code?: string }).code)).toEqual(['study-open', 'study-open']);
    const answers = [
      ballot,
      await mark(ballot, 0, 'B', 4),
      await studies.handlers.readBallot({ parameters: { study: id, rater: '1' }, body: undefined }),
      await studies.handlers.readStudies({ parameters: {}, body: undefined }),
      (refused as Error).message,
      (await finish(ballot).catch((error: Error) => error) as Error).message, // prettier-ignore
    ];
    for (const name of METHOD_NAMES) expect(JSON.stringify(answers)).not.toContain(name);
    expect(JSON.stringify(answers)).not.toContain('seed');
  });

  it('shuffles for every rater and subject anew: all orders come up, none by letter', async () => {
    const { id } = await open({ methods: ['cvs', 'kmeans', 'random'], summaries: '15%' });
    const seen = new Map<string, number>();
    const firsts = new Set<string>();
    for (let rater = 0; rater < 60; rater++) {
      const { subjects } = await join_(id, `rater ${rater}`);
      firsts.add(subjects[0]!.title);
      for (const { summaries } of subjects) {
        const order = summaries.map(({ clips }) => clips[0]!.from).join();
        seen.set(order, (seen.get(order) ?? 0) + 1);
      }
    }
    expect(firsts.size).toBe(3);
    expect(seen.size).toBe(6);
    // 180 draws of six orders: 30 each; fewer than 5 or more than 65 has a chance of about one in ten million.
    for (const many of seen.values()) expect(many > 5 && many < 65).toBe(true);
  });

  it('goes on after a reload, for the same name, with nothing changed but the marks', async () => {
    const { id } = await open();
    const ballot = await join_(id, 'Ada');
    await Promise.all([mark(ballot, 0, 'A', 3), mark(ballot, 0, 'B', 8)]);
    await mark(ballot, 0, 'A', 4);
    studies = keepStudies(join(folder, 'studies'), (study) => subjectsOf(study, judge));
    const again = await join_(id, ' ada '.trim());
    expect(again.rater).toBe(ballot.rater);
    expect(again.subjects[0]!.summaries.map((summary) => summary.mark)).toEqual([4, 8]);
    expect(again.subjects[0]!.summaries.map(({ clips }) => clips)).toEqual(
      ballot.subjects[0]!.summaries.map(({ clips }) => clips),
    );
    expect(again.subjects[0]!.summaries[0]!.clips[0]!.to - again.subjects[0]!.summaries[0]!.clips[0]!.from).toBe(1);
    expect(await readdir(join(folder, 'studies'))).toEqual(['study-1.json']);
  });

  it('takes no marks that are missing, handed in, or too late', async () => {
    const { id } = await open();
    const ballot = await join_(id, 'Ada');
    const codeOf = (attempt: Promise<unknown>): Promise<unknown> =>
      attempt.then(() => 'taken', (error: { code?: string }) => error.code); // prettier-ignore
    expect(await codeOf(finish(ballot))).toBe('marks-missing');
    expect(await codeOf(mark(ballot, 0, 'C', 5))).toBe('not-found');
    expect(await codeOf(mark(ballot, 1, 'A', 5))).toBe('not-found');
    expect(await codeOf(mark({ ...ballot, rater: '2' }, 0, 'A', 5))).toBe('not-found');
    await rate(ballot, () => 5);
    expect(await codeOf(mark(ballot, 0, 'A', 6))).toBe('rater-finished');
    const late = await join_(id, 'Bo');
    await end(id);
    expect(await codeOf(mark(late, 0, 'A', 6))).toBe('study-ended');
    expect(await codeOf(join_(id, 'Cy'))).toBe('study-ended');
    expect(await codeOf(join_('study-2', 'Ada'))).toBe('not-found');
    expect(await codeOf(join_('../topic', 'Ada'))).toBe('not-found');
    expect(await codeOf(open({ film: null }))).toBe('nothing-rated');
    expect(await codeOf(open({ methods: ['cvs', 'cvs'] }))).toBe('one-method');
    expect((await open()).id).toBe('study-2');
  });
});
