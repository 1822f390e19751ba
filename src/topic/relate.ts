import type { Matrix, TallMatrix } from '../base/index.js';
import { type Double, findDoubles, groupDoubles } from './doubles.js';
import { nearestShots, sketchOf, viewsOf } from './likeness.js';
import { type Belonging, judgeBelonging, type LikenessTable } from './belonging.js';
import type { Votes } from './types.js';

/** How the videos of a topic relate to each other, by their places. */
export type Relations = {
  /** `null` if there are too few videos. Doubles of each other share the belonging of the first of them. */
  readonly belongings: readonly (Belonging | null)[];
  readonly doubles: readonly Double[];
  /** Videos that are doubles of each other, two or more a group. */
  readonly groups: readonly (readonly number[])[];
  readonly votes: Votes;
};

/** If nearer videos count more: a video whose likeness is lower by this much counts 1/e. */
const SIMILAR_SCALE = 0.2;

/**
 * Relates the videos of a topic, given by their features and by how alike they are: which show the same, which do not
 * belong, and how much each counts for the others. A group of doubles counts once, and does not count for its own members.
 * With `similar`, nearer videos count more. A stray counts like any other video: a verdict changes no film.
 */
export function relateVideos(
  videos: readonly TallMatrix[],
  table: LikenessTable | null,
  {
    neighbors = 'equal',
    similarScale = SIMILAR_SCALE,
  }: { neighbors?: 'equal' | 'similar'; similarScale?: number } = {},
): Relations {
  const sketches = videos.map(sketchOf);
  const doubles = findDoubles(sketches);
  const groups = groupDoubles(videos.length, doubles);
  const groupOf = new Map(groups.flatMap((group) => group.map((video) => [video, group])));
  const firstOf = (video: number): number => groupOf.get(video)?.[0] ?? video;

  // A copy is like its original: doubles would vouch for each other.
  const distinct = [...videos.keys()].filter((video) => firstOf(video) === video);
  const judged = table === null ? new Map<number, Belonging>() : judgeBelonging(table, sketches.map(viewsOf), distinct);
  const belongings = videos.map((_, video) => judged.get(firstOf(video)) ?? null);

  const common = videos.map((_, video) => 1 / (groupOf.get(video)?.length ?? 1));
  const compared = neighbors === 'similar' ? sketches.map((sketch) => sketch.some()) : null;
  const special = videos.map((_, video) => {
    const group = groupOf.get(video) ?? [];
    // If all videos are doubles of each other, none of them is left out.
    const isSpecial = group.length > 0 && group.length < videos.length;
    const weights = isSpecial ? common.map((weight, other) => (group.includes(other) ? 0 : weight)) : common;
    if (compared !== null) return bySimilarity(video, weights, compared, similarScale);
    return isSpecial ? weights : null;
  });
  return { belongings, doubles, groups, votes: special.some(Boolean) ? { common, special } : { common } };
}

/** The weights times exp(likeness/scale), scaled so that their sum stays the same: nearer videos count more. */
function bySimilarity(video: number, weights: readonly number[], shots: readonly Matrix[], scale: number): number[] {
  const likeness = weights.map((weight, other) => {
    if (other === video || weight === 0) return -Infinity;
    const { cosine } = nearestShots(shots[video]!, shots[other]!);
    return cosine.reduce((sum, value) => sum + value, 0) / cosine.length;
  });
  const most = Math.max(...likeness);
  const raised = weights.map((weight, other) => weight * Math.exp((likeness[other]! - most) / scale));
  const sumOf = (values: readonly number[]): number =>
    values.reduce((sum, value, other) => (other === video ? sum : sum + value), 0);
  const rest = sumOf(raised);
  return raised.map((weight) => (rest > 0 ? (weight * sumOf(weights)) / rest : 0));
}
