import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { parseSummary, serialiseSummary } from '../summary/index.js';
import { sampleDocument } from '../render/report/sample.case.js';
import {
  importTimeline,
  parseRate,
  RATE_NAMES,
  timelineFormats,
  timelineOfTopic,
  timelineOfVideo,
  type Timeline,
} from './index.js';
import { plainDocument, read, READABLE } from './import.case.js';
import { anyDocument, footage, mixedTopic, RATES } from './timeline.case.js';

const places = ({ clips }: Timeline): unknown => clips.map((clip) => [clip.source, clip.in, clip.out, clip.firstFrame, clip.endFrame, clip.range, clip.recordIn, clip.recordOut]); // prettier-ignore

describe('a round trip', () => {
  it.each(READABLE)(
    'through %s gives back every clip to the frame and the tick, at any rate of the timeline',
    (name) => {
      fc.assert(
        fc.property(anyDocument, fc.constantFrom(undefined, ...RATE_NAMES), (document, rate) => {
          const counting = rate === undefined ? undefined : parseRate(rate);
          const timeline = timelineOfTopic(document, undefined, { counting });
          const { text } = timelineFormats[name].write(timeline);
          const back = importTimeline(text, document, { file: 'a' });
          expect([back.leftOut, back.notes]).toEqual([[], []]);
          expect(back.document).toEqual(document);
          expect(places(back.timeline)).toEqual(places(timeline));
        }),
      );
    },
  );

  it('through summary.json gives back the summary', () => {
    fc.assert(
      fc.property(anyDocument, (document) => {
        const back = importTimeline(serialiseSummary(document), document, { file: 'a' });
        expect([back.document, back.notes]).toEqual([document, []]);
      }),
    );
  });

  it('of a film with clips in any order keeps that order on the timeline', () => {
    const document = mixedTopic();
    const picks = document.videos.flatMap(({ id, clips }) => clips.map((clip) => ({ video: id, clip }))).toReversed();
    const timeline = timelineOfTopic(document, picks);
    for (const name of READABLE) {
      const back = importTimeline(timelineFormats[name].write(timeline).text, document, { file: 'a' });
      expect(places(back.timeline)).toEqual(places(timeline));
      expect(back.document).toEqual(document);
      expect(back.notes).toEqual([expect.stringMatching(/once, in film order: clips were sorted/)]);
    }
  });

  it.each(READABLE)('of one video of a topic through %s leaves the others as they are, and says so', (name) => {
    const document = mixedTopic();
    const back = importTimeline(timelineFormats[name].write(timelineOfVideo(document, 'pier')).text, document, {
      file: 'a',
    });
    expect(back.document).toEqual(document);
    expect(back.notes[0]).toMatch(/their clips stay as they were: day 1\/Drone & .*, slow\.mp4\.$/);
  });
});

const framesOf = ({ document }: ReturnType<typeof importTimeline>, video = 0): number[][] =>
  document.videos[video]!.clips.map((clip) => [clip.startFrame, clip.endFrame]);

describe('an edited list', () => {
  it('changes clips, ticks and the chosen shots, and drops the film that shows the old cut', () => {
    const text = timelineFormats.edl.write(timelineOfVideo(plainDocument(), 'aiko')).text;
    // 00:00:02:00 - 00:00:04:00 becomes 00:00:03:05 - 00:00:05:10: 20 frames of shot 1, 35 of shot 2.
    const back = read(text.replace('00:00:02:00 00:00:04:00', '00:00:03:05 00:00:05:10'));
    expect(framesOf(back)).toEqual([[80, 135], [150, 200]]); // prettier-ignore
    const [video] = back.document.videos;
    expect(video!.clips[0]!.range).toEqual({ start: 80 * 512, end: 135 * 512, base: { num: 1, den: 12_800 } });
    expect(video!.shots.map((shot) => shot.chosen)).toEqual([false, false, true, true, false]);
    expect([video!.film, video!.storyboard]).toEqual([null, null]);
    expect(back.document.notes).toEqual(['Clips were taken from "cut.edl".']);
    expect(parseSummary(serialiseSummary(back.document))).toEqual(back.document);
  });

  it('is read by the timecode of the source, or from zero if a system ignored it', () => {
    const line = (from: string, to: string): string => `001  BEN  V  C  ${from} ${to} 01:00:00:00 01:00:01:00`;
    expect(framesOf(read(line('10:00:01:00', '10:00:02:00')), 1)).toEqual([[25, 50]]);
    expect(framesOf(read(line('00:00:01:00', '00:00:02:00')), 1)).toEqual([[25, 50]]);
  });

  it('rounds ticks of a coarse clock as the file does', () => {
    // 30 fps on a clock of milliseconds: frame 7 is at 233.33, frame 8 at 266.67, which muxers round to the nearest.
    const video = footage('a', { rate: RATES['30'], base: { num: 1, den: 1000 }, shots: [40, 35], chosen: [1] });
    const back = read('001 A V C 00:00:00:07 00:00:00:08 00:00:00:00 00:00:00:01', {
      document: sampleDocument([video]),
    });
    expect(back.document.videos[0]!.clips[0]!.range).toMatchObject({ start: 233, end: 267 });
    // 1334 is 40 frames rounded up, 2666 is 80 rounded down: where no rounding fits, a tick early keeps every frame.
    const odd = footage('a', { rate: RATES['30'], base: { num: 1, den: 1000 }, shots: [40, 40, 35], chosen: [1] });
    odd.shots[0]!.range.end = odd.shots[1]!.range.start = odd.clips[0]!.range.start = 1334;
    odd.shots[1]!.range.end = odd.shots[2]!.range.start = odd.clips[0]!.range.end = 2666;
    const early = read('001 A V C 00:00:00:07 00:00:00:09 00:00:00:00 00:00:00:02', {
      document: sampleDocument([odd]),
    });
    expect(early.document.videos[0]!.clips[0]!.range).toMatchObject({ start: 232, end: 299 });
  });

  it('keeps to shot boundaries where the frame rate varies, and says how far cuts were moved', () => {
    const document = mixedTopic();
    const text = timelineFormats.edl.write(timelineOfVideo(document, 'phone')).text;
    const back = read(text.replace('00:00:00:00 00:00:02:05', '00:00:00:10 00:00:02:05'), { document });
    expect(framesOf(back, 2)).toEqual([[0, 64], [112, 182]]); // prettier-ignore
    expect(back.notes[0]).toMatch(
      /^-phone 100%\.mp4 has a varying frame rate.* Cuts moved to the nearest one, by 0\.33 s at most: 1\.$/,
    );
  });

  it('of another rate than its source is exact until it is trimmed, on either side', () => {
    // Frames 33 to 128 of 59.94 are 01:00:00;02 to 01:00:01;20 of 29.97 in the list.
    const document = mixedTopic();
    const text = timelineFormats.edl.write(timelineOfTopic(document)).text;
    const trimmed = (from: string, to: string): number[][] =>
      framesOf(read(text.replace('01:00:00;02 01:00:01;20 01', `${from} ${to} 01`), { document }), 3);
    expect(trimmed('01:00:00;02', '01:00:01;20')).toEqual([[33, 128]]);
    expect(trimmed('01:00:00;04', '01:00:01;20')).toEqual([[38, 130]]);
    expect(trimmed('01:00:00;02', '01:00:01;18')).toEqual([[34, 126]]);
  });

  it('distinguishes drop-frame and non-drop labels by their marks', () => {
    const spec = { rate: RATES['29.97'], base: { num: 1, den: 30_000 }, shots: [50, 2000], chosen: [1] };
    for (const [timecode, mode] of [
      ['01:00:00:00', '29.97df'],
      ['01:00:00;00', '29.97'],
    ] as const) {
      // prettier-ignore
      const document = sampleDocument([footage('a', { ...spec, change: { timecode } })]);
      const text = timelineFormats.edl.write(timelineOfVideo(document, 'a', { counting: parseRate(mode) })).text;
      const back = importTimeline(text, document, { file: 'a' });
      expect([back.document, back.timeline.dropFrame]).toEqual([document, mode === '29.97df']);
    }
  });

  it('with colons alone follows the mode that is stated above it', () => {
    const document = sampleDocument([
      footage('a', { rate: RATES['29.97'], base: { num: 1, den: 30_000 }, shots: [3000], chosen: [0], change: { timecode: '01:00:00;00' } }), // prettier-ignore
    ]);
    const event = '001 A V C 01:01:00:02 01:01:01:00 01:00:00:00 01:00:00:28';
    // One minute after the hour is frame 1800 of drop-frame timecode; label 02 is its first.
    expect(framesOf(read(`FCM: DROP FRAME\n${event}`, { document }))).toEqual([[1800, 1828]]);
    expect(framesOf(read(`FCM: NON-DROP FRAME\n${event}`, { document }))).toEqual([[1910, 1938]]);
  });

  it('is cut where a clip reaches past its source, and joined where clips overlap', () => {
    const back = read(
      '001 AIKO_DAY V C 00:00:09:00 00:00:12:00 00:00:00:00 00:00:03:00\n' +
        '002 AIKO_DAY V C 00:00:01:00 00:00:03:00 00:00:03:00 00:00:05:00\n' +
        '003 AIKO_DAY V C 00:00:02:00 00:00:04:00 00:00:05:00 00:00:07:00\n' +
        '004 AIKO_DAY V C 00:01:02:00 00:01:04:00 00:00:07:00 00:00:09:00\n',
    );
    expect(framesOf(back)).toEqual([[25, 100], [225, 250]]); // prettier-ignore
    expect(back.leftOut).toEqual(['the clip at line 4 lies outside of its source']);
  });

  it('from an editing system: other reels, transitions, sound, black and speed changes', () => {
    const back = read(
      [
        'TITLE:   Timeline 1 ',
        'FCM: NON-DROP FRAME',
        '',
        '002  AX       V     C        00:00:01:00 00:00:01:00 01:00:02:00 01:00:02:00 ',
        '002  AX       V     D    012 10:00:02:00 10:00:04:00 01:00:02:00 01:00:04:00 ',
        '* FROM CLIP NAME: Aiko day.mp4',
        '* TO CLIP NAME: ben.mkv',
        'M2   AX       050.0                10:00:02:00 ',
        '001  AX       V     C        00:00:00:10 00:00:01:00 01:00:00:00 01:00:00:15 ',
        '* FROM CLIP NAME:  Aiko day',
        '* SOURCE FILE: C:\\footage\\Aiko day.mp4',
        '003  BL       V     C        00:00:00:00 00:00:01:00 01:00:04:00 01:00:05:00',
        '004  AX       A2    C        00:00:00:00 00:00:01:00 01:00:05:00 01:00:06:00',
        '005  AX       V     C        00:00:00:00 00:00:01:00 01:00:06:00 01:00:07:00',
        '* FROM CLIP NAME: title.png',
        '>>> SOMETHING OF A VENDOR',
      ].join('\r\n'),
    );
    expect(back.timeline).toMatchObject({ title: 'Timeline 1', rate: { num: 25, den: 1 } });
    expect(back.timeline.clips.map((clip) => [clip.source, clip.in, clip.out])).toEqual([['aiko', 10, 25], ['ben', 50, 100]]); // prettier-ignore
    expect(back.leftOut).toEqual(['"title.png" is not a video of the summary (line 14)']);
    expect(back.notes.join(' ')).toMatch(
      /speed change in line 8.*sound only, or black.*: 2 \(line 12; line 13\)\. Transitions were read as cuts: 1 \(line 5\)\./,
    );
  });

  it('passes midnight', () => {
    const document = plainDocument();
    document.videos[1]!.timecode = '23:59:58:00';
    const back = read('001 BEN V C 23:59:59:00 00:00:01:00 00:00:00:00 00:00:02:00', { document });
    expect(framesOf(back, 1)).toEqual([[25, 75]]);
  });

  it('finds sources by path, name and reel, and asks where two may be meant', () => {
    const spec = { rate: RATES['25'], base: { num: 1, den: 25 }, shots: [50, 50], chosen: [0] };
    const document = sampleDocument([
      footage('a', { ...spec, path: 'mon/cam.mp4' }),
      footage('b', { ...spec, path: 'tue/cam.mp4' }),
    ]);
    const event = '001 AX V C 00:00:00:00 00:00:01:00 00:00:00:00 00:00:01:00';
    const sourceOf = (text: string): string => read(text, { document }).timeline.clips[0]!.source;
    expect(sourceOf(`${event}\n* SOURCE FILE: file:///Volumes/x%20y/tue/cam.mp4`)).toBe('b');
    expect(sourceOf(`${event.replace('AX', 'CAM2')}\n* FROM CLIP NAME: cam.mp4`)).toBe('b');
    expect(sourceOf(event.replace('AX', 'cam'))).toBe('a');
    const accents = sampleDocument([footage('c', { ...spec, path: 'caf\u00e9.mp4' })]);
    expect(read(`${event}\n* FROM CLIP NAME: cafe\u0301.mp4`, { document: accents }).timeline.clips[0]!.source).toBe(
      'c',
    );
    expect(() => read(`${event}\n* FROM CLIP NAME: cam.mp4`, { document })).toThrow(
      /"cam\.mp4" may be mon\/cam\.mp4 or tue\/cam\.mp4/,
    );
  });

  it('as OTIO of another program: older clips, no metadata, other rates, other tracks', () => {
    const time = (value: number, rate: number): unknown => ({ OTIO_SCHEMA: 'RationalTime.1', value, rate });
    const span = (start: number, length: number, rate: number): unknown => ({ OTIO_SCHEMA: 'TimeRange.1', start_time: time(start, rate), duration: time(length, rate) }); // prettier-ignore
    const media = { OTIO_SCHEMA: 'ExternalReference.1', target_url: 'file:///x/Aiko%20day.mp4', available_range: null };
    const clip = {
      OTIO_SCHEMA: 'Clip.1',
      name: 'Aiko day.mp4',
      source_range: span(48, 24, 24),
      media_reference: media,
      metadata: {},
    };
    const track = (kind: string, children: unknown[]): unknown => ({ OTIO_SCHEMA: 'Track.1', kind, children });
    const back = read(
      JSON.stringify({
        OTIO_SCHEMA: 'Timeline.1',
        name: 'mine',
        tracks: {
          OTIO_SCHEMA: 'Stack.1',
          children: [
            track('Audio', [clip]),
            track('Video', [
              { OTIO_SCHEMA: 'Gap.1', source_range: span(0, 24, 24) },
              clip,
              { ...clip, enabled: false },
              { ...clip, source_range: span(0, 25, 25), media_reference: null, name: 'ben', effects: [{ OTIO_SCHEMA: 'LinearTimeWarp.1' }] }, // prettier-ignore
              { OTIO_SCHEMA: 'Stack.1', children: [] },
            ]),
            track('Video', [clip]),
          ],
        },
      }),
    );
    // Two seconds of 24 are 50 frames of 25.
    expect([framesOf(back, 0), framesOf(back, 1)]).toEqual([[[50, 75]], [[0, 25]]]);
    const at = 'tracks.children.1.children';
    expect(back.notes).toEqual([
      'Video tracks other than the first were left out: 1 (tracks.children.2 with 1 clips).',
      `Gaps and transitions were left out: 1 (${at}.0).`,
      `Disabled clips were left out: 1 ("Aiko day.mp4" at ${at}.2).`,
      `Nested timelines were left out: 1 (${at}.4).`,
      `Speed changes were left out, clips play at their own speed: 1 ("ben" at ${at}.3).`,
    ]);
  });

  it('as OTIO whose times are seconds, or parts of frames, keeps to the nearest frame', () => {
    const at = (start: [number, number], length: [number, number], zero: [number, number] | null): number[][] => {
      const time = ([value, rate]: [number, number]): unknown => ({ OTIO_SCHEMA: 'RationalTime.1', value, rate });
      const span = (from: [number, number], lasts: [number, number]): unknown => ({ start_time: time(from), duration: time(lasts) }); // prettier-ignore
      const media = { name: 'Aiko day.mp4', available_range: zero && span(zero, [10, 1]) };
      const clip = { OTIO_SCHEMA: 'Clip.1', name: 'x', source_range: span(start, length), media_reference: media };
      const tracks = { children: [{ OTIO_SCHEMA: 'Track.1', kind: 'Video', children: [clip] }] };
      return framesOf(read(JSON.stringify({ OTIO_SCHEMA: 'Timeline.1', name: 'x', tracks })));
    };
    // 1.52 s are 38 frames of 25, and 0.8 s are 20.
    expect(at([1.52, 1], [0.8, 1], null)).toEqual([[38, 58]]);
    expect(at([3.52, 1], [0.8, 1], [2, 1])).toEqual([[38, 58]]);
    expect(at([37.6, 25], [20.2, 25], null)).toEqual([[38, 58]]);
    // Media that begins at 1.52 s, which are 38 frames.
    expect(at([88, 25], [20, 25], [1.52, 1])).toEqual([[50, 70]]);
  });
});

describe('a list read as the film of the topic', () => {
  const spec = (reel: string, from: string, to: string, at: number): string =>
    `00${at} ${reel} V C ${from} ${to} 01:00:${String(2 * at).padStart(2, '0')}:00 01:00:${String(2 * at + 2).padStart(2, '0')}:00`;

  it('is its stretches, pinned, in the order of their shots, and a length that leaves room for nothing else', () => {
    const list = [
      spec('BEN', '10:00:04:00', '10:00:05:12', 1),
      spec('AIKO_DAY', '00:00:00:00', '00:00:04:00', 2),
      spec('BEN', '10:00:00:00', '10:00:00:10', 3),
    ];
    const { film, filmNotes } = read(list.join('\n'));
    expect(film).toEqual({
      pin: ['ben.mkv@4.000-5.480', 'Aiko day.mp4@0.000-4.000', 'ben.mkv@0.000-0.400'],
      concept: '5.880s',
      topicSequence: ['ben.mkv#3', 'Aiko day.mp4#1', 'Aiko day.mp4#2', 'ben.mkv#1'],
    });
    expect(filmNotes).toEqual([]);
    const faded = plainDocument();
    faded.options['fade'] = 0.5;
    expect(read(list.join('\n'), { document: faded }).film.concept).toBe('4.880s');
  });

  it('says clip by clip what a film cannot do', () => {
    const list = [
      spec('AIKO_DAY', '00:00:02:00', '00:00:03:00', 1),
      spec('AIKO_DAY', '00:00:02:10', '00:00:02:20', 2),
      spec('AIKO_DAY', '00:00:03:00', '00:00:04:00', 3),
      spec('AIKO_DAY', '00:00:01:00', '00:00:03:00', 4),
    ];
    const { film, filmNotes } = read(list.join('\n'));
    expect(film.pin).toEqual(['Aiko day.mp4@2.000-3.000', 'Aiko day.mp4@3.000-4.000', 'Aiko day.mp4@1.000-2.000']);
    expect(film.topicSequence).toEqual(['Aiko day.mp4#2', 'Aiko day.mp4#1']);
    expect(filmNotes).toEqual([
      'A film plays each stretch once, so the clip of Aiko day.mp4 at line 2, which repeats others, was left out.',
      'The order of a film is one of shots: the clip of Aiko day.mp4 at line 3 plays beside the other part of Aiko day.mp4#2.',
      'A film plays each stretch once: the clip of Aiko day.mp4 at line 4 plays only what others do not.',
    ]);
  });
});
