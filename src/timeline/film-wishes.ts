import { toSeconds } from '../base/index.js';
import { largestPart, type Clip, type SummaryDocument, type VideoSummary } from '../summary/index.js';
import { shotsIn, videoOf, type PickedClip } from './build.js';
import { nameOf } from './sources.js';

/** Options of a run whose film of the topic plays certain clips and nothing else. */
export type FilmWishes = {
  readonly pin: readonly string[];
  readonly concept: string;
  readonly topicSequence: readonly string[];
};

/**
 * Clips as wishes for the film of the topic: their stretches pinned, a length that they use up, and an order of shots. A film
 * plays each stretch once: what a clip repeats of an earlier one is left out.
 */
export function filmWishes(
  document: SummaryDocument,
  picks: readonly (PickedClip & { readonly where: string })[],
): { wishes: FilmWishes; notes: string[] } {
  const notes: string[] = [];
  const [pin, order] = [[] as string[], [] as string[]];
  const played = new Map<string, Clip[]>();
  let seconds = 0;
  for (const { video: id, clip, where } of picks) {
    const video = videoOf(document, id);
    const before = played.get(id) ?? [];
    const rest = before.reduce((left, other) => left.flatMap((part) => without(part, other)), [clip]);
    const name = `the clip of ${nameOf(video.path)} at ${where}`;
    if (rest.length === 0)
      notes.push(`A film plays each stretch once, so ${name}, which repeats others, was left out.`);
    else if (rest[0] !== clip) notes.push(`A film plays each stretch once: ${name} plays only what others do not.`);
    for (const part of rest) {
      const { base } = part.range;
      const [from, to] = [part.range.start, part.range.end].map((tick) => toSeconds(tick - video.range.start, base));
      pin.push(`${video.path}@${from!.toFixed(3)}-${to!.toFixed(3)}`);
      seconds += to! - from!;
      const shots = shotsOf(video, part).map((index) => `${video.path}#${index + 1}`);
      if (shots.every((shot) => order.includes(shot)) && shots.length > 0)
        notes.push(`The order of a film is one of shots: ${name} plays beside the other part of ${shots.join(', ')}.`);
      order.push(...shots.filter((shot) => !order.includes(shot)));
    }
    played.set(id, [...before, ...rest]);
  }
  // Clips that fade into each other take less time, which nothing else is to fill.
  const fade = Number(document.options['fade'] ?? 0) || 0;
  const length = Math.max(0.001, seconds - fade * Math.max(0, pin.length - 1));
  return { wishes: { pin, concept: `${length.toFixed(3)}s`, topicSequence: order }, notes };
}

/** The shots of a clip that count as pinned by it: at least half of each, and the one with its largest part. */
function shotsOf({ shots }: VideoSummary, clip: Clip): number[] {
  const near = shotsIn(shots, clip);
  const halves = near.filter((shot) => {
    const frames = Math.min(shot.endFrame, clip.endFrame) - Math.max(shot.startFrame, clip.startFrame);
    return 2 * frames >= shot.endFrame - shot.startFrame;
  });
  return [...new Set([...halves.map(({ index }) => index), ...largestPart(clip, near)])].sort((a, b) => a - b);
}

/** What is left of a clip without the frames of another. */
function without(clip: Clip, other: Clip): Clip[] {
  if (other.startFrame >= clip.endFrame || other.endFrame <= clip.startFrame) return [clip];
  const { start, end, base } = clip.range;
  const parts: Clip[] = [];
  if (clip.startFrame < other.startFrame)
    parts.push({
      startFrame: clip.startFrame,
      endFrame: other.startFrame,
      range: { start, end: other.range.start, base },
    });
  if (other.endFrame < clip.endFrame)
    parts.push({ startFrame: other.endFrame, endFrame: clip.endFrame, range: { start: other.range.end, end, base } });
  return parts;
}
