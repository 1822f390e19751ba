import type { FrameRange } from '../shots/index.js';
import { clipsOf, type EditableClips } from './clips.js';
import { clipOf, ticksOf } from './clock.js';
import type { Clip, TopicShot } from './document.js';

/** A stretch of one video that the film of a topic plays without a cut, and the shots it is made of. */
export type TopicClip<S extends FilmShot = TopicShot> = {
  readonly video: string;
  readonly clip: Clip;
  readonly shots: readonly S[];
};
type FilmShot = Pick<TopicShot, 'video' | 'startFrame' | 'endFrame' | 'range'>;

/** The stretches a film of many videos plays, in its order: shots that follow each other in one video become one clip. */
export function topicClipsOf<S extends FilmShot>(shots: readonly S[]): TopicClip<S>[] {
  const clips: TopicClip<S>[] = [];
  for (const shot of shots) {
    const last = clips.at(-1);
    const joined = last?.video === shot.video ? clipsOf([last.clip, shot]) : [];
    if (last !== undefined && joined.length === 1 && joined[0]!.startFrame === last.clip.startFrame) {
      clips[clips.length - 1] = { video: last.video, clip: joined[0]!, shots: [...last.shots, shot] };
    } else clips.push({ video: shot.video, clip: clipsOf([shot])[0]!, shots: [shot] });
  }
  return clips;
}

/**
 * What shots of one video play of its edited clips: each from its own start, the first of a clip from the start of the clip,
 * to the start of the next or the end of the clip. A shot that is left with less than `visible` ticks gives way to its
 * neighbour; `null` for those that play nothing.
 */
export function divideClips(
  plays: readonly FrameRange[],
  { pieces, origins, clock }: Pick<EditableClips, 'pieces' | 'origins' | 'clock'>,
  visible: number,
): (Clip | null)[] {
  const parts = plays.map((): FrameRange | null => null);
  for (const [at, { startFrame, endFrame, fixed }] of pieces.entries()) {
    const origin = origins[at]!;
    let members = [...plays.keys()]
      .filter((place) => plays[place]!.startFrame < origin.endFrame && plays[place]!.endFrame > origin.startFrame)
      .sort((a, b) => plays[a]!.startFrame - plays[b]!.startFrame);
    const edgeOf = (nth: number): number => {
      const member = members[nth];
      if (nth === 0) return startFrame;
      return member === undefined ? endFrame : Math.max(startFrame, Math.min(endFrame, plays[member]!.startFrame));
    };
    const partOf = (nth: number): FrameRange => ({ startFrame: edgeOf(nth), endFrame: edgeOf(nth + 1) });
    while (members.length > 1 && !fixed) {
      const tooShort = members.findIndex((_, nth) => ticksOf(partOf(nth), clock) < visible);
      if (tooShort < 0) break;
      members = members.filter((_, nth) => nth !== tooShort);
    }
    for (const [nth, place] of members.entries()) parts[place] = partOf(nth);
  }
  return parts.map((part) => part && clipOf(part, clock));
}
