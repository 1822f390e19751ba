import type { Run } from '../run.js';
import type { Budget, VideoBelonging, VideoStanding } from '../summary/index.js';
import { type Belonging, relateVideos, type Relations, UNRELATED, type Votes } from '../topic/index.js';
import { skip } from './admit.js';
import type { AnalysedVideo } from './analyse-videos.js';
import { compareTopic } from './compare.js';
import { pictureVectors } from './shot-vectors.js';
import { mostCompared } from './limits.js';
import { note } from './note.js';

/** Why a video counts less, with the evidence. */
type Objection = { readonly code: 'stray' | 'double'; readonly message: string };

/** How a video relates to its topic; absent for a single video. */
export type Related = {
  readonly standing?: VideoStanding;
  readonly belonging?: VideoBelonging;
  readonly remarks?: readonly Objection[];
  /** The length of its film if it is not that of the run; `null` if it has none. */
  readonly budget?: Budget | null;
};

type RelatedVideo = AnalysedVideo & Related;

/** The videos of a topic, and how much they count for each other. */
export type RelatedTopic = { readonly videos: readonly RelatedVideo[]; readonly votes: Votes };

/** Compares the videos with each other: finds doubles and strays, and sets how much each video counts. */
export async function relateTopic(videos: readonly AnalysedVideo[], run: Run): Promise<RelatedTopic> {
  const { options } = run;
  if (!isCompared(videos.length, run)) return { videos, votes: { common: videos.map(() => 1) } };
  const table = await compareTopic(videos, options);
  const relations = relateVideos(await pictureVectors(videos, options, run), table, options);
  const originals = originalsOf(videos, relations);
  const ranks = ranksOf(relations);
  const isDropped = (place: number): boolean => options.dropStrays && relations.belongings[place]?.isStray === true;
  const related = videos.map((video, place) => {
    const original = videos[originals[place]!]!;
    const isDouble = original !== video;
    const belonging = relations.belongings[place] ?? null;
    const remarks: Objection[] = [];
    if (belonging?.isStray) {
      const stray = strayMessage(video, belonging, videos[belonging.nearest]!);
      if (isDropped(place)) skip(run, video.name, 'stray', `${stray} It was left out.`);
      else remarks.push({ code: 'stray', message: `${stray} It is used like any other; --drop-strays leaves it out.` });
    }
    if (isDouble && !isDropped(place)) {
      const film =
        run.conceptBudget === null ? '' : ` The film of the topic takes what they show from "${original.name}".`;
      remarks.push({ code: 'double', message: doubleMessage(video, original, relations, place) + film });
    }
    for (const { code, message } of remarks) note(run, code, message);
    return {
      ...video,
      standing: describe(relations, place, isDouble ? original.id : null),
      ...(belonging && { belonging: { ...recordOf(belonging, videos), rank: ranks[place]!, against: table!.against } }),
      remarks,
    };
  });
  const kept = [...related.keys()].filter((place) => !isDropped(place));
  return { videos: kept.map((place) => related[place]!), votes: only(kept, relations.votes) };
}

/** Whether the videos of a topic are compared with each other. If there are too many, a note says so. */
export function isCompared(videoCount: number, run: Run): boolean {
  if (videoCount < 2 || !run.options.relate) return false;
  const most = mostCompared(run);
  if (videoCount <= most) return true;
  note(
    run,
    'not-compared',
    `The topic has ${videoCount} videos, more than the ${most} that are compared with each other: doubles and strays were not looked for, and every video counts the same.`,
  );
  return false;
}

/** For each video, the one it is a double of: the one with the most pixels of those that show the same, then the longest. */
function originalsOf(videos: readonly AnalysedVideo[], { groups }: Relations): number[] {
  const originals = videos.map((_, place) => place);
  const pixels = (place: number): number => videos[place]!.info.widthPx * videos[place]!.info.heightPx;
  const length = (place: number): number => videos[place]!.analysis.shots.length;
  for (const group of groups) {
    const [original] = group.toSorted((a, b) => pixels(b) - pixels(a) || length(b) - length(a) || a - b);
    for (const place of group) originals[place] = original!;
  }
  return originals;
}

/** 1 for the video most like the others; of equals, the earlier first. */
function ranksOf({ belongings }: Relations): number[] {
  const likeness = (place: number): number => belongings[place]?.likeness ?? 0;
  const order = [...belongings.keys()].sort((a, b) => likeness(b) - likeness(a) || a - b);
  return belongings.map((_, place) => order.indexOf(place) + 1);
}

function recordOf(belonging: Belonging, videos: readonly AnalysedVideo[]) {
  const { likeness, least, typical, views, nearest, nearestLikeness } = belonging;
  return { likeness, least, typical, views, nearest: videos[nearest]!.id, nearestLikeness };
}

function describe({ belongings, votes }: Relations, place: number, doubleOf: string | null): VideoStanding {
  const isStray = belongings[place]?.isStray ?? false;
  return { weight: votes.common[place]!, isStray, ...(doubleOf === null ? {} : { doubleOf }) };
}

function strayMessage(
  { name }: AnalysedVideo,
  { likeness, least, nearestLikeness }: Belonging,
  nearest: AnalysedVideo,
): string {
  return (
    `"${name}" does not seem to belong to the topic: its likeness to the other videos is ${likeness.toFixed(2)}, less than half ` +
    `of what the least alike of those have among themselves, ${least.toFixed(2)}. Even "${nearest.name}", the nearest, is ` +
    `no more like it (${nearestLikeness.toFixed(2)}) than unrelated videos (up to ${UNRELATED}).`
  );
}

function doubleMessage(
  video: AnalysedVideo,
  original: AnalysedVideo,
  { doubles, groups }: Relations,
  place: number,
): string {
  const found = doubles.filter(({ first, second }) => first === place || second === place);
  const likeness = Math.max(...found.map((double) => double.likeness));
  const count = groups.find((group) => group.includes(place))!.length;
  return (
    `"${video.name}" shows the same as "${original.name}" in the same order (likeness of their shots: ${likeness.toFixed(2)} ` +
    `or more): the ${count} videos together count once, and not for each other.`
  );
}

/** The votes of some of the videos for each other. */
function only(kept: readonly number[], { common, special }: Votes): Votes {
  const pick = (weights: readonly number[]): number[] => kept.map((place) => weights[place]!);
  if (special === undefined) return { common: pick(common) };
  return { common: pick(common), special: kept.map((place) => (special[place] ? pick(special[place]) : null)) };
}
