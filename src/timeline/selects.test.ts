import { describe, expect, it } from 'vitest';

import { sampleConcept, sampleDocument } from '../render/report/sample.case.js';
import type { SummaryDocument } from '../summary/index.js';
import { checkFcpxml } from './fcpxml.case.js';
import {
  fileUrls,
  importTimeline,
  MARKS,
  parseComments,
  serialiseComments,
  timelineFormats,
  timelineOfConcept,
  timelineOfSelects,
  timelineOfStringout,
  timelineOfTopic,
  timelineOfVideo,
  type Comment,
  type Timeline,
  type TimelineFormatName,
} from './index.js';
import { footage, RATES } from './timeline.case.js';
import { all, at, parseXml } from './xml.case.js';

const locate = fileUrls('/media');

/** Two videos of six shots of two seconds. Of `a`, shots 1 and 4 are chosen, 2 is shaken and 5 vetoed; takes have three shots. */
function topic(): SummaryDocument {
  const [b, a] = ['b', 'a'].map((id) => {
    const isB = id === 'b';
    const rate = isB ? RATES['50'] : RATES['25'];
    const shots = Array<number>(6).fill(isB ? 100 : 50);
    const video = footage(id, { rate, base: { num: 1, den: 1000 }, shots, chosen: isB ? [0] : [1, 4] });
    video.takes = [0, 1].map((index) => {
      const [first, last] = [video.shots[3 * index]!, video.shots[3 * index + 2]!];
      const range = { ...first.range, end: last.range.end };
      return { index, startFrame: first.startFrame, endFrame: last.endFrame, range };
    });
    for (const shot of video.shots) shot.take = Math.floor(shot.index / 3);
    return video;
  }) as [SummaryDocument['videos'][number], SummaryDocument['videos'][number]];
  a.shots[2]!.flaws = [{ kind: 'shaken', share: 1 }];
  a.shots[5]!.vetoed = true;
  a.shots[1]!.evidence = { total: 1.5, likeness: 2, strength: -0.25 };
  return sampleDocument([a, b]);
}

/** The same with a film of `a#1` and `b#0`; `b#3`, `a#2` and `a#3` show what `a#1` shows. */
function filmed(): SummaryDocument {
  const document = topic();
  const film = sampleConcept(document.videos, [['a', 1], ['b', 0]]); // prettier-ignore
  const members = [['a', 1], ['b', 3], ['a', 2], ['a', 3]].map(([video, shot]) => ({ video: String(video), shot: Number(shot), similarity: 1 })); // prettier-ignore
  film.moments = [{ videos: 2, members, plays: [{ video: 'a', shot: 1 }] }];
  film.shots[0]!.moment = 0;
  film.shots[1]!.alike = [{ video: 'b', shot: 5, similarity: 0.95 }];
  return { ...document, concept: film };
}

const clipsIn = ({ clips }: Timeline): unknown[] =>
  clips.map((clip) => [clip.source, clip.firstFrame, clip.endFrame, clip.enabled !== false]);
const comment = (video: string, seconds: number, change: Partial<Comment> = {}): Comment => ({
  ...{ id: `${video}${seconds}`, video, seconds, by: 'Ana', text: 'too dark', written: '2026-01-01T00:00:00Z' },
  isDone: false,
  ...change,
});

describe('a stringout', () => {
  it('has the good takes of each video in film order, without bad pictures and vetoed shots', () => {
    expect(clipsIn(timelineOfStringout(topic()))).toEqual([
      ['a', 0, 100, true],
      ['a', 150, 250, true],
      ['b', 0, 300, true],
      ['b', 300, 600, true],
    ]);
    expect(clipsIn(timelineOfStringout(topic(), {}, 'b'))).toHaveLength(2);
    expect(() => timelineOfStringout(topic(), {}, 'c')).toThrow('found "c"');
  });
});

describe('selects', () => {
  it('of videos have the best of what was left out, as many shots as were chosen, disabled, in film order', () => {
    const timeline = timelineOfSelects(topic());
    expect(clipsIn(timeline)).toEqual([
      ['a', 0, 50, false],
      ['a', 50, 100, true],
      ['a', 150, 200, false],
      ['a', 200, 250, true],
      ['b', 0, 100, true],
      ['b', 100, 200, false],
    ]);
    expect(timeline.clips[0]!.reason).toMatch(/^Left out/);
  });

  it('of a film have after each clip what shows the same moment or nearly the same', () => {
    const timeline = timelineOfSelects(filmed());
    expect(clipsIn(timeline)).toEqual([
      ['a', 50, 100, true],
      ['b', 300, 400, false],
      ['a', 150, 200, false],
      ['b', 0, 100, true],
      ['b', 500, 600, false],
    ]);
    expect(timeline.clips[1]!.reason).toBe('Shows the same moment as shot 2 of a.mp4.');
    expect(clipsIn(timelineOfSelects(filmed(), {}, 'a'))).toHaveLength(4);
  });

  it('are disabled clips where a format has them, else left out and said', () => {
    const timeline = timelineOfSelects(filmed(), { locate });
    const write = (name: TimelineFormatName): string => timelineFormats[name].write(timeline).text;
    const enabled = [true, false, false, true, false];
    const root = parseXml(write('fcpxml'));
    expect(checkFcpxml(root)).toEqual([]);
    expect(all(root, 'asset-clip').map(({ attributes }) => attributes['enabled'] !== '0')).toEqual(enabled);
    const video = at(parseXml(write('xmeml')), 'sequence', 'media', 'video');
    expect(all(video, 'clipitem').map((item) => at(item, 'enabled').text === 'TRUE')).toEqual(enabled);
    const [track] = JSON.parse(write('otio')).tracks.children;
    expect(track.children.map((clip: { enabled: boolean }) => clip.enabled)).toEqual(enabled);
    for (const [name, target] of [['edl'], ['mlt'], ['edl', 'openshot'], ['xmeml', 'openshot']] as const) {
      const written = timelineFormats[name].write(timeline, target);
      expect(written.notes[0]).toBe('The format has no place for disabled clips; left out: 3.');
      expect(written.text).toBe(timelineFormats[name].write(timelineOfConcept(filmed(), { locate, title: timeline.title }), target).text); // prettier-ignore
    }
    for (const name of ['otio', 'json'] as const) {
      const back = importTimeline(write(name), filmed(), { file: 'a' });
      expect(back.timeline.clips.map(({ source, in: from }) => [source, from])).toEqual([['a', 50], ['b', 0]]); // prettier-ignore
      expect(back.notes.join()).toMatch(/Disabled clips were left out: 3 \("b 0:06" at .*1; "a 0:06" at .*2; .*4\)\./);
    }
  });
});

describe('markers', () => {
  const comments = [comment('a', 2.04, { isDone: true }), comment('b.mp4', 1.5), comment('a', 0.5), comment('x', 1)];

  it('of moments and evidence are where their shots begin, comments where they were made', () => {
    const timeline = timelineOfConcept(filmed(), { marks: MARKS, comments });
    expect(timeline.clips.map(({ markers }) => markers)).toEqual([
      [
        { kind: 'moment', frame: 50, name: 'Moment 1', text: 'In 2 videos: a.mp4, b.mp4.' },
        { kind: 'evidence', frame: 50, name: 'Evidence 1.50', text: 'likeness 2.00, strength -0.25 (standard deviations within its video).' }, // prettier-ignore
        { kind: 'comment', frame: 51, name: 'Ana', text: 'too dark', isDone: true },
      ],
      [{ kind: 'comment', frame: 75, name: 'Ana', text: 'too dark', isDone: false }],
    ]);
    expect(timeline.notes).toContain('Comments about pictures that are not in this timeline were left out: 2.');
    expect(timelineOfConcept(filmed(), { comments }).clips.some(({ markers }) => markers)).toBe(false);
  });

  it('of a shot that a clip shows only the edge of are left out', () => {
    const document = topic();
    const { range } = document.videos[0]!.shots[2]!;
    const clip = { startFrame: 95, endFrame: 150, range: { ...range, start: 3800 } };
    const timeline = timelineOfTopic(document, [{ video: 'a', clip }], { marks: MARKS });
    expect(timeline.clips[0]!.markers).toBeUndefined();
  });

  it('are in every format that has a place for them, at the same frame', () => {
    const timeline = timelineOfConcept(filmed(), { marks: ['comments'], comments, locate });
    const write = (name: TimelineFormatName): string => timelineFormats[name].write(timeline).text;
    const root = parseXml(write('fcpxml'));
    expect(checkFcpxml(root)).toEqual([]);
    const markers = all(root, 'marker').filter(({ attributes }) => attributes['value'] === 'Ana: too dark');
    expect(markers.map(({ attributes }) => [attributes['start'], attributes['completed']])).toEqual([['51/25s', '1'], ['75/50s', '0']]); // prettier-ignore
    const items = all(at(parseXml(write('xmeml')), 'sequence', 'media', 'video'), 'marker');
    expect(items.filter((item) => at(item, 'name').text === 'Ana').map((item) => at(item, 'in').text)).toEqual(['51', '75']); // prettier-ignore
    const [track] = JSON.parse(write('otio')).tracks.children;
    const red = track.children.flatMap(({ markers: own }: any) => own.filter(({ color }: any) => color === 'RED'));
    expect(red.map(({ marked_range: { start_time: time } }: any) => time.value)).toEqual([51, 75]);
    // The film has 25 frames a second: its second clip begins at frame 50, the comment is 1.5 s into it.
    expect(write('edl').match(/^\* LOC: .*$/gm)).toEqual(['* LOC: 01:00:00:01 RED Ana: too dark', '* LOC: 01:00:03:12 RED Ana: too dark']); // prettier-ignore
    const marks = all(parseXml(write('mlt')), 'properties').filter(({ attributes }) =>
      /^\d+$/.test(attributes['name']!),
    );
    const properties = marks.map((mark) => mark.children.map(({ text }) => text));
    expect(properties.filter(([text]) => text === 'Ana: too dark').map(([, start]) => start)).toEqual(['1', '87']);
    expect(write('csv')).toContain('00:00:02:01 Ana: too dark');
  });

  it('do not change what is read back', () => {
    const document = topic();
    const plain = timelineOfVideo(document, 'a');
    const marked = timelineOfVideo(document, 'a', { marks: MARKS, comments });
    for (const name of ['edl', 'otio', 'json'] as const) {
      const read = (timeline: Timeline) => importTimeline(timelineFormats[name].write(timeline).text, document, { file: 'a' }); // prettier-ignore
      expect(read(marked)).toEqual(read(plain));
    }
  });
});

describe('comments of a review', () => {
  it('are read as they were written, and anything else is refused', () => {
    const list = [comment('a', 1)];
    expect(parseComments(serialiseComments(list), 'x')).toEqual(list);
    for (const text of ['', '{}', '{"schema":"comments.1","comments":[{}]}'])
      expect(() => parseComments(text, 'x.json')).toThrow('Expected comments in "x.json", found something else.');
  });
});
