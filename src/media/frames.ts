import { toSeconds, type Rational } from '../base/index.js';
import { readStretch, type FrameSource, type StretchRequest } from './stretch.js';
import type { Stretch } from './types.js';

/** A jump decodes from a key picture on, often 250 frames: a shorter gap is cheaper to read through. */
const WORTH_A_JUMP_SECONDS = 10;
/** Stretches read in one go; each takes about 50 characters of a command line, which systems limit. */
const MOST_STRETCHES = 400;

/** A frame of one of several stretches: which, and its presentation time in the source's ticks. */
type SourceFrame = { readonly pixels: Uint8Array; readonly ticks: number; readonly stretch: number };

/** Reads every frame of the stretches, in film order; long gaps are jumped over where `how` allows it. */
export async function* readFrames(
  source: FrameSource,
  stretches: readonly Stretch[],
  how: Omit<StretchRequest, keyof FrameSource | 'stretches'>,
  signal: AbortSignal,
): AsyncGenerator<SourceFrame> {
  let place = 0;
  for (const group of readTogether({ stretches, timeBase: source.timeBase }, how.maySeek)) {
    const reading = await readStretch({ ...source, ...how, stretches: group }, signal);
    try {
      for (let index = 0; ; index++) {
        const pixels = await reading.next();
        const ticks = pixels && (await reading.tickOf(index));
        if (!pixels || ticks === null || ticks === undefined) break;
        while (ticks >= stretches[place]!.end) place++;
        yield { pixels, ticks, stretch: place };
      }
    } finally {
      reading.kill();
    }
  }
}

/** Stretches that one reading covers: those between gaps that are worth a jump. */
export function readTogether(
  { stretches, timeBase }: { readonly stretches: readonly Stretch[]; readonly timeBase: Rational },
  maySeek: boolean,
): Stretch[][] {
  const groups: Stretch[][] = [];
  for (const stretch of stretches) {
    const group = groups.at(-1);
    const gap = toSeconds(stretch.start - (group?.at(-1)?.end ?? stretch.start), timeBase);
    const joins = group && group.length < MOST_STRETCHES && !(maySeek && gap > WORTH_A_JUMP_SECONDS);
    if (joins) group.push(stretch);
    else groups.push([stretch]);
  }
  return groups;
}
