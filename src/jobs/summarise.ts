import { parsePictures } from '../export/index.js';
import type { Run } from '../run.js';
import {
  counterpartsAmong,
  cutVideo,
  type EvidenceOptions,
  mostCompared,
  openMeasure,
  othersWanted,
  pictureVectors,
  rankVideo,
  renderVideos,
  viewsOfVideo,
  weigher,
  wishesOf,
} from '../stages/index.js';
import { decodeMoment, encodeMoment, mergeMoments, momentOf, type Moment } from '../topic/index.js';
import { CHUNK, chunksOf, placesOf, rootLevel } from './chunks.js';
import { membersOf, recall, recallShots, rosterOf, saidIn, votesOf, type OpenTopic } from './open-topic.js';
import type { Member, Ranked, Roster } from './records.js';
import { featureReader, vectorsOfTopic } from './vectors.js';

/** Adds up one node of the tree of the topic's moment. */
export async function addMoment({ level, node }: { level: number; node: number }, topic: OpenTopic): Promise<Buffer> {
  const { count } = await rosterOf(topic);
  let sum: Moment | null = null;
  const add = (moment: Moment): void => void (sum = mergeMoments(sum ? [sum, moment] : [moment]));
  if (level === 0) {
    const featuresOf = featureReader(topic, () => membersOf(topic, count));
    for (const member of await membersOf(topic, count, node)) add(momentOf(await featuresOf(member), member.weight));
  } else {
    let below = count;
    for (let at = 0; at < level; at++) below = chunksOf(below);
    for (const child of placesOf(node, below)) add(await readMoment(level - 1, child, topic));
  }
  return encodeMoment(sum!);
}

async function readMoment(level: number, node: number, { objects, names }: OpenTopic): Promise<Moment> {
  return decodeMoment((await objects.read(names.moment(level, node))) ?? Buffer.alloc(0));
}

/** Ranks one video against the topic, cuts the ranking to length, and makes its film and pictures. */
export async function summariseVideo(place: number, topic: OpenTopic): Promise<Ranked> {
  const { run } = topic;
  const around = await lookAround(place, await rosterOf(topic), topic);
  const video = await recallShots(around.own, topic);
  const wishes = await wishesOf(video, topic.wishes);
  const { ranking: ranks, supportersOf } = await rankVideo(place, around, wishes, run);
  const ranking = { ...ranks, views: await around.views() };
  const ranked = await cutVideo(video, ranking, NOBODY, wishes, run);
  const chosen = ranked.shots.flatMap((shot) => (shot.chosen ? [shot.index] : []));
  const support = await supportersOf(chosen);
  const shownOf = await counterpartsAmong(chosen, place, around, run);
  const shown = shownOf.flatMap((each, at) => (each ? [{ shot: chosen[at]!, shown: each }] : []));
  const source = needsSource(run) ? await topic.withSource(await topic.input(around.own.input)) : {};
  const [made] = await renderVideos([{ ...ranked, ...source }], run);
  const { film, storyboard, pictures } = made!;
  const { order, places, scores, own, shared, evidence, views } = ranking;
  return {
    ranking: {
      ...{ order, places, views, support, shown, solver: ranked.solver },
      ...{ scores: [...scores], own: [...own], shared: [...shared] },
      evidence: evidence && {
        total: [...evidence.total],
        terms: Object.fromEntries(Object.entries(evidence.terms).map(([name, values]) => [name, [...values]])),
      },
    },
    made: { film, storyboard, pictures },
    ...saidIn(run),
  };
}

/** Supporters and counterparts are worked out after the cut, for the chosen shots alone. */
const NOBODY = { supportOf: () => [], shownOf: (shots: readonly number[]) => shots.map(() => undefined) };

function needsSource({ options: { films, preview, pictures } }: Run): boolean {
  return films || preview !== 'none' || parsePictures(pictures)!.has('stills');
}

/** The topic as one video needs it for its ranking: the other members, as far as they matter, and the moment. */
async function lookAround(place: number, { count, inBackground }: Roster, topic: OpenTopic) {
  const others = othersWanted(topic.run, count);
  const needsAll = count <= mostCompared(topic.run) || others === 'shots';
  const first = needsAll ? 0 : Math.floor(place / CHUNK) * CHUNK;
  const members = await membersOf(topic, count, needsAll ? undefined : first / CHUNK);
  const read = featureReader(topic, () => membersOf(topic, count));
  const at = (where: number): Member => members[where - first]!;
  const seen = async () => {
    const video = await recall(at(place), topic);
    const [looks] = await pictureVectors([video], topic.run.options, topic.run);
    return { video, looks: looks! };
  };
  return {
    own: at(place),
    moment: others === 'moment' ? await readMoment(rootLevel(count), 0, topic) : null,
    // In a topic too large to compare every pair, all videos count the same.
    votes: needsAll ? votesOf(members) : { count },
    featuresOf: (where: number) => read(at(where)),
    idOf: (where: number) => at(where).id,
    count,
    looksOf: async (where: number) => (await pictureVectors([await recall(at(where), topic)], topic.run.options, topic.run))[0]!, // prettier-ignore
    measure: async () => {
      const alike = (): Promise<number> => vectorsOfTopic(members, topic).alike();
      return openMeasure(await recall(at(place), topic), new Set(inBackground), topic.run.options, alike);
    },
    weigh: async (options: EvidenceOptions) => {
      const { video, looks } = await seen();
      return weigher(video, looks, options, new Set(inBackground));
    },
    views: async () => {
      const { video, looks } = await seen();
      return viewsOfVideo(video, looks, topic.run.options);
    },
  };
}
