import { lengthInSeconds, toSeconds } from '../base/index.js';
import { strongestOf } from '../export/index.js';
import type { Judged } from '../index.js';
import type { Remark, Selection, Video } from './contract.js';

/** A ranking as the page shows it: times from the first frame, scores against the strongest shot of the video. */
export function selectionOf({ options, videos }: Judged): Selection {
  const { length, shared, method, pin = [], veto = [] } = options;
  return {
    steering: { length, shared, method, pin: [...pin], veto: [...veto] },
    videos: videos.map((video): Video => {
      const { start, end, timeBase } = video.analysis;
      const strongest = strongestOf(video.shots) || 1;
      const seconds = (tick: number): number => toSeconds(tick - start, timeBase);
      return {
        ...{ id: video.id, name: video.name, seconds: seconds(end), remarks: remarksOf(video) },
        chosenSeconds: video.clips.reduce((sum, clip) => sum + lengthInSeconds(clip.range), 0),
        shots: video.shots.map(({ index, range, rank, score, own, shared: common, chosen, pinned, vetoed }) => ({
          ...{ index, from: seconds(range.start), to: seconds(range.end), rank, chosen },
          ...partsOf({ score, own, shared: common }, Math.max(strongest, score)),
          ...{ pinned: pinned === true, vetoed: vetoed === true },
        })),
        clips: video.clips.map(({ range }) => ({ from: seconds(range.start), to: seconds(range.end) })),
      };
    }),
  };
}

function remarksOf({ name, remarks = [], analysis: { warning } }: Judged['videos'][number]): Remark[] {
  const said = remarks.map(({ code, message }): Remark => ({ kind: code, sentence: message }));
  return warning === null ? said : [...said, { kind: 'damaged', sentence: `"${name}" ${warning}` }];
}

function partsOf<T extends Record<string, number>>(numbers: T, whole: number): T {
  return Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, value / whole])) as T;
}
