import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { ThroughlineError } from '../base/index.js';
import { parseSummary, serialiseSummary, type SummaryDocument } from '../summary/index.js';
import { plainDocument, read, READABLE } from './import.case.js';
import { importTimeline, timelineFormats, timelineOfTopic, timelineOfVideo } from './index.js';
import { mixedTopic } from './timeline.case.js';

describe('a list that cannot be read is refused with a sentence that says where', () => {
  const good = timelineFormats.edl.write(timelineOfVideo(plainDocument(), 'aiko')).text;
  it.each<[string, string, RegExp, string?]>([
    [
      'an event that is cut off',
      good.replace(/^(001 .*) \S+$/m, '$1'),
      /"cut\.edl", found a problem at line 4: an event needs/,
    ],
    [
      'a label past the rate',
      good.replace('00:00:02:00', '00:00:02:25'),
      /line 4: there is no timecode 00:00:02:25 at 25 frames.*--rate/,
    ],
    [
      'another rate asked for',
      good.replace('00:00:02:00', '00:00:02:24'),
      /no timecode 00:00:02:24 at 24 frames/,
      '24',
    ],
    [
      'drop-frame at a rate that has none',
      good.replaceAll(/:(\d\d) /g, ';$1 '),
      /line 4: there is no timecode 00:00:02;00 at 25df/,
    ],
    [
      'a dropped label',
      '001 AIKO_DAY V C 00:01:00;00 00:01:02;02 00:00:00;00 00:00:02;00',
      /no timecode 00:01:00;00/,
      '29.97df',
    ],
    ['no event', 'TITLE: nothing\nFCM: NON-DROP FRAME\n', /found a problem at its end: it has no event/],
    ['nothing at all', '', /it has no event/],
    [
      'foreign clips only',
      '001 ZZZ V C 00:00:00:00 00:00:01:00 00:00:00:00 00:00:01:00',
      /found none \("ZZZ" is not a video/,
    ],
    ['XML', '<?xml version="1.0"?><fcpxml/>', /found XML in "cut\.edl", which can be written but not read back/],
    ['half of a JSON file', '{\n"OTIO_SCHEMA": "Timeline.1",\n"tracks": [\n', /problem at line 4: it is not JSON/],
    [
      'a wrong word in JSON',
      '{\n"OTIO_SCHEMA": yes,\n"tracks": []\n}\n',
      /problem at its text: it is not JSON \(Unexpected token 'y'.*\)\. Correct it, or export it again\.$/,
    ],
    ['JSON of another kind', '{"schema": "shots.1"}', /Expected schema "summary\.2" in "cut\.edl"/],
    [
      'OTIO without clips',
      '{"OTIO_SCHEMA": "Timeline.1", "tracks": {"children": []}}',
      /problem at tracks: no video track/,
    ],
    [
      'OTIO with a broken track',
      '{"OTIO_SCHEMA": "Timeline.1", "tracks": {"children": [3]}}',
      /problem at tracks\.children\.0/,
    ],
  ])('%s', (_, text, sentence, rate) => {
    expect(() => read(text, rate === undefined ? {} : { rate })).toThrow(sentence);
    expect(() => read(text, rate === undefined ? {} : { rate })).toThrow(ThroughlineError);
  });

  it.each<[string, (raw: any) => void, RegExp]>([
    ['an empty clip', (raw) => (raw.clips[0].out = raw.clips[0].in), /clips\.0\.out: 50 is not after 50/],
    ['a source it does not have', (raw) => (raw.clips[1].source = 'x'), /clips\.1\.source: there is no source "x"/],
    ['a rate nobody can count', (raw) => (raw.rate = { num: 1, den: 7 }), /timecode cannot count 1\/7/],
    ['a wrong type', (raw) => (raw.clips[1].in = '7'), /problem at clips\.1\.in/],
  ])('timeline.1 with %s', (_, edit, sentence) => {
    const raw: unknown = JSON.parse(timelineFormats.json.write(timelineOfVideo(plainDocument(), 'aiko')).text);
    edit(raw);
    expect(() => read(JSON.stringify(raw))).toThrow(sentence);
  });

  it('and so is one with too many clips', () => {
    const event = '001 AIKO_DAY V C 00:00:00:00 00:00:01:00 00:00:00:00 00:00:01:00\n';
    expect(() => read(event.repeat(20_001))).toThrow(/line 20001: it has more than 20000 clips/);
  });
});

describe('any content of a file', () => {
  /** Imports what can be written as a summary again, or refuses in words of ours; the summary, or `null`. */
  const survive = (text: string, document: SummaryDocument): SummaryDocument | null => {
    try {
      return parseSummary(serialiseSummary(importTimeline(text, document, { file: 'x' }).document));
    } catch (error) {
      expect(error).toBeInstanceOf(ThroughlineError);
      return null;
    }
  };
  const document = mixedTopic();
  const texts = [...READABLE.map((name) => timelineFormats[name].write(timelineOfTopic(document)).text), serialiseSummary(document)]; // prettier-ignore

  it('random text is refused', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 200 }),
        (text) => void expect(survive(text, document)).toBeNull(),
      ),
      { numRuns: 100 },
    );
    fc.assert(
      fc.property(fc.json(), (text) => void expect(survive(text, document)).toBeNull()),
      { numRuns: 100 },
    );
  });

  it('damage is refused or read as something valid', () => {
    const noise = fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.constantFrom('9'.repeat(20), '-1', 'null', '{}', '1e308', '\n', '*', '"', ';'),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.array(fc.tuple(fc.nat(), fc.nat(12), noise), { minLength: 1, maxLength: 4 }),
        (text, edits) => {
          survive(
            edits.reduce((damaged, [at, length, put]) => {
              const place = at % damaged.length;
              return damaged.slice(0, place) + put + damaged.slice(place + length);
            }, text),
            document,
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it('JSON with any values in any field is refused or read as something valid', () => {
    const values = fc.oneof(
      fc.integer(),
      fc.double(),
      fc.constantFrom(null, {}, [], '', 0, -1, 2 ** 53, 1e300, true),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.constantFrom(...texts.slice(1)), fc.nat(), values, (text, place, value) => {
        const raw: unknown = JSON.parse(text);
        const fields = leavesOf(raw);
        const [holder, key] = fields[place % fields.length]!;
        holder[key] = value;
        survive(JSON.stringify(raw), document);
      }),
      { numRuns: 200 },
    );
  });
});

type Holder = Record<string | number, unknown>;

/** Every field of a JSON value, with what holds it. */
function leavesOf(value: unknown): [Holder, string | number][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    [value as Holder, key] as [Holder, string],
    ...leavesOf(inner),
  ]);
}
