import type { Shot } from './types.js';
import type { FrameMeasures } from './measures.js';
import type { SampleMeasures } from './measured-samples.js';

/** Everything that can be wrong with the pictures of a shot; `short` is a piece too short to stand alone. */
export const FLAW_KINDS = [
  'black',
  'flat',
  'bars',
  'slate',
  'blurred',
  'shaken',
  'frozen',
  'exposed',
  'damaged',
  'text',
  'short',
] as const;

/** One thing that is wrong with the pictures of a shot. */
export type Flaw = {
  readonly kind: (typeof FLAW_KINDS)[number];
  /** Share of the shot that it affects. */
  readonly share: number;
};

type Frames = Pick<Shot, 'startFrame' | 'endFrame' | 'range' | 'isShort'>;

/** A flaw counts if it affects at least this share of a shot. */
const AFFECTED_SHARE = 0.5;
/** Damage is seen even if it is brief. */
const DAMAGED_SHARE = 0.1;

/** Whether a shot may be chosen although others are left: nothing is wrong with its pictures. */
export function isUsable({ flaws }: { readonly flaws?: readonly Flaw[] | undefined }): boolean {
  return flaws === undefined || flaws.length === 0;
}

/** Shots to be refused, by index: those with flaws; if all have some, those that are not just writing; or none. */
export function refusedShots(flaws: readonly (readonly Flaw[])[]): number[] {
  const shots = [...flaws.keys()];
  const allowed = [
    (shot: number) => isUsable({ flaws: flaws[shot]! }),
    (shot: number) => flaws[shot]!.every(({ kind }) => kind === 'text'),
  ].find((isGood) => shots.some(isGood));
  return allowed ? shots.filter((shot) => !allowed(shot)) : [];
}

/**
 * What is wrong with the pictures of each shot; an empty list if nothing is. Each detector gives the share of the shot that
 * it affects. Writing on a plain ground is text, whatever else the ground looks like.
 */
export function findFlaws(shots: readonly Frames[], measures: FrameMeasures): Flaw[][] {
  const freezes = findFreezes(measures);
  return shots.map((shot) => {
    const samples = samplesIn(shot, measures);
    const ofSamples = (isBad: (sample: SampleMeasures) => boolean): number =>
      samples.length === 0 ? 0 : samples.filter(isBad).length / samples.length;
    const ofFrames = (isBad: (frame: number) => boolean): number => {
      let bad = 0;
      for (let frame = shot.startFrame; frame < shot.endFrame; frame++) if (isBad(frame)) bad++;
      return bad / (shot.endFrame - shot.startFrame);
    };
    const test = testsOf(measures, freezes);
    const moves = median(Array.from(measures.motion.subarray(shot.startFrame + 1, shot.endFrame))) ?? 0;
    const text = moves < PLATE_MOTION ? ofSamples(isText) : 0;
    const shares: readonly [Flaw['kind'], number][] =
      text >= AFFECTED_SHARE
        ? [['text', text]]
        : [
            ['black', ofFrames(test.isBlack)],
            ['flat', ofFrames(test.isFlat)],
            ['bars', ofSamples((sample) => isTestPicture(sample) && sample.columns >= BARS_COLUMNS)],
            ['slate', ofSamples((sample) => isTestPicture(sample) && sample.columns < BARS_COLUMNS)],
            ['blurred', ofSamples(({ steepness }) => steepness < FOCUS_STEEPNESS)],
            ['shaken', shakeOf(shot, measures) >= VIOLENT_SHAKE ? 1 : 0],
            ['frozen', ofFrames(test.isFrozen)],
            ['exposed', ofFrames(test.isBadlyExposed)],
            ['damaged', ofFrames(test.isDamaged)],
          ];
    const short: readonly [Flaw['kind'], number] = ['short', shot.isShort ? 1 : 0];
    return [short, ...shares].flatMap(([kind, share]) =>
      share >= (kind === 'damaged' ? DAMAGED_SHARE : AFFECTED_SHARE) ? [{ kind, share }] : [],
    );
  });
}

/**
 * How good the pictures of a shot are, from 0 to 1, to choose between takes of one view:
 * steepness of edges × 1 / (1 + shake / 0.25) × (1 − ½ |mean brightness − 118| / 137).
 */
export function pictureQuality(shot: Frames, measures: FrameMeasures): number {
  const steepness = median(samplesIn(shot, measures).map((sample) => sample.steepness)) ?? 1;
  let luma = 0;
  for (let frame = shot.startFrame; frame < shot.endFrame; frame++) luma += measures.luma[frame]!;
  const mean = luma / (shot.endFrame - shot.startFrame);
  return (steepness * (1 - (0.5 * Math.abs(mean - 118)) / 137)) / (1 + shakeOf(shot, measures) / 0.25);
}

/** Nothing is seen: 99 % of the picture is darker than this. */
const BLACK_BRIGHT = 36;
/** A picture whose colours deviate by fewer levels than this is flat. */
const FLAT_SPREAD = 2;
/** Too dark: the mean is below the first and 99 % of the picture below the second. Lights in the night are brighter. */
const DARK = { mean: 20, bright: 110 };
/** Too bright: at least this share (in 255ths) is white and 95 % of the picture brighter than `dark`, or than `pale`. */
const GLARING = { clipped: 128, dark: 120, pale: 225 };

function testsOf(measures: FrameMeasures, freezes: Uint8Array) {
  const { luma, dark, bright, spread, clipped, damaged } = measures;
  const isBlack = (frame: number): boolean => bright[frame]! < BLACK_BRIGHT;
  const isFlat = (frame: number): boolean => !isBlack(frame) && spread[frame]! < 4 * FLAT_SPREAD;
  return {
    isBlack,
    isFlat,
    isBadlyExposed: (frame: number): boolean =>
      !isBlack(frame) &&
      !isFlat(frame) &&
      ((luma[frame]! < DARK.mean && bright[frame]! < DARK.bright) ||
        (clipped[frame]! >= GLARING.clipped && dark[frame]! >= GLARING.dark) ||
        dark[frame]! >= GLARING.pale),
    isFrozen: (frame: number): boolean => freezes[frame] === 1,
    isDamaged: (frame: number): boolean => damaged[frame] === 1,
  };
}

/** Edges less steep than this are out of focus. Chosen on blurred footage: bench/pictures. */
const FOCUS_STEEPNESS = 0.25;
/** Writing × ground of a plate, at least. Chosen by looking at what it finds in real footage. */
const PLATE = 0.25;
/** Strokes per 1000 pixels of a plate, at least, and levels of motion, at most: lit windows move with the camera. */
const PLATE_STROKES = 1;
const PLATE_MOTION = 0.5;

function isText({ ground, strokes, written }: SampleMeasures): boolean {
  return strokes >= PLATE_STROKES && written * ground >= PLATE;
}

/** Bars are the same in all rows of the upper half. */
const BARS_COLUMNS = 0.9;

/** All six pure colours, on plain areas. */
function isTestPicture({ primaries, plain }: SampleMeasures): boolean {
  return primaries >= 0.02 && plain >= 0.6;
}

/** Widths per second beyond which a camera is shaken violently. Handheld footage is below 0.2. */
const VIOLENT_SHAKE = 0.5;

/**
 * v_t = move of the picture in widths per second;  shake = median over the shot of |v_t − mean of v within ± 0.25 s|.
 * A pan has the same v for a while and does not count.
 */
function shakeOf({ startFrame, endFrame, range }: Frames, { moveX, moveY }: FrameMeasures): number {
  const seconds = ((range.end - range.start) * range.base.num) / range.base.den;
  const perSecond = (endFrame - startFrame) / seconds;
  const reach = Math.max(1, Math.round(perSecond / 4));
  // The first frame is compared with another shot.
  const first = startFrame + 1;
  const shakes: number[] = [];
  for (let frame = first; frame < endFrame; frame++) {
    const [from, to] = [Math.max(first, frame - reach), Math.min(endFrame, frame + reach + 1)];
    let [x, y] = [0, 0];
    for (let near = from; near < to; near++) {
      x += moveX[near]! / (to - from);
      y += moveY[near]! / (to - from);
    }
    shakes.push((Math.hypot(moveX[frame]! - x, moveY[frame]! - y) / MOVES_A_WIDTH) * perSecond);
  }
  return median(shakes) ?? 0;
}

/** Eighths of a pixel in the width of the small picture. */
const MOVES_A_WIDTH = 8 * 64;

/** Less motion than this, in levels, is none; encoders let a picture that is held drift by up to the second. */
const STILL = 0.1;
const HELD = 0.5;
/** Footage around a freeze moves at least this much, and so many times as much as the held picture. */
const MOVING = 0.4;
const CONTRAST = 8;
/** The motion next to a freeze is at least this share of that around it: a camera that comes to rest slows down. */
const ABRUPT = 0.5;
/** Frames that a freeze lasts at least, and frames on either side of it that show whether the footage moves. */
const FREEZE_FRAMES = 12;
const AROUND_FRAMES = 8;
/** A change by more levels is a cut. */
const CUT = 20;
/** Where more than this share of all frames is still, as in a slide show or on a screen, nothing is frozen. */
const STILL_SHARE = 0.4;

/**
 * A freeze is a run of at least 12 frames with hardly any motion, in footage that moves clearly just before and just after it,
 * and stops and goes on abruptly. Where a run begins with a cut it is a still: slides and title cards are no freezes, nor is
 * anything in a video of stills.
 */
function findFreezes({ motion }: FrameMeasures): Uint8Array {
  const frozen = new Uint8Array(motion.length);
  if (motion.filter((m) => m < STILL).length > STILL_SHARE * motion.length) return frozen;
  /** Whether the footage of some frames moves, and does so in the one next to the run. */
  const movesIn = (from: number, next: number, drift: number): boolean => {
    const around = Array.from(motion.subarray(Math.max(1, from), Math.max(1, from + AROUND_FRAMES)));
    if (around.length < AROUND_FRAMES || around.some((m) => m >= CUT)) return false;
    const usual = median(around)!;
    return usual >= Math.max(MOVING, CONTRAST * drift) && motion[next]! >= ABRUPT * usual;
  };
  for (let frame = 1; frame < motion.length; frame++) {
    if (motion[frame]! >= HELD) continue;
    let end = frame;
    while (end < motion.length && motion[end]! < HELD) end++;
    const drift = motion.subarray(frame, end).reduce((sum, each) => sum + each, 0) / (end - frame);
    // The picture before the run is the one that is held; the first change after it is a jump to where the footage is by then.
    const resumes = end === motion.length || movesIn(end + 1, end + 1, drift);
    if (end - frame >= FREEZE_FRAMES && movesIn(frame - AROUND_FRAMES, frame - 1, drift) && resumes)
      frozen.fill(1, frame, end);
    frame = end;
  }
  return frozen;
}

function samplesIn({ startFrame, endFrame }: Frames, { samples }: FrameMeasures): readonly SampleMeasures[] {
  const from = firstAt(samples, startFrame);
  let to = from;
  while (to < samples.length && samples[to]!.frame < endFrame) to++;
  return samples.slice(from, to);
}

/** The first sample at or after a frame. */
function firstAt(samples: readonly SampleMeasures[], frame: number): number {
  let [low, high] = [0, samples.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (samples[middle]!.frame < frame) low = middle + 1;
    else high = middle;
  }
  return low;
}

function median(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
