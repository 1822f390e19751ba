import { clipsOf } from './clips.js';
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
