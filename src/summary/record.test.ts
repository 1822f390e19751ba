import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  parseSummary,
  serialiseSummary,
  summaryDocument,
  type Concept,
  type SummaryDocument,
  type VideoSummary,
} from './index.js';
import { upgradeRecord } from './record.js';

const base = { num: 1, den: 90_000 };

function video(id: string, lengths: readonly number[], score = 0.5): VideoSummary {
  const starts = lengths.map((_, i) => lengths.slice(0, i).reduce((a, b) => a + b, 0));
  const frames = lengths.reduce((a, b) => a + b, 0);
  const stretch = (from: number, to: number) => ({
    startFrame: from,
    endFrame: to,
    range: { start: from * 3003, end: to * 3003, base },
  });
  return {
    id,
    path: `${id}.mp4`,
    sha256: 'ab'.repeat(32),
    bytes: 1234,
    codec: 'h264',
    widthPx: 640,
    heightPx: 360,
    sampleAspect: { num: 1, den: 1 },
    frameRate: { num: 30_000, den: 1001 },
    timeBase: base,
    frames,
    range: { start: 0, end: frames * 3003, base },
    audioTracks: 1,
    takes: [{ index: 0, ...stretch(0, frames) }],
    shots: lengths.map((length, index) => ({
      index,
      ...stretch(starts[index] as number, (starts[index] as number) + length),
      ...{ take: 0, view: index },
      rank: index,
      score,
      own: score,
      shared: 0,
      evidence: index === 0 ? { total: 1.5, distinct: 0.5, strength: -0.25 } : null,
      chosen: index === 0,
      support: index === 0 ? [{ video: 'other', share: 1, shot: 3 }] : [],
    })),
    clips: [stretch(0, lengths[0] as number)],
    solver: { iterations: 12, converged: true, residual: 1e-9 },
    film: null,
    storyboard: `${id}.png`,
  };
}

function documentOf(videos: VideoSummary[], options: Record<string, unknown> = {}): SummaryDocument {
  return {
    schema: 'summary.2',
    throughline: '0.1.0',
    topic: 'paris',
    options,
    model: { name: 'small', sha256: 'cd'.repeat(32) },
    videos,
    skipped: [{ path: 'notes.txt', code: 'not-a-video', message: 'No video track.' }],
    notes: ['One note.'],
  };
}

/** A film of the topic that plays the first shot of each video. */
function conceptOf(videos: readonly VideoSummary[]): Concept {
  return {
    ...{ each: '15%', pooled: 9, alike: 0.9, frames: 100, film: null, storyboard: null },
    frame: { widthPx: 64, heightPx: 36, rate: { num: 25, den: 1 } },
    solver: { iterations: 1, converged: true, residual: 0 },
    shots: videos.map(({ id, shots: [shot] }, rank) => {
      const { startFrame, endFrame, range } = shot!;
      const alike = [{ video: id, shot: 1, similarity: 0.95 }];
      return {
        video: id,
        shot: 0,
        startFrame,
        endFrame,
        range,
        filmFrame: rank,
        rank,
        score: 1,
        reason: 'Best.',
        alike,
      };
    }),
  };
}

/** The text as it would be made with all of it in memory, fields in the order of the schema. */
function inOnePiece(document: SummaryDocument): string {
  const sortKeys = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sortKeys);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, sortKeys(inner)])); // prettier-ignore
  };
  const ordered = summaryDocument.parse(document);
  return `${JSON.stringify({ ...ordered, options: sortKeys(ordered.options) }, null, 2)}\n`;
}

describe('serialiseSummary and parseSummary', () => {
  it('give back the film of the topic', () => {
    const videos = [video('a', [40, 50]), video('b', [30])];
    const document = { ...documentOf(videos), concept: conceptOf(videos) };
    expect(parseSummary(serialiseSummary(document))).toEqual(document);
    const withSheets = { ...document, contactSheets: ['contact-sheet.png'], notes: ['a "word"\nof two lines'] };
    expect(serialiseSummary(withSheets)).toBe(inOnePiece(withSheets));
    expect(() => serialiseSummary({ ...document, videos: videos.slice(0, 1) })).toThrow('concept.shots[1].video');
    expect(parseSummary(serialiseSummary(documentOf(videos))).concept).toBeUndefined();
  });

  it.each<[string, string, (concept: Concept) => void]>([
    ['concept.shots[1].video', 'there is no video "c"', ({ shots }) => (shots[1]!.video = 'c')],
    ['concept.shots[0].shot', '"a" has 2 shots', ({ shots }) => (shots[0]!.shot = 2)],
    ['concept.shots[0].endFrame', '40 is not after 40', ({ shots }) => (shots[0]!.startFrame = 40)],
    ['concept.shots[0].range', 'end is not after start', ({ shots }) => (shots[0]!.range.end = 0)],
    ['concept.shots[0]', 'it reaches past an end of "a"', ({ shots }) => (shots[0]!.endFrame = 91)],
    ['concept.shots[1]', 'it reaches past an end of "b"', ({ shots }) => (shots[1]!.range.end = 9e6)],
    [
      'concept.shots[1].range.base',
      '1/25 is not the video’s 1/90000',
      ({ shots }) => (shots[1]!.range.base = { num: 1, den: 25 }),
    ],
    ['concept.shots[1].filmFrame', '100 is past the last, 100', ({ shots }) => (shots[1]!.filmFrame = 100)],
    ['concept.shots[1].rank', '0 is given twice or too high', ({ shots }) => (shots[1]!.rank = 0)],
    ['concept.shots[1].rank', '9 is given twice or too high', ({ shots }) => (shots[1]!.rank = 9)],
  ])('refuse a film of the topic with a wrong %s: %s', (field, found, change) => {
    const videos = [video('a', [40, 50]), video('b', [30])];
    const concept = JSON.parse(JSON.stringify(conceptOf(videos))) as Concept;
    change(concept);
    expect(() => parseSummary(JSON.stringify({ ...documentOf(videos), concept }))).toThrow(
      `Expected a valid ${field} in "summary.json", found a problem: ${found}.`,
    );
  });

  it('give back what was written', () => {
    const documents = fc
      .array(fc.array(fc.integer({ min: 1, max: 96 }), { minLength: 1, maxLength: 5 }), { maxLength: 4 })
      .chain((videos) =>
        fc.tuple(
          fc.constant(videos),
          fc.dictionary(fc.stringMatching(/^[a-z][A-Za-z0-9]{0,8}$/), fc.jsonValue()),
          fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
        ),
      )
      .map(([videos, options, score]) =>
        documentOf(
          videos.map((lengths, i) => video(`v${i}`, lengths, score)),
          options,
        ),
      );
    fc.assert(
      fc.property(documents, (document) => {
        const text = serialiseSummary(document);
        expect(text).toBe(inOnePiece(document));
        expect(parseSummary(text)).toEqual(JSON.parse(JSON.stringify(document)));
        expect(serialiseSummary(parseSummary(text))).toBe(text);
      }),
    );
  });

  it('state what made the vectors; files that only name it are read too', () => {
    const named = documentOf([video('a', [40])]);
    expect(parseSummary(serialiseSummary(named)).model).toEqual(named.model);
    for (const model of [
      { name: 'c3d', sha256: 'ab'.repeat(32), version: 'abab.2.cdef', dim: 4096, layer: 'fc6' },
      { name: 'shallow', sha256: null, version: '1', dim: 2740, layer: null },
    ]) {
      expect(parseSummary(serialiseSummary({ ...named, model })).model).toEqual(model);
    }
  });

  it('keep the order in which clips play, and what was wished for', () => {
    const [first, ...rest] = video('a', [40, 50, 30]).shots;
    const shots = [{ ...first!, pinned: true }, ...rest.map((shot) => ({ ...shot, vetoed: true }))];
    const clips = [first!, rest[1]!].map(({ startFrame, endFrame, range }) => ({ startFrame, endFrame, range }));
    const played = documentOf([{ ...video('a', [40, 50, 30]), shots, clips: clips.toReversed() }]);
    expect(parseSummary(serialiseSummary(played))).toEqual(played);
  });

  it('write the same text whatever the order of the keys', () => {
    const document = documentOf([video('a', [40, 50])], { length: '15%', gamma: { b: 1, a: [{ d: 1, c: 2 }] } });
    const turned = Object.fromEntries(Object.entries(document).reverse()) as SummaryDocument;
    const text = serialiseSummary({ ...turned, options: { gamma: { a: [{ c: 2, d: 1 }], b: 1 }, length: '15%' } });
    expect(text).toBe(serialiseSummary(document));
    expect(text.startsWith('{\n  "schema": "summary.2",\n  "throughline"')).toBe(true);
    expect(text.endsWith('}\n')).toBe(true);
  });
});

describe('parseSummary refuses, naming file and field', () => {
  const good = documentOf([video('a', [40, 50]), video('b', [33])]);
  const edited = (edit: (raw: any) => void): string => {
    const raw = structuredClone(good);
    edit(raw);
    return JSON.stringify(raw);
  };

  it.each<[string, (raw: any) => void, RegExp]>([
    ['a missing field', (raw) => delete raw.videos[1].sha256, /valid videos\[1\]\.sha256 in "mine\.json"/],
    ['a wrong type', (raw) => (raw.videos[0].shots[1].rank = '1'), /valid videos\[0\]\.shots\[1\]\.rank/],
    ['a score below zero', (raw) => (raw.videos[0].shots[1].score = -1), /videos\[0\]\.shots\[1\]\.score/],
    ['two videos of one id', (raw) => (raw.videos[1].id = 'a'), /videos\[1\]\.id .*"a" is also the id of an earlier/],
    ['a rank twice', (raw) => (raw.videos[0].shots[1].rank = 0), /videos\[0\]\.shots .*rank 1 is missing/],
    ['an empty stretch', (raw) => (raw.videos[0].shots[0].endFrame = 0), /videos\[0\]\.shots\[0\]\.endFrame/],
    ['an empty range', (raw) => (raw.videos[0].clips[0].range.end = 0), /videos\[0\]\.clips\[0\]\.range/],
    [
      'shots that overlap',
      (raw) => (raw.videos[0].shots[1].startFrame = 39),
      /videos\[0\]\.shots\[1\] .*begins before/,
    ],
    [
      'clips that overlap',
      (raw) => raw.videos[0].clips.unshift({ ...raw.videos[0].clips[0], startFrame: 39, endFrame: 41 }),
      /videos\[0\]\.clips\[0\] .*begins before/,
    ],
    ['a clip past the end', (raw) => (raw.videos[0].clips[0].endFrame = 91), /frame 91 is past the last, 90/],
    [
      'a range past the end',
      (raw) => (raw.videos[0].clips[0].range.end = 999_999_999),
      /tick 999999999 is past the end/,
    ],
    [
      'shots on another clock',
      (raw) => (raw.videos[0].shots[1].range.base = { num: 1, den: 1000 }),
      /videos\[0\]\.shots\[1\]\.range\.base .*1\/1000 is not the video’s 1\/90000/,
    ],
    [
      'clips on another clock',
      (raw) => (raw.videos[0].clips[0].range.base = { num: 1, den: 1000 }),
      /videos\[0\]\.clips\[0\]\.range\.base/,
    ],
    [
      'a shot with another number',
      (raw) => (raw.videos[0].shots[1].index = 0),
      /shots\[1\]\.index .*0 is not its place/,
    ],
    ['an empty video', (raw) => (raw.videos[0].range.end = 0), /videos\[0\]\.range/],
  ])('%s', (_, edit, sentence) => {
    expect(() => parseSummary(edited(edit), 'mine.json')).toThrow(sentence);
    expect(() => parseSummary(edited(edit), 'mine.json')).toThrow(expect.objectContaining({ code: 'bad-summary' }));
  });

  it('things that are no summary of a known version', () => {
    expect(() => parseSummary('{"schema": ', 'mine.json')).toThrow(/Expected JSON in "mine.json"/);
    expect(() => parseSummary('[]')).toThrow(/found no JSON object/);
    expect(() => parseSummary('{}')).toThrow(/found no schema/);
    expect(() => parseSummary('{"schema":"shots.1"}')).toThrow(/found schema "shots.1"/);
    expect(() => parseSummary('{"schema":"summary.1b"}')).toThrow(/found schema "summary.1b"/);
    expect(() => parseSummary('{"schema":"summary.0"}')).toThrow(/found summary.0, which can no longer be read/);
    expect(() => parseSummary('{"schema":"summary.3"}')).toThrow(/found the newer summary.3. Update Throughline/);
  });
});

it('reads a record of version 1: the same without evidence, and each shot is its own take', () => {
  const document = documentOf([video('a', [40, 50])]);
  const later = new Set(['takes', 'take', 'view', 'evidence']);
  const text = JSON.stringify(document, (key, value: unknown) => (later.has(key) ? undefined : value));
  const read = parseSummary(text.replace('summary.2', 'summary.1'));
  expect(read).toEqual({
    ...document,
    videos: document.videos.map((each) => ({
      ...each,
      takes: each.shots.map(({ index, startFrame, endFrame, range }) => ({ index, startFrame, endFrame, range })),
      shots: each.shots.map((shot) => ({ ...shot, evidence: null, take: shot.index })),
    })),
  });
});

describe('upgradeRecord', () => {
  const upgrades = {
    1: (record: object) => ({ ...record, schema: 'thing.2', colour: 'red' }),
    2: (record: object) => ({ ...record, schema: 'thing.3', size: 1 }),
  };

  it('climbs one version at a time', () => {
    const record = upgradeRecord({ schema: 'thing.1' }, { kind: 'thing', current: 3, upgrades, source: 'x' });
    expect(record).toEqual({ schema: 'thing.3', colour: 'red', size: 1 });
    expect(upgradeRecord({ schema: 'thing.3' }, { kind: 'thing', current: 3, upgrades, source: 'x' })).toEqual({
      schema: 'thing.3',
    });
  });

  it('does not accept a step that does not climb', () => {
    const stuck = { 1: (record: object) => ({ ...record }) };
    expect(() =>
      upgradeRecord({ schema: 'thing.1' }, { kind: 'thing', current: 2, upgrades: stuck, source: 'x' }),
    ).toThrow('The upgrade of thing.1 must give thing.2.');
  });
});
