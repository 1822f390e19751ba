import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import h5wasm from 'h5wasm/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { readAnalysis } from '../../src/pipeline/analysis/record.js';
import { type Listener, UsageError } from '../../src/base/index.js';
import { openHdf5 } from '../../src/features/index.js';
import { engineHere, runTask } from '../../src/jobs/index.js';
import { namesOf, readHead, readRecord } from '../../src/jobs/records.js';
import { locateFfmpeg } from '../../src/media/index.js';
import { optionsSchema } from '../../src/options/index.js';
import { type Run, keptMatrix } from '../../src/pipeline/run.js';
import { makeUnlessThere } from '../../src/pipeline/render.js';
import { hashFile, localWorkspace, openCache, openObjectCache, openObjects } from '../../src/storage/index.js';
import { ballotOf, factsOf, joinStudy, parseStudy } from '../../src/studio/study.js';
import { resultsOf, studyCsv } from '../../src/studio/study-results.js';
import { tryDamaged } from '../fixtures/damage.js';

/** Damaged copies tried of each kind of record; of HDF5, each of which starts a thread, a fortieth. */
const COPIES = Number(process.env['FUZZ_COPIES'] ?? 400);
const SEED = Number(process.env['FC_SEED'] ?? 2017);

let home: string;
beforeAll(async () => void (home = await mkdtemp(join(tmpdir(), 'throughline-records-'))));
afterAll(() => rm(home, { recursive: true, force: true }));

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const base = { num: 1, den: 25 };
const analysis = {
  ...{ schema: 'analysis.1', frameCount: 4, timeBase: base, frameRate: null, start: 0, end: 4, dim: 3 },
  takes: [{ startFrame: 0, endFrame: 4, range: { start: 0, end: 4, base } }],
  shots: [0, 2].map((start, view) => ({
    startFrame: start,
    endFrame: start + 2,
    range: { start, end: start + 2, base },
    take: 0,
    view,
  })),
  pictures: [{ offset: 0, length: 4 }, { offset: 4, length: 4 }], // prettier-ignore
  ...{ warning: null, isDamaged: false, readWhole: null, soundWarning: null, heard: null, stream: { packets: 4 } },
};
const SECTIONS = { features: Buffer.alloc(24, 1), pictures: Buffer.from('jpegjpeg'), ticks: Buffer.alloc(32) };

describe('the cache', () => {
  const write = async (folder: string, header: unknown): Promise<void> => {
    const draft = await (await openCache(folder)).draft('key');
    for (const [name, bytes] of Object.entries(SECTIONS)) await draft.append(name, bytes);
    await draft.commit(header, Object.keys(SECTIONS));
  };

  it.each(['entry', ...Object.keys(SECTIONS)])('whose file "%s" is damaged has no entry, or the whole one', async (name) => {
    const folder = join(home, `cache-${name}`);
    await write(folder, analysis);
    const whole = await readFile(join(folder, 'key', name));
    const cache = await openCache(folder);
    const outcomes = await tryDamaged(whole, { copies: COPIES / 4, seed: SEED }, async (copy) => {
      await rm(join(folder, 'key'), { recursive: true, force: true });
      await mkdir(join(folder, 'key'));
      for (const [each, bytes] of Object.entries(SECTIONS)) await writeFile(join(folder, 'key', each), bytes);
      if (name !== 'entry') await writeFile(join(folder, 'key', 'entry'), entry);
      await writeFile(join(folder, 'key', name), copy);
      const found = await cache.find('key');
      if (found) expect(copy.equals(whole)).toBe(true);
      return found;
    });
    expect(outcomes.refused).toBeGreaterThan(0);
  }); // prettier-ignore
  let entry: Buffer;
  beforeAll(async () => {
    await write(join(home, 'cache-first'), analysis);
    entry = await readFile(join(home, 'cache-first', 'key', 'entry'));
  });

  it('with an analysis under a good seal that does not fit together: none, or all of it', async () => {
    const outcomes = await tryDamaged(json(analysis), { copies: COPIES, seed: SEED }, async (copy) => {
      let header: unknown;
      try {
        header = JSON.parse(copy.toString());
      } catch {
        return null;
      }
      const read = async (section: string, offset = 0, length?: number): Promise<Buffer> =>
        SECTIONS[section as keyof typeof SECTIONS].subarray(offset, length === undefined ? undefined : offset + length);
      const found = await readAnalysis({ header, read });
      if (!found) return null;
      const { shotCount, dim, read: readShots } = found.features;
      expect([shotCount, (await readShots(0, shotCount)).data.length]).toEqual([found.shots.length, shotCount * dim]);
      await found.picture(0);
      expect((await found.frameTicks()).length).toBe(found.frameCount);
      return found;
    });
    expect(outcomes.read).toBeGreaterThan(0);
  });

  const part = { bytes: 1, sha256: createHash('sha256').update('a').digest('hex') };
  it.each<[string, unknown]>([
    ['nothing', null],
    ['a number', 1],
    ['no JSON', undefined],
    ['no sections', { schema: 'cache.1', key: 'key' }],
    ['a section that is nothing', { schema: 'cache.1', key: 'key', sections: { part: null } }],
    ['a section without end', { schema: 'cache.1', key: 'key', sections: { part: { ...part, bytes: 1e300 } } }],
    ['a section elsewhere', { schema: 'cache.1', key: 'key', sections: { '../elsewhere': part } }],
    ['a section without a name', { schema: 'cache.1', key: 'key', sections: { '\0': part } }],
  ])('with a good checksum over %s: made again, in a folder as in a store', async (_, seal) => {
    const folder = await mkdtemp(join(home, 'seal-'));
    const body = seal === undefined ? 'seal' : JSON.stringify(seal);
    const sum = createHash('sha256').update(body).digest('hex');
    await mkdir(join(folder, 'key'));
    for (const place of ['elsewhere', 'key/part']) await writeFile(join(folder, place), 'a');
    await writeFile(join(folder, 'key', 'entry'), `${sum}\n${body}`);
    const objects = await openObjects(join(folder, 'objects'));
    const ours = body.replace('cache.1', 'cache-object.1');
    const oursSum = createHash('sha256').update(ours).digest('hex');
    await objects.write('analyses/key', `${oursSum} ${String(ours.length).padStart(12, '0')}\n${ours}`);
    for (const cache of [await openCache(folder), openObjectCache(objects, join(folder, 'scratch'))]) {
      expect(await cache.find('key')).toBeNull();
      const draft = await cache.draft('key');
      await draft.append('part', Buffer.from('whole'));
      await draft.commit({}, ['part']);
      expect((await (await cache.find('key'))!.read('part')).toString()).toBe('whole');
    }
  });

  it.each([2 ** 29, 2 ** 31, 2 ** 40, 2 ** 52])('with vectors of %d numbers, or pictures as large, which are not there', async (dim) => {
    const folder = await mkdtemp(join(home, 'huge-'));
    await write(folder, { ...analysis, dim });
    const kept = (await (await openCache(folder)).find('key'))!;
    expect(await readAnalysis(kept)).toBeNull();
    for (const section of Object.keys(SECTIONS)) expect((await kept.read(section, 1, dim)).length).toBe(SECTIONS[section as 'ticks'].length - 1);
  }); // prettier-ignore

  it('with more bytes than are read at once: refused', async () => {
    const folder = await mkdtemp(join(home, 'sparse-'));
    await mkdir(join(folder, 'key'));
    const path = join(folder, 'key', 'ticks');
    await writeFile(path, '');
    await truncate(path, 2 ** 30 + 1);
    const ticks = await hashFile(path);
    const body = JSON.stringify({ schema: 'cache.1', key: 'key', sections: { ticks }, header: null });
    await writeFile(join(folder, 'key', 'entry'), `${createHash('sha256').update(body).digest('hex')}\n${body}`);
    const kept = (await (await openCache(folder)).find('key'))!;
    await expect(kept.read('ticks')).rejects.toMatchObject({ code: 'bad-entry' });
    expect((await kept.read('ticks', 2 ** 30)).length).toBe(1);
  });

  it.each<[string, (path: string) => Promise<unknown>]>([
    ['removed', (path) => rm(path, { recursive: true })],
    ['cut off', (path) => truncate(join(path, 'features'), 5)],
    ['replaced by a folder', (path) => rm(join(path, 'features')).then(() => mkdir(join(path, 'features')))],
    ['replaced by a pipe', (path) => rm(join(path, 'features')).then(() => execFileSync('mkfifo', [join(path, 'features')]))],
  ])('whose entry is %s after it was found says so', async (_, change) => {
    const folder = await mkdtemp(join(home, 'gone-'));
    await write(folder, analysis);
    const found = await readAnalysis((await (await openCache(folder)).find('key'))!);
    await change(join(folder, 'key'));
    const said = expect.stringContaining(folder) as string;
    await expect(found!.features.read(0, 2)).rejects.toMatchObject({ code: 'entry-vanished', message: said });
  }); // prettier-ignore
});

describe('what the cache keeps to save time', () => {
  /** A run of which only the disk and the listener matter. */
  const runOn = async (folder: string, events: string[] = []): Promise<Run> =>
    ({ workspace: localWorkspace(await openCache(folder)), out: join(folder, 'out'), emit: (event: Parameters<Listener>[0]) => events.push('code' in event ? event.code : event.type) }) as unknown as Run; // prettier-ignore
  const enqueueTree = async ({ workspace }: Run, key: string, header: unknown): Promise<void> => {
    const draft = await workspace.draft(key);
    await draft.append('rows', Buffer.alloc(24, 1));
    await draft.commit(header, ['rows']);
  };
  const made = { shotCount: 2, dim: 1, data: Float32Array.of(1, 2), note: null };

  it.each<[string, unknown]>([
    ['nothing', null],
    ['another kind', { schema: 'rows.9', dim: 3, note: null }],
    ['a number in words', { schema: 'rows.1', dim: '3', note: null }],
    ['a list for a number', { schema: 'rows.1', dim: [3], note: null }],
    ['a note that is none', { schema: 'rows.1', dim: 3, note: { toString: 1 } }],
  ])('is made again where its header is %s', async (_, header) => {
    const run = await runOn(await mkdtemp(join(home, 'rows-')));
    await enqueueTree(run, run.workspace.keyOf({}), header);
    expect(await keptMatrix(run, {}, 2, async () => made)).toEqual(made);
  });

  it('is made again where the receipt of a film is none', async () => {
    const run = await runOn(await mkdtemp(join(home, 'receipt-')));
    await mkdir(run.out);
    await writeFile(join(run.out, 'film'), 'planted');
    const { sha256 } = await hashFile(join(run.out, 'film'));
    const key = run.workspace.keyOf({ encoder: (await locateFfmpeg()).version });
    await enqueueTree(run, key, { sha256, remark: { toString: 1 } });
    const make = async (draft: string): Promise<null> => (await writeFile(draft, 'made'), null);
    expect(await makeUnlessThere({}, 'film', run, make)).toEqual({ cached: false, remark: null });
    expect(await readFile(join(run.out, 'film'), 'utf8')).toBe('made');
  });

  it('is done without where the cache is gone', async () => {
    const [folder, events] = [await mkdtemp(join(home, 'none-')), [] as string[]];
    const run = await runOn(folder, events);
    await rm(folder, { recursive: true });
    for (const key of [{ a: 1 }, { a: 2 }]) expect(await keptMatrix(run, key, 2, async () => made)).toEqual(made);
    expect(events).toEqual(['not-kept']);
  });
});

/** What a record says of a video. */
const info = {
  ...{ container: 'mov', codec: 'h264', pixelFormat: 'yuv420p', interlaced: false, widthPx: 96, heightPx: 54 },
  ...{
    sampleAspect: { num: 1, den: 1 },
    rotationDeg: 0,
    timeBase: base,
    frameRate: null,
    durationHint: null,
    audio: [],
  },
};

describe('records of jobs in a store', () => {
  const topic = createHash('sha256').update('t').digest('hex');
  const said = { notes: ['n'], skipped: [{ path: 'x.mp4', code: 'not-video', message: 'No.' }] };
  const input = { id: 'a', name: 'a.mp4', sha256: topic, bytes: 5 };
  const opened = { ...input, info };
  const extractor = { name: 'shallow', version: '1', dim: 3, sha256: null, layer: null };
  const ranking = {
    ...{ order: [1, 0], places: [1, 0], views: [0, 1], scores: [0, 1], own: [0, 1], shared: [0, 0] },
    ...{ support: [{ shot: 1, by: [] }], shown: [{ shot: 1, shown: { others: 2, own: 0, by: [] } }] },
    evidence: { total: [0.5, -0.5], terms: { distinct: [1, -1] } },
    solver: { iterations: 3, converged: true, residual: null },
  };
  const made = { film: 'a.mp4', storyboard: null, pictures: ['a.stills/1.jpg'] };
  const names = namesOf(topic);
  const records = {
    [names.head]: {
      ...{ schema: 'job.1', topic: 'town', options: optionsSchema.parse({}), engine: { version: '1' }, extractor: 'e', videos: 2 },
      ...{ shots: null, wishes: { pin: [], veto: [], sequence: [], topicSequence: [] }, ...said },
    },
    [names.inputs(0)]: [input],
    [names.one('extract', 0)]: { ...said, input: opened, video: { extractor, readWhole: null, extent: { seconds: 4, longestTake: 2 } } },
    [names.gathered('extract', 0)]: [{ ...said, input: null, video: null }],
    [names.roster]: { count: 1, inBackground: [], ...said },
    [names.rosterChunk(0)]: [{ input: 0, id: 'a', name: 'a.mp4', extractor, weight: 1, special: null, budget: null }],
    [names.one('summarise', 0)]: { ...said, ranking, made },
    [names.gathered('summarise', 0)]: [{ ...said, ranking: null, made }],
    [names.concept]: { ...said, concept: null },
  }; // prettier-ignore
  const read = (objects: Awaited<ReturnType<typeof openObjects>>, name: string): Promise<unknown> =>
    name.endsWith('head.json') ? readHead(objects, topic) : readRecord(objects, name);

  it.each(Object.keys(records))('%s: bytes that turned over are told by their checksum', async (name) => {
    const store = join(home, `store-${name.replaceAll('/', '_').slice(-20)}`);
    const objects = await openObjects(store);
    await objects.write(name, JSON.stringify(records[name]));
    expect(await read(objects, name)).not.toBeNull();
    const path = objects.localPath(name)!;
    const whole = await readFile(path);
    const outcomes = await tryDamaged(whole, { copies: COPIES / 8, seed: SEED }, async (copy) => {
      await writeFile(path, copy);
      const found = await read(objects, name);
      expect(found).toEqual(JSON.parse(whole.toString()));
      return found;
    });
    expect(outcomes.refused).toBeGreaterThan(0);
  });

  it.each(Object.keys(records))('%s: written by somebody else, it is a record or refused', async (name) => {
    const objects = await openObjects(join(home, 'store-others'));
    const outcomes = await tryDamaged(json(records[name]), { copies: COPIES / 8, seed: SEED }, async (copy) => {
      await objects.write(name, copy);
      const found = await read(objects, name);
      // Nothing would mean that it is not there.
      expect([typeof found, found === null]).toEqual(['object', false]);
      return found;
    });
    expect(outcomes.refused).toBeGreaterThan(0);
  });
});

/** Somebody who may write to the store writes what no worker would, checksum and all. */
describe('records that lie', () => {
  const names = namesOf('t');
  const said = { notes: [], skipped: [] };
  const made = { film: null, storyboard: null, pictures: [] };
  const extractor = { name: 'shallow', version: '1', dim: 3, sha256: null, layer: null };
  const input = { id: 'a', name: 'a.mp4', sha256: '0'.repeat(64), bytes: 5 };
  const opened = (lie: object) => ({ ...said, input: { ...input, info: { ...info, ...lie } }, video: null });
  const member = { input: 0, id: 'a', name: 'a.mp4', extractor, weight: 1, special: null };

  it.each<[string, string, unknown]>([
    ['an id that leads out of the results', names.inputs(0), [{ ...input, id: '../../../videos/x' }]],
    ['an id that is hidden', names.inputs(0), [{ ...input, id: '.throughline-store' }]],
    ['a content that is a path', names.inputs(0), [{ ...input, sha256: '../../../etc/passwd' }]],
    ['a name that is none', names.inputs(0), [{ ...input, name: { toString: 1 } }]],
    ['a picture as large as a town', names.one('extract', 0), opened({ widthPx: 1e6, heightPx: 1e6 })],
    ['a clock that stands still', names.one('extract', 0), opened({ timeBase: { num: 0, den: 1 } })],
    ['a turn between the axes', names.gathered('extract', 0), [opened({ rotationDeg: 45 })]],
    ['a content of an opened video that is a path', names.one('extract', 0), { ...opened({}), input: { ...input, info, sha256: '../../../etc/passwd' } }],
    ['more videos than there are', names.roster, { ...said, inBackground: [], count: 1e12 }],
    ['no videos', names.roster, { ...said, inBackground: [], count: 0 }],
    ['a place that is none', names.rosterChunk(0), [{ ...member, input: -1 }]],
    ['a member that counts for two', names.rosterChunk(0), [{ ...member, weight: 2 }]],
    ['a film that is a script', names.one('summarise', 0), { ...said, ranking: null, made: { ...made, film: 'javascript:alert(1)' } }],
    ['a film elsewhere', names.gathered('summarise', 0), [{ ...said, ranking: null, made: { ...made, film: '//evil.example/x.mp4' } }]],
    ['a picture elsewhere', names.one('summarise', 0), { ...said, ranking: null, made: { ...made, pictures: ['a/../../x.jpg'] } }],
    ['nothing said', names.gathered('extract', 0), [{ video: null }]],
    ['a film of nothing', names.concept, { ...said, concept: {} }],
  ])('%s: refused', async (_, name, record) => {
    const objects = await openObjects(join(home, 'store-lies'));
    await objects.write(name, JSON.stringify(record));
    await expect(readRecord(objects, name)).rejects.toMatchObject({ code: 'bad-record' });
  }); // prettier-ignore

  it.each(['../../escaped.csv', '/tmp/escaped.csv', '..', 'a\\b.csv', '.hidden'])('a shot list called "%s" is written nowhere', async (name) => {
    const objects = await openObjects(join(home, 'store-shots'));
    const list = 'start_frame,end_frame\n0,10\n';
    const sha256 = createHash('sha256').update(list).digest('hex');
    await objects.write(`files/${sha256}`, list);
    const wishes = { pin: [], veto: [], sequence: [], topicSequence: [] };
    const head = { schema: 'job.1', topic: 't', options: optionsSchema.parse({}), engine: await engineHere(), extractor: 'e', videos: 1, shots: { sha256, name }, wishes, ...said };
    await objects.write(names.head, JSON.stringify(head));
    await objects.write(names.inputs(0), JSON.stringify([input]));
    const context = { objects, scratch: join(home, 'scratch', 'of', 'worker'), jobs: 1, emit: () => undefined };
    await expect(runTask({ topic: 't', kind: 'extract', place: 0 }, context)).rejects.toMatchObject({ code: 'bad-record' });
    const left = await readdir(home, { recursive: true });
    expect(left.filter((path) => /escaped|hidden/.test(path))).toEqual([]);
  }); // prettier-ignore
});

describe('a study', () => {
  const clip = { video: 'one', start: 0, end: 10, base };
  const order = ['cvs', 'cosum'];
  const study = {
    ...{ schema: 'study.1', id: 'study-1', keyWord: 'Tower', methods: order, film: '30s', summaries: '15%', seed: 7, ended: true },
    subjects: [{ kind: 'film', title: 'all', summaries: [[clip], [clip]] }, { kind: 'video', title: 'one', summaries: [[clip], []] }],
    raters: [
      { name: 'Ada', finished: true, ballots: [0, 1].map((subject) => ({ subject, order, marks: [9, 6] })) },
      { name: 'Bo', finished: false, ballots: [1, 0].map((subject) => ({ subject, order, marks: [null, 6] })) },
    ],
  }; // prettier-ignore

  it('is read, shown, rated and counted, or refused', async () => {
    const outcomes = await tryDamaged(json(study), { copies: 4 * COPIES, seed: SEED }, (copy) => {
      const found = parseStudy(copy.toString(), 'study-1.json');
      factsOf(found);
      found.raters.forEach((_, place) => ballotOf(found, place));
      joinStudy({ ...found, ended: false }, 'Cy');
      if (found.ended) return [resultsOf(found), studyCsv(found)];
      return found;
    });
    expect(outcomes.read).toBeGreaterThan(0);
    expect(outcomes.refused).toBeGreaterThan(0);
  });

  it.each<[string, (each: typeof study) => unknown]>([
    ['a subject that is not there', (each) => (each.raters[0]!.ballots[0]!.subject = 9)],
    ['a mark too few', (each) => each.raters[0]!.ballots[0]!.marks.pop()],
    ['a method twice', (each) => (each.methods = ['cvs', 'cvs'])],
    ['a summary too few', (each) => each.subjects[0]!.summaries.pop()],
    ['handed in without all marks', (each) => ((each.raters[1]!.finished = true), 0)],
    ['a clip that ends before it begins', (each) => (each.subjects[0]!.summaries[0]![0]!.end = 0)],
  ])('with %s is refused', (_, spoil) => {
    const copy = structuredClone(study);
    spoil(copy);
    expect(() => parseStudy(JSON.stringify(copy), 'study-1.json')).toThrow(UsageError);
  });
});

describe('HDF5', () => {
  it('is read, or refused, with all that is in it', async () => {
    const path = join(home, 'whole.h5');
    await h5wasm.ready;
    const file = new h5wasm.File(path, 'w');
    file.create_group('one');
    file.create_dataset({ name: 'one/features', data: Float32Array.from({ length: 12 }, (_, k) => k), shape: [4, 3] });
    file.create_dataset({ name: 'one/picks', data: Int32Array.of(0, 5, 10, 15) });
    file.create_dataset({ name: 'title', data: 'town' });
    file.close();
    const whole = await readFile(path);
    const refuse = (expected: string, found: string): UsageError => new UsageError('bad-file', `Expected ${expected}, found ${found}.`); // prettier-ignore
    const readAll = async (bytes: Buffer, patienceMs = 5_000): Promise<unknown> => {
      const copy = join(home, 'copy.h5');
      await writeFile(copy, bytes);
      const opened = await openHdf5(copy, refuse, patienceMs);
      try {
        const names = await opened.list();
        for (const name of names) await opened.read(name);
        if (names.includes('one/features')) {
          const table = await opened.table('one/features');
          await table.read(0, Math.min(table.rows, 4));
        }
        return names;
      } finally {
        await opened.close();
      }
    };
    expect(await readAll(whole, 120_000)).toEqual(['one/features', 'one/picks', 'title']);
    const outcomes = await tryDamaged(whole, { copies: Math.ceil(COPIES / 40), seed: SEED }, readAll);
    expect(outcomes.refused).toBeGreaterThan(0);
  }, 1_800_000);
});
