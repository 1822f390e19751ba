import type { SummaryDocument, SummaryShot, VideoSummary } from './document.js';

/** How the summary of one video differs between two records. Shots are those of the record that has them. */
export type SummaryChange = {
  readonly video: string;
  readonly kind: 'added' | 'removed' | 'moved' | 'same';
  /** Shots that are in the summary now and were not before, and the reverse, in film order. */
  readonly came: readonly SummaryShot[];
  readonly went: readonly SummaryShot[];
  /** Shots in both. */
  readonly kept: number;
};

/**
 * How the summary of each video differs between two records, in the order of the later one, removed videos last. Videos
 * are identified by content and shots by their frames, so a new name or place makes no difference.
 */
export function compareSummaries(before: SummaryDocument | null, after: SummaryDocument): SummaryChange[] {
  const earlier = new Map(before?.videos.map((video) => [video.sha256, video]));
  const changes = after.videos.map((video) => {
    const known = earlier.get(video.sha256) ?? null;
    earlier.delete(video.sha256);
    return compareVideos(known, video);
  });
  return [...changes, ...[...earlier.values()].map((video) => compareVideos(video, null))];
}

function compareVideos(before: VideoSummary | null, after: VideoSummary | null): SummaryChange {
  const [old, now] = [chosenOf(before), chosenOf(after)];
  const [oldKeys, nowKeys] = [new Set(old.map(keyOf)), new Set(now.map(keyOf))];
  const came = now.filter((shot) => !oldKeys.has(keyOf(shot)));
  const went = old.filter((shot) => !nowKeys.has(keyOf(shot)));
  const moved = came.length + went.length > 0 ? 'moved' : 'same';
  return {
    video: (after ?? before)!.path,
    kind: before === null ? 'added' : after === null ? 'removed' : moved,
    came,
    went,
    kept: now.length - came.length,
  };
}

function chosenOf(video: VideoSummary | null): SummaryShot[] {
  return video?.shots.filter((shot) => shot.chosen) ?? [];
}

function keyOf({ startFrame, endFrame }: SummaryShot): string {
  return `${startFrame}-${endFrame}`;
}
