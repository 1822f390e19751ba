import fc from 'fast-check';

import { rescale, type Rational } from '../base/index.js';
import { clipsOf, type SummaryDocument, type VideoSummary } from '../summary/index.js';
import { sampleDocument, sampleShot, sampleVideo } from '../render/report/sample.case.js';

export const RATES = {
  '23.976': { num: 24_000, den: 1001 },
  '24': { num: 24, den: 1 },
  '25': { num: 25, den: 1 },
  '29.97': { num: 30_000, den: 1001 },
  '30': { num: 30, den: 1 },
  '50': { num: 50, den: 1 },
  '59.94': { num: 60_000, den: 1001 },
  '60': { num: 60, den: 1 },
} as const satisfies Record<string, Rational>;

export type Footage = {
  readonly path?: string;
  /** Steady rate; null lets every frame last as long as `frameTicks` says. */
  readonly rate: Rational | null;
  readonly base: Rational;
  /** Ticks a frame lasts, over and over; for varying rates. */
  readonly frameTicks?: readonly number[];
  /** Frames of each shot. */
  readonly shots: readonly number[];
  readonly chosen: readonly number[];
  readonly startTick?: number;
  readonly change?: Partial<VideoSummary>;
};

/** A video as the summary records it, ticks made as a muxer makes them: the nearest to the exact time. */
export function footage(id: string, spec: Footage): VideoSummary {
  const frames = spec.shots.reduce((sum, length) => sum + length, 0);
  const start = spec.startTick ?? 0;
  const cycle = spec.frameTicks ?? [1];
  const ticks = [start];
  for (let frame = 1; frame <= frames; frame++) {
    const tick = spec.rate
      ? start + rescale(frame, { num: spec.rate.den, den: spec.rate.num }, spec.base)
      : ticks[frame - 1]! + cycle[(frame - 1) % cycle.length]!;
    ticks.push(tick);
  }
  let first = 0;
  const shots = spec.shots.map((length, index) => {
    const [startFrame, endFrame] = [first, first + length];
    first = endFrame;
    const chosen = spec.chosen.includes(index);
    const range = { start: ticks[startFrame]!, end: ticks[endFrame]!, base: spec.base };
    return sampleShot(index, { startFrame, endFrame, range, chosen, own: 0.6, shared: 0.8, score: 1 });
  });
  return sampleVideo(id, shots, {
    path: spec.path ?? `${id}.mp4`,
    frameRate: spec.rate,
    timeBase: spec.base,
    frames,
    range: { start, end: ticks[frames]!, base: spec.base },
    clips: clipsOf(shots.filter((shot) => shot.chosen)),
    film: null,
    storyboard: null,
    ...spec.change,
  });
}

/** Names that break careless writers. */
export const AWKWARD_NAMES = [
  'a b "c" & <d>.mp4',
  '-rf 100%25.mp4',
  '日本語 é.mov',
  "it's (1) #2?;x.mp4",
  'sub/dir/two.mp4',
  'other/dir/two.mp4',
  '=SUM(A1).mkv',
  'new\nline\ttab.mp4',
  'x-->y--.mp4',
  '.hidden',
];

const timecodes = (rate: Rational): fc.Arbitrary<string | undefined> => {
  const canDrop = rate.den === 1001 && rate.num % 30_000 === 0;
  return fc.constantFrom(
    undefined,
    '00:00:00:00',
    '01:00:00:00',
    '10:59:59:23',
    ...(canDrop ? ['01:00:00;00', '00:09:59;02'] : []),
  );
};

/** Any video of realistic shots: steady at a standard rate on some clock, or varying. */
function anyFootage(
  id: string,
  options: { varying?: boolean; names?: readonly string[] } = {},
): fc.Arbitrary<VideoSummary> {
  const shots = fc.array(fc.integer({ min: 1, max: 96 }), { minLength: 1, maxLength: 8 });
  const path = fc.constantFrom(...(options.names ?? [`${id}.mp4`]));
  const steady = fc
    .record({
      rate: fc.constantFrom(...Object.values(RATES), { num: 15, den: 1 }, { num: 120, den: 1 }),
      clock: fc.constantFrom(90_000, 1000, 60_000),
      shots,
      path,
      startTick: fc.constantFrom(0, 324_000_000, 7),
      mask: fc.infiniteStream(fc.boolean()),
    })
    .chain((spec) => timecodes(spec.rate).map((timecode) => ({ ...spec, timecode })))
    .map(({ rate, clock, shots: lengths, path: name, startTick, mask, timecode }) => {
      const chosen = [...lengths.keys()].filter(() => mask.next().value);
      return footage(id, {
        path: name,
        rate,
        base: { num: 1, den: clock },
        shots: lengths,
        chosen: chosen.length > 0 ? chosen : [0],
        startTick,
        change: timecode === undefined ? {} : { timecode },
      });
    });
  const varying = fc
    .record({
      frameTicks: fc.array(fc.integer({ min: 25, max: 60 }), { minLength: 1, maxLength: 5 }),
      shots: fc.array(fc.integer({ min: 8, max: 96 }), { minLength: 1, maxLength: 8 }),
      path,
      mask: fc.infiniteStream(fc.boolean()),
    })
    .map(({ frameTicks, shots: lengths, path: name, mask }) => {
      const chosen = [...lengths.keys()].filter(() => mask.next().value);
      return footage(id, {
        path: name,
        rate: null,
        base: { num: 1, den: 1000 },
        frameTicks,
        shots: lengths,
        chosen: chosen.length > 0 ? chosen : [0],
      });
    });
  return options.varying === false
    ? steady
    : fc.oneof({ weight: 3, arbitrary: steady }, { weight: 1, arbitrary: varying });
}

/** A topic of one to four such videos with awkward, different names. */
export const anyDocument: fc.Arbitrary<SummaryDocument> = fc
  .shuffledSubarray([...AWKWARD_NAMES], { minLength: 1, maxLength: 4 })
  .chain((names) => fc.tuple(...names.map((name, at) => anyFootage(`v${at}`, { names: [name] }))))
  .map((videos) => sampleDocument(videos));

/** The topic of the golden files: four rates on one timeline, timecode, a file that starts at one hour, odd names. */
export function mixedTopic(): SummaryDocument {
  const audio = (...channels: number[]) => ({
    audioTracks: channels.length,
    audio: channels.map((count, at) => ({ channels: count, language: at === 1 ? 'fra' : null })),
  });
  return sampleDocument(
    [
      footage('drone', {
        path: 'day 1/Drone & "harbour" <1>.mov',
        rate: RATES['29.97'],
        base: { num: 1, den: 30_000 },
        shots: [60, 90, 45, 75, 90],
        chosen: [1, 3],
        change: { timecode: '01:00:00;00', ...audio(2) },
      }),
      footage('pier', {
        path: 'day 1/Pier – café.ts',
        rate: RATES['25'],
        base: { num: 1, den: 90_000 },
        shots: [50, 61, 40],
        chosen: [1],
        startTick: 324_000_000,
        change: { widthPx: 1280, heightPx: 720, ...audio(2, 1, 6) },
      }),
      footage('phone', {
        path: '-phone 100%.mp4',
        rate: null,
        base: { num: 1, den: 1000 },
        frameTicks: [33, 34, 40, 28],
        shots: [64, 48, 70],
        chosen: [0, 2],
        change: { widthPx: 1080, heightPx: 1920, audioTracks: 1 },
      }),
      footage('slow', {
        path: 'slow.mp4',
        rate: RATES['59.94'],
        base: { num: 1, den: 60_000 },
        shots: [33, 95, 40],
        chosen: [1],
        change: { sampleAspect: { num: 4, den: 3 }, audioTracks: 0, timecode: '00:59:59:30' },
      }),
    ],
    { topic: 'Harbour & pier' },
  );
}
