import type { TopicShot, VideoSummary } from '../../summary/index.js';
import { spreadEvenly } from './importance.js';

/** The most pictures in a page: at about 10 kB each, a browser still opens it at once. */
export const PICTURE_LIMIT = 1500;

/** Which shots are shown with their picture. */
type PictureBudget = { readonly count: number; has(ordinal: number, shotIndex: number): boolean };

/**
 * All shots up to the limit. Beyond it: those of the topic's film, the other chosen ones, their first counterparts, then
 * all others, each group spread evenly over the room that is left.
 */
export function pictureBudget(
  videos: readonly VideoSummary[],
  film: readonly Pick<TopicShot, 'video' | 'shot'>[] = [],
  limit = PICTURE_LIMIT,
): PictureBudget {
  const total = videos.reduce((sum, video) => sum + video.shots.length, 0);
  if (total <= limit) return { count: total, has: () => true };

  const kept = videos.map((video) => new Uint8Array(video.shots.length));
  const ordinals = new Map(videos.map((video, ordinal) => [video.id, ordinal]));
  let count = 0;
  const keep = (wanted: readonly (readonly [number, number])[]): void => {
    const fresh = wanted.filter(([ordinal, shot]) => kept[ordinal]?.[shot] === 0);
    for (const at of spreadEvenly(fresh.length, limit - count)) {
      const [ordinal, shot] = fresh[at] ?? [0, 0];
      const row = kept[ordinal];
      if (row === undefined || row[shot] !== 0) continue;
      row[shot] = 1;
      count++;
    }
  };

  const chosen = videos.flatMap((video, ordinal) =>
    video.shots.flatMap((shot, index) => (shot.chosen ? [{ shot, at: [ordinal, index] as const }] : [])),
  );
  keep(film.flatMap(({ video, shot }) => (ordinals.has(video) ? [[ordinals.get(video)!, shot] as const] : [])));
  keep(chosen.map(({ at }) => at));
  keep(
    chosen.flatMap(({ shot }) => {
      const first = shot.support[0];
      const ordinal = first === undefined ? undefined : ordinals.get(first.video);
      return first === undefined || ordinal === undefined ? [] : [[ordinal, first.shot] as const];
    }),
  );
  keep(videos.flatMap((video, ordinal) => video.shots.map((_, index) => [ordinal, index] as const)));
  return { count, has: (ordinal, shotIndex) => kept[ordinal]?.[shotIndex] === 1 };
}
