import { toSeconds, type Rational } from '../base/index.js';
import { readStretch, type FrameSource, type StretchRequest } from './stretch.js';
import type { Stretch } from './types.js';

/** A jump lands on a key picture, often 250 frames early: a shorter gap is cheaper to decode. */
const WORTH_A_JUMP_SECONDS = 10;
/** Stretches read by one ffmpeg; each takes about 50 characters of the command line, whose length is limited. */
const MOST_STRETCHES = 400;

/** A frame, its presentation time in the source's ticks, and the stretch it is in. */
type SourceFrame = { readonly pixels: Uint8Array; readonly ticks: number; readonly stretch: number };

/** Reads every frame of the stretches, in film order; long gaps are skipped if `how` allows it. */
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

/** Groups stretches that are read together: those between gaps that are worth a jump. */
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
