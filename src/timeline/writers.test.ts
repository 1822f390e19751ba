import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Rational } from '../base/index.js';
import type { SummaryDocument } from '../summary/index.js';
import { sampleDocument } from '../render/report/sample.case.js';
import { firstLabel, spanOf } from './conform.js';
import { checkFcpxml } from './fcpxml.case.js';
import {
  fileUrls,
  parseRate,
  parseTimecode,
  RATE_NAMES,
  timelineFormats,
  timelineOfTopic,
  timelineOfVideo,
  type Timeline,
  type TimelineFormatName,
  type TimelineOptions,
} from './index.js';
import { formatTimecode } from './rates.js';
import { anyDocument, AWKWARD_NAMES, footage, mixedTopic, RATES } from './timeline.case.js';
import { all, at, parseXml, type Node } from './xml.case.js';

const names = Object.keys(timelineFormats) as TimelineFormatName[];
const write = (name: TimelineFormatName, timeline: Timeline): string => timelineFormats[name].write(timeline).text;
const media: TimelineOptions = { locate: fileUrls('/media/harbour') };
const anyOptions = fc.record({
  counting: fc.constantFrom(undefined, ...RATE_NAMES.map(parseRate)),
  handles: fc.constantFrom(0, 12),
  locate: fc.constant(fileUrls('/media/a b')),
});
const anyTimeline = fc
  .tuple(anyDocument, anyOptions)
  .map(([document, options]) => timelineOfTopic(document, undefined, options));

/** One video at 29.97 drop-frame whose first picture is at one hour. */
function hourTape(): SummaryDocument {
  const spec = {
    rate: RATES['29.97'],
    base: { num: 1, den: 30_000 },
    shots: [1790, 60, 400, 90, 310, 330],
    chosen: [1, 3, 4, 5],
  };
  const change = { timecode: '01:00:00;00', audio: [{ channels: 2, language: 'eng' }] };
  return sampleDocument([footage('tape', { ...spec, change })], { topic: 'tape' });
}

describe('golden files, reviewed by hand', () => {
  it.each(names)('%s', async (name) => {
    const extension = timelineFormats[name].extension;
    await expect(write(name, timelineOfVideo(hourTape(), 'tape', media))).toMatchFileSnapshot(
      `golden/tape${extension}`,
    );
    await expect(write(name, timelineOfTopic(mixedTopic(), undefined, { ...media, handles: 12 }))).toMatchFileSnapshot(
      `golden/mixed${extension}`,
    );
  });
});

describe('every format', () => {
  it('gives the same text for the same timeline, and leaves it as it was', () => {
    fc.assert(
      fc.property(anyTimeline, fc.constantFrom(...names), (timeline, name) => {
        const before = JSON.stringify(timeline);
        expect(write(name, timeline)).toBe(write(name, timeline));
        expect(JSON.stringify(timeline)).toBe(before);
      }),
    );
  });

  it('ends with a line break and has no other control characters', () => {
    fc.assert(
      fc.property(anyTimeline, fc.constantFrom(...names), (timeline, name) => {
        const text = write(name, timeline);
        expect(text.endsWith('\n')).toBe(true);
        if (name !== 'csv') expect(/[^\n\P{Cc}]/u.test(text)).toBe(false);
      }),
    );
  });
});

describe('EDL', () => {
  it('is frame-exact across dropped labels: frame 1790 at one hour', () => {
    const lines = write('edl', timelineOfVideo(hourTape(), 'tape')).split('\n');
    expect(lines.slice(0, 2)).toEqual(['TITLE: tape', 'FCM: DROP FRAME']);
    // 01:00:59;20 + 60 frames is 01:01:01;22, for two labels are left out between.
    expect(lines).toContain('001  TAPE     AA/V  C        01:00:59;20 01:01:01;22 01:00:00;00 01:00:02;00');
    expect(lines).toContain('002  TAPE     AA/V  C        01:01:15;02 01:01:39;12 01:00:02;00 01:00:26;10');
  });

  it('counts a source of another rate at the timeline’s, from the same hour, minute and second', () => {
    const lines = write('edl', timelineOfTopic(mixedTopic())).split('\n');
    const slow = lines.findIndex((line) => line.includes(' SLOW '));
    // 33 frames of 59.94 after 00:59:59:30 are 16.5 of 29.97 after 00:59:59;15; the clip has 48 of them.
    expect(lines[slow]).toBe('006  SLOW     V     C        01:00:00;02 01:00:01;20 01:00:12;14 01:00:14;02');
    expect(lines).toContain('* THROUGHLINE 01:00:00;02 01:00:01;20 IS FRAMES 33 TO 128 AT 59.94');
  });

  it('never asks for more of a source than it has, whatever the rates', () => {
    fc.assert(
      fc.property(anyTimeline, (timeline) => {
        for (const clip of timeline.clips) {
          const source = timeline.sources.find(({ id }) => id === clip.source)!;
          const { from, to } = spanOf(clip, source, timeline);
          const has = (source.frames * source.rate.den * timeline.rate.num) / (source.rate.num * timeline.rate.den);
          expect(from).toBeGreaterThanOrEqual(firstLabel(source, timeline));
          // A source shorter than a frame of the timeline still gets one.
          expect(to - firstLabel(source, timeline)).toBeLessThanOrEqual(Math.max(1, has + 1e-9));
        }
      }),
    );
  });

  it('says when there are more events than it can number, and when modes are mixed', () => {
    const many = footage('a', { rate: RATES['25'], base: { num: 1, den: 25 }, shots: Array(2001).fill(2), chosen: [...Array(1001).keys()].map((each) => 2 * each) }); // prettier-ignore
    const { text, notes } = timelineFormats.edl.write(timelineOfVideo(sampleDocument([many]), 'a'));
    expect(notes[0]).toMatch(/can number 999 events, and this one has 1001/);
    expect(text).toMatch(/^1001 {2}A /m);
    expect(
      timelineFormats.edl.write(timelineOfVideo(hourTape(), 'tape', { counting: parseRate('29.97') })).notes[0],
    ).toMatch(/The list mixes drop-frame/);
  });

  it('has events of the same length on both sides that join up, in columns', () => {
    fc.assert(
      fc.property(anyTimeline, (timeline) => {
        const events = write('edl', timeline).split('\n').filter((line) => /^\d/.test(line)); // prettier-ignore
        expect(events).toHaveLength(timeline.clips.length);
        let before = formatTimecode(timeline.timecodeFrame, timeline);
        for (const event of events) {
          expect(event).toMatch(/^\d{3} {2}[A-Z0-9_ ]{8} (?:V|B|AA\/V) +C {8}(?:\d\d:\d\d:\d\d[:;]\d\d ?){4}$/);
          expect(event.indexOf(' C ')).toBe(19);
          const labels = event.slice(29).split(' ');
          const frames = labels.map((label) =>
            parseTimecode(label, { rate: timeline.rate, dropFrame: label.includes(';') })!,
          );
          expect(frames[1]! - frames[0]!).toBe(frames[3]! - frames[2]!);
          expect(labels[2]).toBe(before);
          before = labels[3]!;
        }
      }),
    );
  });
});

/** `1001/30000s` as a number of frames of a rate; throws when it is not a whole one. */
function framesOf(time: string, { num, den }: Rational): number {
  const [top = '0', bottom = '1'] = time.replace('s', '').split('/');
  const scaled = BigInt(top) * BigInt(num);
  const unit = BigInt(bottom) * BigInt(den);
  if (scaled % unit !== 0n) throw new Error(`${time} is not on a frame of ${num}/${den}.`);
  return Number(scaled / unit);
}

describe('FCPXML', () => {
  it('keeps to the published structure, with every time on a frame', () => {
    fc.assert(
      fc.property(anyTimeline, (timeline) => {
        const root = parseXml(write('fcpxml', timeline));
        expect(checkFcpxml(root)).toEqual([]);
        const assets = new Map(all(root, 'asset').map((node) => [node.attributes['id'], node]));
        const clips = all(root, 'asset-clip');
        expect(clips).toHaveLength(timeline.clips.length);
        clips.forEach(({ attributes }, place) => {
          const clip = timeline.clips[place]!;
          const source = timeline.sources.find(({ id }) => id === clip.source)!;
          const asset = assets.get(attributes['ref'])!;
          expect(asset.attributes['name']).toBe(source.name);
          expect(framesOf(attributes['offset']!, timeline.rate) - timeline.timecodeFrame).toBe(clip.recordIn);
          expect(framesOf(attributes['duration']!, timeline.rate)).toBe(clip.recordOut - clip.recordIn);
          const first = framesOf(asset.attributes['start']!, source.rate);
          expect(framesOf(attributes['start']!, source.rate) - first).toBe(clip.in);
          expect(framesOf(asset.attributes['duration']!, source.rate)).toBe(source.frames);
          expect(at(asset, 'media-rep').attributes['src']).toBe(source.url);
        });
      }),
    );
  });

  it('would be refused by the checker with an element, an order or an attribute that is not published', () => {
    const good = write('fcpxml', timelineOfTopic(mixedTopic(), undefined, media));
    const broken = (from: string | RegExp, to: string): string[] => checkFcpxml(parseXml(good.replace(from, to)));
    expect(broken(/ src="[^"]*"/, '')).toContain('<media-rep> lacks src');
    expect(broken('tcFormat="DF"', 'tcFormat="drop"')).toContain('tcFormat may not be drop');
    expect(broken('<spine>', '<gap/><spine>')).toContain('<gap> is not known');
    expect(broken(/ref="a1"/, 'ref="a9"')).toContain('ref: no a9');
    expect(broken(/(<conform-rate [^>]*>)(\s*)(<marker [^>]*>)/, '$3$2$1').join()).toMatch(
      /<asset-clip> has marker, conform-rate/,
    );
    expect(broken(/ duration="[^"]*"/, ' duration="1.5"').join()).toMatch(/no time/);
  });
});

const number = (node: Node, ...path: string[]): number => Number(at(node, ...path).text);
const clipItems = (track: Node): Node[] => track.children.filter(({ name }) => name === 'clipitem');

describe('Final Cut Pro 7 XML', () => {
  it('has the frames of the timeline on its video track, and sound in step on as many tracks as there are channels', () => {
    fc.assert(
      fc.property(anyTimeline, (timeline) => {
        const sequence = at(parseXml(write('xmeml', timeline)), 'sequence');
        const [track, ...others] = at(sequence, 'media', 'video').children.filter(({ name }) => name === 'track');
        expect(others).toEqual([]);
        expect(
          clipItems(track!).map((item) => ['start', 'end', 'in', 'out'].map((name) => number(item, name))),
        ).toEqual(timeline.clips.map((clip) => [clip.recordIn, clip.recordOut, clip.in, clip.out]));
        const items = new Map(all(sequence, 'clipitem').map((item) => [item.attributes['id'], item]));
        for (const link of all(sequence, 'link')) expect(items.has(at(link, 'linkclipref').text)).toBe(true);
        const sound = at(sequence, 'media', 'audio').children.filter(({ name }) => name === 'track');
        expect(sound).toHaveLength(Math.max(...timeline.sources.map((source) => 2 * source.audio.length)));
        const described = all(sequence, 'file').filter((file) => file.children.length > 0);
        expect(described.map((file) => at(file, 'name').text)).toEqual(
          [...new Set(timeline.clips.map((clip) => clip.source))].map(
            (id) => timeline.sources.find((source) => source.id === id)!.name,
          ),
        );
      }),
    );
  });

  it('takes 32 channels of a source that claims thousands, and says so', () => {
    const audio = Array.from({ length: 64 }, () => ({ channels: 64, language: null }));
    const spec = { rate: RATES['25'], base: { num: 1, den: 25 }, shots: [50, 50], chosen: [0] };
    const video = footage('a', { ...spec, change: { audioTracks: 64, audio } });
    const { text, notes } = timelineFormats.xmeml.write(timelineOfVideo(sampleDocument([video]), 'a'));
    expect(all(parseXml(text), 'clipitem')).toHaveLength(1 + 32);
    expect(notes).toEqual([expect.stringMatching(/at most 32 channels of sound.*a\.mp4/)]);
  });

  it('writes rates as a whole base and the NTSC flag', () => {
    const rateOf = (rate: string): string[] => {
      const timeline = timelineOfVideo(hourTape(), 'tape', { counting: parseRate(rate) });
      return at(parseXml(write('xmeml', timeline)), 'sequence', 'rate').children.map((node) => node.text);
    };
    expect([rateOf('23.976'), rateOf('24'), rateOf('59.94df')]).toEqual([['24', 'TRUE'], ['24', 'FALSE'], ['60', 'TRUE']]); // prettier-ignore
  });
});

describe('CSV', () => {
  it('quotes what needs it, and no cell is a formula', () => {
    const videos = AWKWARD_NAMES.map((path, place) => footage(`v${place}`, { path, rate: RATES['25'], base: { num: 1, den: 25 }, shots: [30], chosen: [0] })); // prettier-ignore
    const rows = readCsv(write('csv', timelineOfTopic(sampleDocument(videos))));
    const [head, ...body] = rows;
    expect(body.every((row) => row.length === head!.length)).toBe(true);
    const cells = body.map((row) => row[head!.indexOf('name')]);
    expect(cells).toEqual(['a b "c" & <d>.mp4', "'-rf 100%25.mp4", '日本語 é.mov', "it's (1) #2?;x.mp4", 'two.mp4', 'two.mp4', "'=SUM(A1).mkv", 'new\nline\ttab.mp4', 'x-->y--.mp4', '.hidden']); // prettier-ignore
    for (const row of body) for (const cell of row) expect(cell).not.toMatch(/^[=+@-]/);
  });

  it('has frames, ticks, seconds and timecode that agree', () => {
    const rows = readCsv(write('csv', timelineOfVideo(hourTape(), 'tape')));
    const first = Object.fromEntries(rows[0]!.map((name, place) => [name, rows[1]![place]]));
    expect(first).toMatchObject({
      source_in: '1790',
      source_out: '1850',
      start_ticks: '1791790',
      seconds_per_tick: '1/30000',
    });
    expect(first).toMatchObject({
      source_in_seconds: '59.726333',
      source_in_timecode: '01:00:59;20',
      record_out: '60',
      rank: '2',
    });
  });
});

/** RFC 4180, written apart from the writer. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === '\r\n') rows.push([]);
  }
  rows.pop();
  return rows;
}

describe('chapters', () => {
  const clipsOf = (...seconds: number[]): Timeline => {
    const video = footage('walk', { rate: RATES['25'], base: { num: 1, den: 25 }, shots: seconds.flatMap((each) => [25 * each, 5]), chosen: [...seconds.keys()].map((each) => 2 * each) }); // prettier-ignore
    return timelineOfVideo(sampleDocument([video]), 'walk');
  };

  it('for YouTube begin at 0:00 and last ten seconds: shorter clips share one', () => {
    const { text, notes } = timelineFormats.youtube.write(clipsOf(4, 4, 4, 20, 11, 3));
    expect(text).toBe('0:00 walk 0:00\n0:12 walk 0:12\n0:32 walk 0:32\n');
    expect(notes).toEqual([]);
  });

  it('for YouTube come with a note if they are too few or too short', () => {
    const { text, notes } = timelineFormats.youtube.write(clipsOf(20, 15, 4));
    expect(text.split('\n')).toHaveLength(4);
    expect(notes[0]).toMatch(/at least 3 of at least 10 seconds each; 2 of that length could be made of 3 clips/);
  });

  it('for YouTube keep its rules whatever the clips', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 12 }), (seconds) => {
        const { text, notes } = timelineFormats.youtube.write(clipsOf(...seconds));
        const starts = text.trimEnd().split('\n').map((line) => line.split(' ')[0]!.split(':').reduce((sum, part) => 60 * sum + Number(part), 0)); // prettier-ignore
        expect(starts[0]).toBe(0);
        if (notes.length > 0) return;
        expect(starts.length).toBeGreaterThanOrEqual(3);
        const ends = [...starts.slice(1), seconds.reduce((sum, each) => sum + each, 0)];
        starts.forEach((start, place) => expect(ends[place]! - start).toBeGreaterThanOrEqual(10));
      }),
    );
  });

  it('as WebVTT are cues that touch, with all text escaped', () => {
    const text = write('vtt', timelineOfTopic(mixedTopic()));
    const cues = [...text.matchAll(/^(\d\d:\d\d:\d\d\.\d{3}) --> (\d\d:\d\d:\d\d\.\d{3})\n(.*)$/gm)];
    expect(cues).toHaveLength(6);
    cues.forEach((cue, place) => expect(cue[1]).toBe(cues[place - 1]?.[2] ?? '00:00:00.000'));
    expect(cues[0]![3]).toBe('Drone &amp; "harbour" &lt;1&gt; 0:02');
    expect(text.split('-->')).toHaveLength(7);
    const arrow = footage('a', { path: 'x-->y.mp4', rate: null, base: { num: 1, den: 1000 }, frameTicks: [40], shots: [30], chosen: [0] }); // prettier-ignore
    expect(write('vtt', timelineOfVideo(sampleDocument([arrow]), 'a')).split('-->')).toHaveLength(2);
  });

  it('as Matroska are atoms to the nanosecond', () => {
    const atoms = all(parseXml(write('mkv-chapters', timelineOfVideo(hourTape(), 'tape'))), 'ChapterAtom');
    expect(at(atoms[1]!, 'ChapterTimeStart').text).toBe('00:00:02.002000000');
    expect(new Set(atoms.map((atom) => at(atom, 'ChapterUID').text)).size).toBe(atoms.length);
  });
});
