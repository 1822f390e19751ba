import type { Shot } from '../shots/index.js';
import type { Clip } from './document.js';

/** The stretches a film plays, in film order: chosen shots that touch, in frames and in time, become one clip. */
export function clipsOf(chosen: readonly Pick<Shot, 'startFrame' | 'endFrame' | 'range'>[]): Clip[] {
  const clips: Clip[] = [];
  for (const { startFrame, endFrame, range } of chosen.toSorted((a, b) => a.startFrame - b.startFrame)) {
    const last = clips.at(-1);
    if (last !== undefined && last.endFrame === startFrame && last.range.end === range.start) {
      clips[clips.length - 1] = { ...last, endFrame, range: { ...last.range, end: range.end } };
    } else {
      clips.push({ startFrame, endFrame, range: { start: range.start, end: range.end, base: { ...range.base } } });
    }
  }
  return clips;
}
