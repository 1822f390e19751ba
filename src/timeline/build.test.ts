import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { lengthInSeconds, type Rational } from '../base/index.js';
import type { VideoSummary } from '../summary/index.js';
import { sampleConcept, sampleDocument } from '../render/report/sample.case.js';
import { placeClips, type Placed, formatRate } from './rates.js';
import {
  parseRate,
  RATE_NAMES,
  timelineFormats,
  timelineOfConcept,
  timelineOfTopic,
  timelineOfVideo,
  timelineSchema,
} from './index.js';
import { reelsOf } from './sources.js';
import { anyDocument, footage, mixedTopic, RATES } from './timeline.case.js';

describe('the timeline of one video', () => {
  it.each(RATE_NAMES)(
    '%s: source and record frames are the summary’s, the hour is counted from the timecode',
    (name) => {
      const { rate, dropFrame } = parseRate(name);
      const timecode = dropFrame ? '01:00:00;00' : '01:00:00:00';
      const spec = { rate, base: { num: 1, den: 90_000 }, shots: [40, 50, 60, 70], chosen: [1, 3] };
      const video = footage('a', { ...spec, startTick: 324_000_000, change: { timecode } });
      const timeline = timelineOfVideo(sampleDocument([video]), 'a');
      expect(formatRate(timeline)).toBe(name);
      expect(timeline.sources[0]).toMatchObject({ frames: 220, isConformed: false, dropFrame });
      expect(timeline.sources[0]!.timecodeFrame).toBe(timeline.timecodeFrame);
      expect(timeline.clips.map((clip) => [clip.in, clip.out, clip.recordIn, clip.recordOut])).toEqual([
        [40, 90, 0, 50],
        [150, 220, 50, 120],
      ]);
      expect(timeline.clips.map((clip) => clip.range)).toEqual(video.clips.map((clip) => clip.range));
      expect(timeline.notes).toEqual([]);
    },
  );

  it('says why each clip is there: its best shot', () => {
    const [clip] = timelineOfVideo(mixedTopic(), 'drone').clips;
    expect(clip).toMatchObject({ name: 'Drone & "harbour" <1> 0:02', rank: 1, score: 1 });
    expect(clip!.reason).toBe('Chosen by the method cvs.');
  });

  it('keeps handles where the source has frames', () => {
    const video = footage('a', { rate: RATES['25'], base: { num: 1, den: 25 }, shots: [10, 40, 40], chosen: [1] });
    const timeline = timelineOfVideo(sampleDocument([video]), 'a', { handles: 24 });
    expect(timeline.clips[0]!.handles).toEqual({ before: 10, after: 24 });
    expect(timeline.notes).toEqual(['Clips that are too near to an end of their source for handles of 24 frames: 1.']);
  });

  it('counts from zero if the timecode does not exist, and says so', () => {
    const spec = { rate: RATES['25'], base: { num: 1, den: 25 }, shots: [50], chosen: [0] };
    const timeline = timelineOfVideo(
      sampleDocument([footage('a', { ...spec, change: { timecode: '01:00:00:29' } })]),
      'a',
    );
    expect(timeline.sources[0]!.timecodeFrame).toBe(0);
    expect(timeline.notes[0]).toMatch(/states the timecode 01:00:00:29, which does not exist at 25/);
  });

  it('conforms a varying rate to the nearest standard one, by time, and says so', () => {
    // 100 frames of 33, 34 and 40 ms: 35.66 ms on average, 28.04 a second; 29.97 is nearer than 25.
    const video = footage('a', {
      rate: null,
      base: { num: 1, den: 1000 },
      frameTicks: [33, 34, 40],
      shots: [30, 70],
      chosen: [1],
    });
    const timeline = timelineOfVideo(sampleDocument([video]), 'a');
    expect(formatRate(timeline)).toBe('29.97');
    // The second shot begins at 1.07 s: 32.07 frames.
    expect(timeline.clips[0]).toMatchObject({ in: 32, firstFrame: 30, endFrame: 100 });
    expect(timeline.notes[0]).toMatch(
      /^a\.mp4 has a varying frame rate \(28\.058 on average\): it was conformed to 29\.97/,
    );
  });

  it('refuses clips that cannot be played', () => {
    expect(() => timelineOfVideo(mixedTopic(), 'nobody')).toThrow(/\(drone, pier, phone, slow\), found "nobody"/);
    const past = { ...mixedTopic().videos[2]!.clips[1]!, endFrame: 183 };
    expect(() => timelineOfTopic(mixedTopic(), [{ video: 'phone', clip: past }])).toThrow(
      /the 182 frames of "phone", found frames 112 to 183/,
    );
    expect(() => timelineOfTopic(mixedTopic(), [])).toThrow(expect.objectContaining({ code: 'no-clips' }));
  });
});

describe('the timeline of a topic', () => {
  it('takes the rate that plays longest, mode and size from its longest source', () => {
    const timeline = timelineOfTopic(mixedTopic());
    expect(formatRate(timeline)).toBe('29.97df');
    expect([timeline.widthPx, timeline.heightPx]).toEqual([640, 360]);
    expect(timeline.notes).toHaveLength(2);
    expect(timeline.notes[1]).toMatch(
      /^The timeline has 29\.97df frames per second; these sources have another rate: Pier – café\.ts \(25\), slow\.mp4 \(59\.94\)/,
    );
  });

  it('sums a rate up over its sources: two of 25 outweigh a longer one of 24', () => {
    const base = { num: 1, den: 1000 };
    const short = { rate: RATES['25'], base, shots: [75], chosen: [0] };
    const videos = [
      footage('long', { rate: RATES['24'], base, shots: [96], chosen: [0] }),
      footage('a', short),
      footage('b', { ...short, shots: [76], change: { widthPx: 720 } }),
    ];
    expect(timelineOfTopic(sampleDocument(videos))).toMatchObject({ rate: RATES['25'], widthPx: 720 });
  });

  it('places clips of other rates by hand: 61 frames of 25 are 73.13 of 29.97', () => {
    const { clips } = timelineOfTopic(mixedTopic());
    expect(clips.map((clip) => [clip.source, clip.recordIn, clip.recordOut])).toEqual([
      ['drone', 0, 90],
      ['drone', 90, 165],
      ['pier', 165, 238],
      // 64 frames of 33.75 ms last 2.16 s, conformed to 65 frames; 70 of them to 71.
      ['phone', 238, 303],
      ['phone', 303, 374],
      // 95 frames of 59.94 are 47.5; 0.13 + 0.5 over makes the end 421.63, nearest 422.
      ['slow', 374, 422],
    ]);
  });

  it('plays a list of clips as given, a video twice, a stretch twice', () => {
    const document = mixedTopic();
    const [clip] = document.videos[0]!.clips;
    const picks = [{ video: 'slow', clip: document.videos[3]!.clips[0]! }, { video: 'drone', clip: clip! }, { video: 'drone', clip: clip! }]; // prettier-ignore
    const timeline = timelineOfTopic(document, picks, { counting: parseRate('25'), title: 'mine' });
    expect(timeline).toMatchObject({ title: 'mine', rate: { num: 25, den: 1 } });
    expect(timeline.sources.map(({ id }) => id)).toEqual(['drone', 'slow']);
    expect(timeline.clips.map((each) => each.source)).toEqual(['slow', 'drone', 'drone']);
  });

  it('of a thousand videos that all show the same names the closest', { tags: 'slow' }, () => {
    const ids = Array.from({ length: 1000 }, (_, at) => `v${at}`);
    const spec = {
      rate: RATES['25'],
      base: { num: 1, den: 25 },
      shots: Array<number>(20).fill(32),
      chosen: [0, 6, 12, 18],
    };
    const videos = ids.map((id) => {
      const by = ids.filter((other) => other !== id).map((video) => ({ video, shot: 0, similarity: 9 }));
      const shown = { others: 999, by, own: 0 };
      const video = footage(id, spec);
      return { ...video, shots: video.shots.map((shot) => (shot.chosen ? { ...shot, shown } : shot)) };
    });
    const document = { ...mixedTopic(), videos };
    const { clips } = timelineOfTopic(document);
    expect(clips).toHaveLength(4000);
    expect(clips[0]!.reason).toBe('All 999 other videos show this: the closest are v1.mp4 and v2.mp4.');
  });

  it('follows its own schema whatever the topic', () => {
    fc.assert(
      fc.property(anyDocument, fc.constantFrom(undefined, ...RATE_NAMES), (document, name) => {
        const counting = name === undefined ? undefined : parseRate(name);
        const timeline = timelineOfTopic(document, undefined, { counting, handles: 12 });
        expect(timelineSchema.parse(timeline)).toEqual(timeline);
        timeline.clips.forEach((clip, at) => {
          const source = timeline.sources.find(({ id }) => id === clip.source)!;
          expect(clip.in >= 0 && clip.in < clip.out && clip.out <= source.frames).toBe(true);
          expect(clip.recordIn).toBe(timeline.clips[at - 1]?.recordOut ?? 0);
          // A cut is never more than half a frame of the source's rate from where the summary has it.
          const frame = source.rate.den / source.rate.num;
          expect(Math.abs((clip.out - clip.in) * frame - lengthInSeconds(clip.range))).toBeLessThan(1.01 * frame);
        });
      }),
    );
  });
});

describe('the timeline of a topic’s film', () => {
  it('plays its shots in its order, joined where they touch, each with the film’s own reason', () => {
    const document = mixedTopic();
    const [first, second] = document.videos as [VideoSummary, VideoSummary];
    const places = [[second.id, 1], [first.id, 0], [first.id, 1], [second.id, 0]] as const; // prettier-ignore
    const timeline = timelineOfConcept({ ...document, concept: sampleConcept(document.videos, places) });
    expect(timeline.title).toBe(document.topic);
    expect(timeline.sources.map((source) => source.id)).toEqual([first.id, second.id]);
    expect(
      timeline.clips.map(({ source, firstFrame, endFrame, rank }) => [source, firstFrame, endFrame, rank]),
    ).toEqual([
      [second.id, second.shots[1]!.startFrame, second.shots[1]!.endFrame, 0],
      [first.id, first.shots[0]!.startFrame, first.shots[1]!.endFrame, 1],
      [second.id, second.shots[0]!.startFrame, second.shots[0]!.endFrame, 3],
    ]);
    expect(timeline.clips[1]!.reason).toBe('Rank 2 of 7, the best of its video.');
    for (const [name, format] of Object.entries(timelineFormats))
      expect(format.write(timeline).text, name).not.toBe('');
  });

  it('is refused where there is none', () => {
    expect(() => timelineOfConcept(mixedTopic())).toThrow(/found none\. Make one with "throughline concept"/);
  });
});

describe('placing clips', () => {
  const anyRate: fc.Arbitrary<Rational> = fc.constantFrom(...Object.values(RATES));
  const anyClips = fc.array(
    fc.record({ rate: anyRate, in: fc.nat(500), length: fc.integer({ min: 1, max: 300 }), after: fc.nat(100) }),
    { minLength: 1, maxLength: 40 },
  );
  const placed = (clips: readonly { rate: Rational; in: number; length: number; after: number }[]): Placed[] =>
    clips.map(({ rate, in: from, length, after }) => ({
      rate,
      in: from,
      out: from + length,
      available: from + length + after,
    }));

  it('leaves no gap, no empty clip, and clips of the timeline’s rate as they are', () => {
    fc.assert(
      fc.property(anyRate, anyClips, (rate, clips) => {
        let end = 0;
        placeClips(placed(clips), rate).forEach(({ recordIn, recordOut }, at) => {
          expect(recordIn).toBe(end);
          expect(recordOut).toBeGreaterThan(recordIn);
          if (clips[at]!.rate === rate) expect(recordOut - recordIn).toBe(clips[at]!.length);
          end = recordOut;
        });
      }),
    );
  });

  it('does not drift: every end is the nearest frame to the exact time, where sources go on long enough', () => {
    fc.assert(
      fc.property(anyRate, anyClips, (rate, clips) => {
        const long = clips.map((clip) => ({ ...clip, length: clip.length + 10, after: 1000 }));
        const ends = placeClips(placed(long), rate).map(({ recordOut }) => recordOut);
        // All standard rates divide 600 000 frames a second × 1001 evenly, so these sums are exact.
        let exact = 0;
        long.forEach((clip, at) => {
          exact += (clip.length * 600_600_000 * clip.rate.den) / clip.rate.num;
          const frame = (600_600_000 * rate.den) / rate.num;
          expect(Math.abs(ends[at]! * frame - exact)).toBeLessThanOrEqual(frame / 2);
        });
      }),
    );
  });

  it('never plays more than the source has', () => {
    fc.assert(
      fc.property(anyRate, anyClips, (rate, clips) => {
        placeClips(placed(clips.map((clip) => ({ ...clip, length: clip.length + 10 }))), rate).forEach(
          ({ recordIn, recordOut }, at) => {
            const clip = placed([{ ...clips[at]!, length: clips[at]!.length + 10 }])[0]!;
            const seconds = ((recordOut - recordIn) * rate.den) / rate.num;
            expect(seconds).toBeLessThanOrEqual(((clip.available - clip.in) * clip.rate.den) / clip.rate.num + 1e-9);
          },
        );
      }),
    );
  });

  it('gives a clip shorter than half a frame one frame, and takes it back from the next', () => {
    const blink: Placed = { rate: RATES['60'], in: 0, out: 1, available: 600 };
    const long: Placed = { rate: RATES['60'], in: 0, out: 61, available: 600 };
    expect(placeClips([blink, blink, long], RATES['24'])).toEqual([
      { recordIn: 0, recordOut: 1 },
      { recordIn: 1, recordOut: 2 },
      { recordIn: 2, recordOut: 25 },
    ]);
  });
});

describe('reels', () => {
  const sample = mixedTopic().videos[0]!;
  it('are 8 plain characters, unique, and never a reserved name', () => {
    const names = [
      'Größe 1.mp4',
      'Größe 1.mov',
      'ax.mp4',
      'bl.mov',
      '日本.mp4',
      '漢字.mp4',
      'interview-final-2.mov',
      'interview-final-3.mov',
      '.hidden',
      '100%.mp4',
    ];
    const videos = names.map((path, at) => ({ ...sample, id: `v${at}`, path }));
    const reels = [...reelsOf({ videos }).values()];
    expect(reels).toEqual([
      'GROE_1',
      'GROE_12',
      'AX2',
      'BL2',
      'CLIP',
      'CLIP2',
      'INTERVIE',
      'INTERVI2',
      'HIDDEN',
      '100',
    ]);
  });

  it('of very many videos whose names begin alike are numbered', () => {
    const videos = Array.from({ length: 20_000 }, (_, at) => ({
      ...sample,
      id: `v${at}`,
      path: `recording-${at}.mp4`,
    }));
    const reels = [...reelsOf({ videos }).values()];
    expect(reels.slice(0, 11)).toEqual(['RECORDIN', 'RECORDI2', 'RECORDI3', 'RECORDI4', 'RECORDI5', 'RECORDI6', 'RECORDI7', 'RECORDI8', 'RECORDI9', 'RECORD10', 'RECORD11']); // prettier-ignore
    expect(reels.at(-1)).toBe('REC20000');
  });

  it('stay unique for any names', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 20 }), (names) => {
        const videos = names.map((path, at) => ({ ...sample, id: `v${at}`, path }));
        const reels = [...reelsOf({ videos }).values()];
        expect(new Set(reels).size).toBe(names.length);
        for (const reel of reels) expect(reel).toMatch(/^[A-Z0-9_]{1,8}$/);
      }),
      { numRuns: 30 },
    );
  });
});
