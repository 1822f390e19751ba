import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FrameClock, FrameRange } from '../shots/index.js';
import {
  divideClips,
  editClips,
  fitClips,
  pauseFinder,
  planClips,
  type ClipRules,
  type Course,
  type EditRules,
  type Footage,
} from './index.js';

/** A clock whose frames last as many ticks as told, from tick 100. */
function clockOf(lengths: readonly number[]): FrameClock {
  let at = 100;
  const frameTicks = Float64Array.from(lengths, (length) => (at += length) - length);
  return { frameTicks, endTicks: at, timeBase: { num: 1, den: 1000 } };
}

const range = (startFrame: number, endFrame: number): FrameRange => ({ startFrame, endFrame });
const steady = clockOf(Array(100).fill(10));
const none: ClipRules = { minTicks: 0, maxTicks: null, handles: 0 };

function plan(footage: Partial<Footage>, rules: Partial<ClipRules> = {}, clock = steady): [number, number][] {
  const clips = planClips({ shots: [], exact: [], barred: [], ...footage }, { ...none, ...rules }, clock);
  return clips.map(({ startFrame, endFrame }) => [startFrame, endFrame]);
}

describe('planClips, by hand', () => {
  it('joins shots that touch and gives exact ticks', () => {
    const footage = { shots: [range(30, 40), range(10, 20), range(20, 30)], exact: [], barred: [] };
    expect(planClips(footage, none, steady)).toEqual([
      { startFrame: 10, endFrame: 40, range: { start: 200, end: 500, base: { num: 1, den: 1000 } } },
    ]);
    expect(plan({ shots: [range(90, 100)] })).toEqual([[90, 100]]);
  });

  it('trims a long shot to its middle', () => {
    // 200 ticks to at most 105: from the first frame at or after tick +47.5, ten frames.
    expect(plan({ shots: [range(10, 30)] }, { maxTicks: 105 })).toEqual([[15, 25]]);
    expect(plan({ shots: [range(10, 30)] }, { maxTicks: 200 })).toEqual([[10, 30]]);
    // Two long neighbours become two clips.
    expect(plan({ shots: [range(0, 20), range(20, 40)] }, { maxTicks: 100 })).toEqual([[5, 15], [25, 35]]); // prettier-ignore
    // Never less than a frame.
    expect(plan({ shots: [range(10, 30)] }, { maxTicks: 3 })).toEqual([[20, 21]]);
  });

  it('widens a short clip at both ends, as far as there is room', () => {
    expect(plan({ shots: [range(50, 54)] }, { minTicks: 100 })).toEqual([[47, 57]]);
    expect(plan({ shots: [range(1, 5)] }, { minTicks: 100 })).toEqual([[0, 10]]);
    expect(plan({ shots: [range(96, 100)] }, { minTicks: 100 })).toEqual([[90, 100]]);
    expect(plan({ shots: [range(50, 54)] }, { minTicks: 5000 })).toEqual([[0, 100]]);
    // Clips that grow into each other become one.
    expect(plan({ shots: [range(40, 44), range(48, 52)] }, { minTicks: 100 })).toEqual([[37, 55]]);
  });

  it('adds handles on top, clamped to the video and to the neighbours', () => {
    expect(plan({ shots: [range(3, 20), range(40, 60)] }, { handles: 5 })).toEqual([[0, 25], [35, 65]]); // prettier-ignore
    expect(plan({ shots: [range(10, 20), range(28, 40)] }, { handles: 5 })).toEqual([[5, 45]]);
    expect(plan({ shots: [range(50, 54)] }, { minTicks: 100, handles: 2 })).toEqual([[45, 59]]);
  });

  it('plays an exact stretch exactly, whatever the limits, but with handles', () => {
    expect(plan({ exact: [range(50, 52)] }, { minTicks: 100 })).toEqual([[50, 52]]);
    expect(plan({ exact: [range(10, 90)] }, { maxTicks: 100 })).toEqual([[10, 90]]);
    expect(plan({ exact: [range(50, 52)] }, { handles: 3 })).toEqual([[47, 55]]);
    // Where it touches a chosen shot, both are one clip.
    expect(plan({ exact: [range(50, 52)], shots: [range(40, 50)] })).toEqual([[40, 52]]);
  });

  it('never plays a barred frame', () => {
    expect(plan({ shots: [range(10, 30)], barred: [range(15, 18)] })).toEqual([[10, 15], [18, 30]]); // prettier-ignore
    expect(plan({ shots: [range(10, 30)], barred: [range(0, 30)] })).toEqual([]);
    expect(plan({ shots: [range(20, 24)], barred: [range(18, 20)] }, { minTicks: 100 })).toEqual([[20, 30]]);
    expect(plan({ shots: [range(20, 30)], barred: [range(31, 40)] }, { handles: 5 })).toEqual([[15, 31]]);
  });

  it('counts time if frames last differently', () => {
    // Frames 0 to 9 last 10 ticks, frames 10 to 19 last 100: the middle 300 of 1100 ticks begin at +400, with frame 13.
    const uneven = clockOf([...Array(10).fill(10), ...Array(10).fill(100)]);
    expect(plan({ shots: [range(0, 20)] }, { maxTicks: 300 }, uneven)).toEqual([[13, 16]]);
    expect(plan({ shots: [range(10, 11)] }, { minTicks: 140 }, uneven)).toEqual([[8, 12]]);
  });
});

/** Ten seconds at 20 frames per second, two takes of five seconds. */
const twenty = clockOf(Array(200).fill(50));
const takes = [range(0, 100), range(100, 200)];
function edited(
  shots: readonly FrameRange[],
  course: Partial<Course>,
  rules: Partial<EditRules> & Partial<Pick<ClipRules, 'maxTicks' | 'handles'>> = {},
  footage: Partial<Footage> = {},
): [number, number][] {
  const { maxTicks = null, handles = 0, ...own } = rules;
  const findPause = pauseFinder({ speech: [], motion: null, ...course }, twenty, (frame) => frame % 100 === 0);
  const edit = {
    takes,
    avoid: [],
    findPause,
    readable: 2000,
    visible: 500,
    longest: 6000,
    target: null,
    tolerance: 500,
    fade: 0,
  };
  return plan({ shots, ...footage }, { maxTicks, handles, edit: { ...edit, ...own } }, twenty);
}
const speech = (...ranges: [number, number][]): Course['speech'] =>
  ranges.map(([start, end]) => ({ start: 100 + start, end: 100 + end }));

describe('planClips, edited', () => {
  it('moves edges out of speech where a pause is within half a second, and nowhere else', () => {
    // Shot from 1 s to 4 s. Somebody speaks until 1.25 s, and from 3.7 to 4.2 s.
    expect(edited([range(20, 80)], { speech: speech([400, 1250], [3700, 4200]) })).toEqual([[25, 84]]);
    // No pause within reach: the edges stay.
    expect(edited([range(20, 80)], { speech: speech([0, 5000]) })).toEqual([[20, 80]]);
    // But between words there is a gap, 0.3 s before the end.
    expect(edited([range(20, 80)], { speech: speech([0, 5000]), gaps: speech([3650, 3750]) })).toEqual([[20, 74]]);
    // Edges outside of speech stay, also right at its ends.
    expect(edited([range(20, 80)], { speech: speech([1000, 2000], [2500, 4000]) })).toEqual([[20, 80]]);
    expect(edited([range(20, 80)], {})).toEqual([[20, 80]]);
  });

  it('stays inside its take, and leaves a cut only for speech', () => {
    const motion = Float32Array.from({ length: 200 }, (_, frame) => (frame % 100 < 5 ? 9 : 1));
    expect(edited([range(100, 160)], { motion: motion.map((m, f) => (f < 104 ? 9 : m)) })[0]![0]).toBe(100);
    expect(edited([range(100, 160)], { speech: speech([4000, 5300]) })[0]![0]).toBe(106);
    // Speech across the cut ends 0.2 s before it: the clip may not begin in the other take.
    expect(edited([range(100, 160)], { speech: speech([4900, 5700]) })[0]![0]).toBe(100);
  });

  it('moves to where it is clearly calmer', () => {
    const motion = new Float32Array(200).fill(8);
    motion.fill(1, 15, 18);
    expect(edited([range(20, 80)], { motion })).toEqual([[17, 80]]);
    motion.fill(7, 15, 18);
    expect(edited([range(20, 80)], { motion })).toEqual([[20, 80]]);
  });

  it('widens to two seconds inside the take, and not into bad pictures', () => {
    expect(edited([range(40, 60)], {})).toEqual([[30, 70]]);
    expect(edited([range(0, 10)], {})).toEqual([[0, 40]]);
    expect(edited([range(90, 100)], {})).toEqual([[60, 100]]);
    expect(edited([range(40, 60)], {}, { avoid: [range(60, 80)] })).toEqual([[20, 60]]);
    expect(edited([range(40, 60)], {}, { takes: [range(0, 40), range(40, 60), range(60, 200)] })).toEqual([[40, 60]]);
  });

  it('trims the longest clip to the length asked for, down to two seconds', () => {
    expect(edited([range(0, 80), range(110, 160)], {}, { target: 5500 })).toEqual([[0, 60], [110, 160]]); // prettier-ignore
    expect(edited([range(0, 80), range(110, 160)], {}, { target: 1000 })).toEqual([[0, 40], [110, 150]]); // prettier-ignore
    // A film that is less than half a second too short stays as it is.
    expect(edited([range(0, 80)], {}, { target: 4400 })).toEqual([[0, 80]]);
    // The new end is out of speech, too.
    expect(edited([range(0, 80)], { speech: speech([2800, 3300]) }, { target: 3000 })).toEqual([[0, 56]]);
  });

  it('grows clips to the length asked for, up to the longest and inside their takes', () => {
    expect(edited([range(20, 60)], {}, { target: 3000 })).toEqual([[20, 80]]);
    expect(edited([range(60, 100)], {}, { target: 4000 })).toEqual([[20, 100]]);
    expect(edited([range(20, 60)], {}, { target: 9000, longest: 3000 })).toEqual([[20, 80]]);
  });

  it('counts fades and handles', () => {
    // 4 s and 2.5 s that fade over one second are 5.5 s long.
    expect(edited([range(0, 80), range(110, 160)], {}, { target: 5500, fade: 1000 })).toEqual([[0, 80], [110, 160]]); // prettier-ignore
    // Ten frames before and after are a second.
    expect(edited([range(20, 80)], {}, { target: 3000, handles: 10 })).toEqual([[10, 70]]);
  });

  it('leaves what was asked for alone', () => {
    const course = { speech: speech([400, 1250], [3700, 4200]) };
    expect(edited([], course, { target: 1000 }, { exact: [range(20, 80)] })).toEqual([[20, 80]]);
    expect(edited([range(20, 80)], course, { target: 1000 }, { whole: [range(20, 80)] })).toEqual([[20, 80]]);
    expect(edited([range(20, 80)], course, {}, { barred: [range(80, 90)] })).toEqual([[25, 74]]);
    expect(edited([range(20, 80)], course, { maxTicks: 3000 })).toEqual([[25, 84]]);
  });
});

describe('planClips, of takes too short to see', () => {
  /** Takes of 0.2 s. */
  const flashes = Array.from({ length: 50 }, (_, k) => range(4 * k, 4 * k + 4));

  it('runs on across cuts for half a second', () => {
    expect(edited([range(40, 44)], {}, { takes: flashes })).toEqual([[37, 47]]);
    expect(edited([range(0, 4)], {}, { takes: flashes })).toEqual([[0, 10]]);
    // What is asked for exactly stays as it is.
    expect(edited([], {}, { takes: flashes }, { exact: [range(40, 44)] })).toEqual([[40, 44]]);
    expect(edited([range(40, 44)], {}, { takes: flashes, maxTicks: 300 })).toEqual([[39, 45]]);
  });

  it('leaves out what cannot be long enough, unless it is all there is', () => {
    const barred = [range(0, 40), range(44, 60)];
    expect(edited([range(40, 44), range(80, 84)], {}, { takes: flashes }, { barred })).toEqual([[77, 87]]);
    expect(edited([range(40, 44)], {}, { takes: flashes }, { barred })).toEqual([[40, 44]]);
  });
});

describe('clips of several videos', () => {
  const fast = clockOf(Array(400).fill(25));
  const rules = { minTicks: 0, maxTicks: null };
  const edit = {
    takes: [],
    avoid: [],
    findPause: (frame: number) => frame,
    readable: 2000,
    visible: 500,
    longest: 6000,
  };
  const of = (clock: FrameClock, pieces: readonly FrameRange[], { fixed = [] as FrameRange[], most = Infinity } = {}) =>
    editClips(pieces, { fixed, walls: [] }, rules, edit, clock, most);
  const lengths = (...videos: ReturnType<typeof of>[]): number[] =>
    videos.flatMap(({ pieces, clock }) =>
      pieces.map(({ startFrame, endFrame }) => ((endFrame - startFrame) * (clock === fast ? 25 : 50)) / 1000),
    );
  const fit = (target: number, ...videos: ReturnType<typeof of>[]): number[] => {
    const length = (): number => lengths(...videos).reduce((sum, each) => sum + each, 0);
    fitClips(videos, { target, tolerance: 0.5, length, unitOf: () => 0.001 });
    return lengths(...videos);
  };

  it('give what is too much, longest first, whatever their clocks', () => {
    // 4 s at 20 frames per second, and 3 s at 40.
    expect(fit(6, of(twenty, [range(0, 80)]), of(fast, [range(0, 120)]))).toEqual([3, 3]);
    expect(fit(4.5, of(twenty, [range(0, 80)]), of(fast, [range(0, 120)]))).toEqual([2, 2.5]);
    expect(fit(5, of(twenty, [range(0, 80)], { fixed: [range(0, 80)] }), of(fast, [range(0, 120)]))).toEqual([4, 2]);
  });

  it('grow where the film is too short, shortest first, and keep to what one video may give', () => {
    expect(fit(8, of(twenty, [range(0, 60)]), of(fast, [range(0, 80)]))).toEqual([3, 5]);
    expect(fit(8, of(twenty, [range(0, 60)]), of(fast, [range(0, 80)], { most: 2500 }))).toEqual([5.5, 2.5]);
    expect(fit(20, of(twenty, [range(0, 60)]), of(fast, [range(0, 80)]))).toEqual([6, 6]);
  });

  it('are divided among their shots; a shot that is left with a flash gives way', () => {
    const found = [range(0, 40), range(40, 60), range(120, 160)];
    const joined = of(twenty, [range(0, 60), range(120, 160)]);
    const divided = (): unknown[] =>
      divideClips(found, joined, 500).map((clip) => clip && [clip.startFrame, clip.endFrame]);
    expect(divided()).toEqual([[0, 40], [40, 60], [120, 160]]); // prettier-ignore
    joined.pieces[0] = { ...joined.pieces[0]!, endFrame: 52 };
    joined.pieces[1] = { ...joined.pieces[1]!, startFrame: 110 };
    expect(divided()).toEqual([[0, 40], [40, 52], [110, 160]]); // prettier-ignore
    joined.pieces[0] = { ...joined.pieces[0]!, endFrame: 48 };
    expect(divided()).toEqual([[0, 48], null, [110, 160]]);
  });
});

describe('planClips, always', () => {
  const frames = 60;
  const stretch = fc
    .tuple(fc.integer({ min: 0, max: frames - 1 }), fc.integer({ min: 1, max: 15 }))
    .map(([start, length]) => range(start, Math.min(frames, start + length)));
  const cases = fc.record({
    lengths: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: frames, maxLength: frames }),
    starts: fc.uniqueArray(fc.integer({ min: 0, max: 11 }), { maxLength: 6 }),
    exact: fc.array(stretch, { maxLength: 2 }),
    barred: fc.array(stretch, { maxLength: 2 }),
    minTicks: fc.integer({ min: 0, max: 300 }),
    maxTicks: fc.option(fc.integer({ min: 1, max: 300 })),
    handles: fc.integer({ min: 0, max: 6 }),
  });
  const inside = (list: readonly FrameRange[], frame: number): boolean =>
    list.some(({ startFrame, endFrame }) => frame >= startFrame && frame < endFrame);

  it('every frame at most once, none barred, everything exact, ticks that agree with frames', () => {
    fc.assert(
      fc.property(cases, ({ lengths, starts, exact: asked, barred, ...rules }) => {
        const clock = clockOf(lengths);
        const exact = asked.filter(({ startFrame, endFrame }) => !barred.some((bar) => bar.startFrame < endFrame && bar.endFrame > startFrame)); // prettier-ignore
        const shots = starts.map((start) => range(5 * start, 5 * start + 5));
        const clips = planClips({ shots, exact, barred }, rules, clock);
        const tick = (frame: number): number => (frame < frames ? clock.frameTicks[frame]! : clock.endTicks);
        clips.forEach((clip, i) => {
          expect(clip.startFrame).toBeGreaterThan(clips[i - 1]?.endFrame ?? -1);
          expect(clip.endFrame).toBeGreaterThan(clip.startFrame);
          expect([clip.range.start, clip.range.end]).toEqual([tick(clip.startFrame), tick(clip.endFrame)]);
        });
        const isAlone = ({ startFrame, endFrame }: FrameRange): boolean =>
          exact.some((range) => range.startFrame === startFrame && range.endFrame === endFrame);
        for (let frame = 0; frame < frames; frame++) {
          if (inside(barred, frame)) expect(inside(clips, frame)).toBe(false);
          if (inside(exact, frame)) expect(inside(clips, frame)).toBe(true);
          const isKept = rules.maxTicks === null && inside(shots, frame) && !inside(barred, frame);
          if (isKept) expect(inside(clips, frame)).toBe(true);
        }
        if (barred.length > 0 || rules.handles > 0) return;
        for (const clip of clips) {
          const isShort = clip.range.end - clip.range.start < rules.minTicks;
          if (isShort) expect(isAlone(clip) || (clip.startFrame === 0 && clip.endFrame === frames)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});
