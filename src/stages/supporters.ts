import { inOrder, type TallMatrix } from '../base/index.js';
import type { Run } from '../run.js';
import {
  explain,
  explainInParts,
  isCvsRanking,
  knobsOf,
  type MethodChoice,
  type Part,
  type Ranking,
} from '../select/index.js';
import type { Support } from '../summary/index.js';
import { weightsFor, type Problem, type TopicFacts } from '../topic/index.js';
import { mostCompared } from './limits.js';
import type { RelatedTopic } from './relate.js';

/** Supporters named for each chosen shot; the others are too weak to mean much. */
const SUPPORTERS = 5;

/** Videos read before their turn comes: a store may answer late. */
export const READ_AHEAD = 16;

/** A video that was ranked: its shots, the method, and the result. */
type Solved = {
  readonly shots: Pick<Problem<TallMatrix>, 'features' | 'pinned' | 'evidence'>;
  readonly ranking: Ranking;
  readonly choice: MethodChoice;
};

/** The topic around one of its videos. Videos are read when asked for, and need not all be in memory. */
export type Surroundings = TopicFacts & {
  featuresOf(video: number): Promise<TallMatrix>;
  idOf(video: number): string;
};

/** A shot, and the videos that support it, strongest first. */
export type Supported = { readonly shot: number; readonly by: readonly Support[] };

/** Tells who supports a shot of the video at a place, strongest first: nobody in a topic too large to compare videos. */
export function supportersIn(
  solved: readonly Solved[],
  { videos, votes }: RelatedTopic,
  run: Run,
): (place: number) => (shot: number) => Support[] {
  if (votes.common.length > mostCompared(run)) return () => () => [];
  const explainVideo = (place: number): ((shot: number) => Support[]) => {
    const { shots, ranking, choice } = solved[place]!;
    const others = weightsFor(place, votes).flatMap((weight, other) =>
      weight === 0 ? [] : [{ id: videos[other]!.id, features: solved[other]!.shots.features, weight }],
    );
    const why: ReturnType<typeof explain> = isCvsRanking(ranking)
      ? explain(shots, ranking, knobsOf(choice))
      : (shot) => [...(ranking.support?.[shot] ?? [])];
    return (shot) => strongest(why(shot, others), (neighbor) => others[neighbor]!.id);
  };
  // Shots are asked about video by video: what explains the last of them is enough to keep.
  let last: { readonly place: number; readonly supportOf: (shot: number) => Support[] } | null = null;
  return (place) => (shot) => {
    if (last?.place !== place) last = { place, supportOf: explainVideo(place) };
    return last.supportOf(shot);
  };
}

/** The same for some shots, while the other videos are read one after the other and a few numbers are kept of each. */
export async function supportersAmong(
  asked: readonly number[],
  place: number,
  { votes, featuresOf, idOf }: Surroundings,
  { shots, ranking, choice }: Solved,
  run: Run,
): Promise<Supported[]> {
  const nobody = asked.map((shot) => ({ shot, by: [] }));
  if ('count' in votes || votes.common.length > mostCompared(run)) return nobody;
  const weights = weightsFor(place, votes);
  const others = [...weights.keys()].filter((other) => weights[other] !== 0);
  const nameStrongest = (shot: number, found: readonly Found[]): Supported => ({
    shot,
    by: strongest(found, (neighbor) => idOf(others[neighbor]!)),
  });
  if (!isCvsRanking(ranking)) return asked.map((shot) => nameStrongest(shot, ranking.support?.[shot] ?? []));
  if (!asked.some((shot) => ranking.shared[shot]! > 0)) return nobody;
  const { partsOf, shareOut } = explainInParts(shots, ranking, knobsOf(choice));
  const rows = asked.map((shot) => ({ shot, partOf: partsOf(shot), parts: [] as Part[] }));
  let seen = 0;
  for await (const features of inOrder(others, READ_AHEAD, featuresOf)) {
    const source = { features, weight: weights[others[seen++]!]! };
    for (const { partOf, parts } of rows) parts.push(partOf(source));
  }
  return rows.map(({ shot, parts }) => nameStrongest(shot, shareOut(parts)));
}

type Found = ReturnType<ReturnType<typeof explain>>[number];

function strongest(found: readonly Found[], idOf: (neighbor: number) => string): Support[] {
  return found
    .flatMap(({ neighbor, share, shot }) =>
      share > 0 && shot !== null ? [{ video: idOf(neighbor), share, shot }] : [],
    )
    .sort((a, b) => b.share - a.share)
    .slice(0, SUPPORTERS);
}
