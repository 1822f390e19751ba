import { rescale } from '../base/index.js';
import { FILM_FORMATS, planReel, type ReelFilm } from '../export/index.js';
import type { Options } from '../options/index.js';
import { topicClipsOf, type TopicShot } from '../summary/index.js';
import type { OutlinedVideo } from './analyse-videos.js';

type FilmedVideo = Pick<OutlinedVideo, 'id' | 'info' | 'analysis' | 'name'>;
type PlayedShot = Pick<TopicShot, 'video' | 'startFrame' | 'endFrame' | 'range'>;

/** Videos by their ids. */
export function byIdOf<V extends { readonly id: string }>(videos: readonly V[]): Map<string, V> {
  return new Map(videos.map((video) => [video.id, video]));
}

/** Which frames of which sources the film plays, and at which of its own frames. */
export function layOut<S extends PlayedShot>(
  chosen: readonly S[],
  byId: ReadonlyMap<string, FilmedVideo>,
  options: Options,
) {
  const clips = topicClipsOf(chosen);
  const film = filmOf(clips.map(({ video, clip }) => ({ video: byId.get(video)!, clip })), options); // prettier-ignore
  const plan = planReel(film);
  const frameBase = { num: plan.frame.rate.den, den: plan.frame.rate.num };
  const shots = clips.flatMap(({ clip, shots: own }, at) =>
    own.map((shot) => {
      const before = rescale(shot.range.start - clip.range.start, clip.range.base, frameBase);
      return { ...shot, filmFrame: plan.clips[at]!.startFrame + before };
    }),
  );
  return { clips, film, plan, shots };
}

function filmOf(
  clips: readonly { video: FilmedVideo; clip: ReelFilm['clips'][number]['clip'] }[],
  { sound, title, captions, fit, surround, music, fade, format, loudness = 'even' }: Options,
): ReelFilm {
  return {
    clips: clips.map(({ video: { info, analysis, name }, clip }) => ({
      info,
      frameRate: analysis.frameRate,
      isDamaged: analysis.isDamaged,
      clip,
      ...(captions ? { caption: name } : {}),
    })),
    ...(title === undefined ? {} : { title }),
    ...(music === undefined ? {} : { music }),
    ...{ sound, fit, surround, fade, loudness },
    // Sources of several sizes and rates cannot be copied into one film.
    format: FILM_FORMATS[format],
  };
}
