import { mapLimited, inOrder, type TallMatrix } from '../base/index.js';
import { CHUNK, chunksOf, placesOf, rootLevel } from './tasks.js';
import { otherEngine } from './engine.js';
import {
  recall,
  recallShots,
  messagesIn,
  say,
  standingOf,
  type OpenTopic,
  membersOf,
  rosterOf,
  votesOf,
  muted,
} from './open-topic.js';
import {
  READ_AT_ONCE,
  requireRecords,
  writeRecord,
  type Extracted,
  type Member,
  type Roster,
  type Ranked,
  readRecord,
  requireRecord,
  type AdmittedVideo,
  type Filmed,
  type GivenVideo,
} from './records.js';
import { parsePictures } from '../render/index.js';
import {
  type Run,
  allot,
  analyseEach,
  embeddedSources,
  type Extent,
  extentOf,
  findTwins,
  isCompared,
  relateTopic,
  requireSome,
  noteLostWishes,
  noteShortcuts,
  noteLimits,
  wishesOf,
  counterpartsAmong,
  cutVideo,
  type EvidenceOptions,
  maxCompared,
  openMeasure,
  othersWanted,
  pictureVectors,
  rankVideo,
  renderVideos,
  viewsOfVideo,
  weigher,
  chooseConcept,
  publishEach,
  renderConcept,
  type RankedVideo,
  type RenderedVideo,
  shotVectors,
  SAMPLED,
  type Video,
  sampleShots,
  spreadOver,
  type ShotVectors,
} from '../pipeline/index.js';
import {
  decodeMoment,
  encodeMoment,
  mergeMoments,
  momentOf,
  type Moment,
  alikeFrom,
  evenly,
  sumOfShots,
} from '../topic/index.js';
import { resultOptions } from '../options/index.js';
import { checkRanges } from '../summary/index.js';

/** Opens and analyses one video. A fault of the video goes into the record; only errors that may pass are thrown. */
export async function extractVideo(index: number, topic: OpenTopic): Promise<Extracted> {
  const { run, head } = topic;
  const given = await topic.given(index);
  const admitted = await topic.admit(given);
  const [video] = admitted ? await analyseEach([admitted], run) : [];
  const made = video && `${video.extractor.name} ${video.extractor.version}`;
  if (made !== undefined && made !== head.extractor) throw otherEngine(`the features "${head.extractor}"`, `"${made}"`);
  return {
    input: admitted && asInput(given, admitted),
    video: video ? { extractor: video.extractor, readWhole: video.analysis.readWhole, extent: extentOf(video) } : null,
    ...messagesIn(run),
  };
}

function asInput(given: GivenVideo, { sha256, info: { path: _path, ...info } }: Video): AdmittedVideo {
  return { ...given, sha256, info };
}

/** Decides which videos are in the topic and how much each counts, and stores the list of members. */
export async function makeRoster(topic: OpenTopic): Promise<Roster> {
  const { run, names, objects, head } = topic;
  const known = requireSome(await extractedVideos(topic), run);
  noteShortcuts(known, run);
  const members = isCompared(known.length, run)
    ? await relateMembers(known, topic)
    : known.map((video) => ({ ...video, weight: 1, special: null }));
  noteLostWishes(members, topic.wishes, run);
  noteLimits(members, run);
  const allotted = allot(members, topic.wishes, run);
  const wished = new Set(Object.values(head.wishes).flatMap((wishes) => wishes.map(({ video }) => video)));
  // An impossible wish is refused here, once, before any video is ranked.
  for (const member of members) {
    if (wished.has(member.name)) await wishesOf(await recallShots(member, topic), topic.wishes);
  }
  const placed = members.map((member, index) => bare({ ...member, ...allotted[index] }));
  for (let chunk = 0; chunk < chunksOf(members.length); chunk++) {
    await writeRecord(objects, names.rosterChunk(chunk), placed.slice(chunk * CHUNK, (chunk + 1) * CHUNK));
  }
  return { count: members.length, inBackground: await hashesInBackground(members, topic), ...messagesIn(run) };
}

/** Which members the embedded background has rows of: a topic is compared without its own footage. */
async function hashesInBackground(members: readonly Pick<Member, 'input'>[], topic: OpenTopic): Promise<string[]> {
  const sources = await embeddedSources();
  const own = new Set<string>();
  for (const { input } of members) {
    const { sha256 } = await topic.input(input);
    if (sources.has(sha256)) own.add(sha256);
  }
  return [...own].sort();
}

type Known = Pick<Member, 'input' | 'id' | 'name' | 'extractor'> & {
  readonly analysis: { readWhole: string | null };
  readonly extent: Extent;
};

function bare({ input, id, name, extractor, weight, special, ...related }: Member): Member {
  return { input, id, name, extractor, weight, special, ...standingOf(related) };
}

async function extractedVideos(topic: OpenTopic): Promise<Known[]> {
  const { run, names, objects, head } = topic;
  say(head, run);
  const gathered = Array.from({ length: chunksOf(head.videos) }, (_, chunk) => names.gathered('extract', chunk));
  const records = (await requireRecords<Extracted[]>(objects, gathered)).flat();
  const known: Known[] = [];
  const isTwin = findTwins(run);
  const lengths = new Map<string, number | null>();
  for (const [place, { input, video, ...said }] of records.entries()) {
    if (input !== null && isTwin(input)) continue;
    say(said, run);
    if (input === null) continue;
    const { id, name } = input;
    lengths.set(name, input.info.durationHint);
    if (video === null) continue;
    const { extractor, readWhole, extent } = video;
    known.push({ input: place, id, name, extractor, extent, analysis: { readWhole } });
  }
  checkRanges(topic.wishes, lengths);
  return known;
}

async function relateMembers(known: readonly Known[], topic: OpenTopic): Promise<(Member & Known)[]> {
  const videos = await mapLimited(known, READ_AT_ONCE, (each) => recall(each, topic));
  const related = await relateTopic(videos, topic.run);
  const knownOf = new Map(known.map((each) => [each.id, each]));
  return related.videos.map((video, index) => ({
    ...video,
    input: knownOf.get(video.id)!.input,
    extent: knownOf.get(video.id)!.extent,
    weight: related.votes.common[index]!,
    special: related.votes.special?.[index] ?? null,
  }));
}

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
export async function summariseVideo(index: number, topic: OpenTopic): Promise<Ranked> {
  const { run } = topic;
  const around = await lookAround(index, await rosterOf(topic), topic);
  const video = await recallShots(around.own, topic);
  const wishes = await wishesOf(video, topic.wishes);
  const { ranking: ranks, supportersOf } = await rankVideo(index, around, wishes, run);
  const ranking = { ...ranks, views: await around.views() };
  const ranked = await cutVideo(video, ranking, NOBODY, wishes, run);
  const chosen = ranked.shots.flatMap((shot) => (shot.chosen ? [shot.index] : []));
  const support = await supportersOf(chosen);
  const shownOf = await counterpartsAmong(chosen, index, around, run);
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
    ...messagesIn(run),
  };
}

/** Supporters and counterparts are worked out after the cut, for the chosen shots alone. */
const NOBODY = { supportOf: () => [], shownOf: (shots: readonly number[]) => shots.map(() => undefined) };

function needsSource({ options: { films, preview, pictures } }: Run): boolean {
  return films || preview !== 'none' || parsePictures(pictures)!.has('stills');
}

/** The topic as one video needs it for its ranking: the other members, as far as they matter, and the moment. */
async function lookAround(index: number, { count, inBackground }: Roster, topic: OpenTopic) {
  const others = othersWanted(topic.run, count);
  const needsAll = count <= maxCompared(topic.run) || others === 'shots';
  const first = needsAll ? 0 : Math.floor(index / CHUNK) * CHUNK;
  const members = await membersOf(topic, count, needsAll ? undefined : first / CHUNK);
  const read = featureReader(topic, () => membersOf(topic, count));
  const at = (where: number): Member => members[where - first]!;
  const seen = async () => {
    const video = await recall(at(index), topic);
    const [looks] = await pictureVectors([video], topic.run.options, topic.run);
    return { video, looks: looks! };
  };
  return {
    own: at(index),
    moment: others === 'moment' ? await readMoment(rootLevel(count), 0, topic) : null,
    // In a topic too large to compare every pair, all videos count the same.
    votes: needsAll ? votesOf(members) : { count },
    featuresOf: (where: number) => read(at(where)),
    idOf: (where: number) => at(where).id,
    count,
    looksOf: async (where: number) => (await pictureVectors([await recall(at(where), topic)], topic.run.options, topic.run))[0]!, // prettier-ignore
    measure: async () => {
      const vectors = vectorsOfTopic(members, topic);
      return openMeasure(await recall(at(index), topic), new Set(inBackground), topic.run.options, vectors);
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

/** Chooses and renders the film of the whole topic. */
export async function makeConcept(topic: OpenTopic): Promise<Filmed> {
  const { run, head } = topic;
  const summaries: Summary[] = [];
  for await (const summary of summariesOf(topic, () => undefined)) summaries.push(summary);
  const members = summaries.map(({ member }) => member);
  const videos: RankedVideo[] = summaries.map(({ video }) => video);
  const chosen = await chooseConcept(videos, run, vectorsOfTopic(members, topic));
  const shown = new Set(chosen?.shots.map(({ video }) => video));
  for (const [index, video] of videos.entries()) {
    if (shown.has(video.id)) videos[index] = { ...video, ...(await topic.withSource(await topic.input(members[index]!.input))) }; // prettier-ignore
  }
  return { concept: await renderConcept(head.topic, chosen, videos, run), ...messagesIn(run) };
}

/** Writes the record and the report from the results of earlier tasks, one chunk of videos at a time. */
export async function exportTopic(topic: OpenTopic): Promise<{ videos: number; skipped: number }> {
  const { run, head, objects, names } = topic;
  const filmed = await readRecord<Filmed>(objects, names.concept);
  say(await rosterOf(topic), run);
  const videos = async function* (): AsyncGenerator<RenderedVideo> {
    for await (const { video } of summariesOf(topic, (ranked) => say(ranked, run))) yield video;
    if (filmed !== null) say(filmed, run);
  };
  const options = resultOptions(head.options);
  const result = { topic: head.topic, options, videos: videos(), concept: filmed?.concept ?? null };
  const { videos: written, skipped } = await publishEach(result, run);
  return { videos: written, skipped };
}

type Summary = { readonly member: Member; readonly video: RenderedVideo };

/** Every summarised video in the order of the roster, one chunk in memory at a time; `onRecord` is called with each record. */
async function* summariesOf(topic: OpenTopic, onRecord: (ranked: Ranked) => void): AsyncGenerator<Summary> {
  const { count } = await rosterOf(topic);
  for (let chunk = 0; chunk < chunksOf(count); chunk++) {
    const ranked = await requireRecord<Ranked[]>(topic.objects, topic.names.gathered('summarise', chunk));
    ranked.forEach(onRecord);
    const members = await membersOf(topic, count, chunk);
    for await (const summary of inOrder(members, READ_AT_ONCE, (member, at) => cutAgain(member, ranked[at]!, topic)))
      if (summary !== null) yield summary;
  }
}

/** A video as it was summarised. Its stored ranking is cut again, which is cheap; nothing else is recomputed. */
async function cutAgain(member: Member, { ranking, made }: Ranked, topic: OpenTopic): Promise<Summary | null> {
  if (ranking === null) return null;
  const video = await recallShots(member, topic);
  const { order, places, views, solver } = ranking;
  // JSON cannot express infinity.
  const certificate = { ...solver, residual: solver.residual ?? Infinity };
  const support = new Map(ranking.support.map(({ shot, by }) => [shot, [...by]]));
  const [scores, own, shared] = [ranking.scores, ranking.own, ranking.shared].map((each) => Float64Array.from(each));
  const evidence = ranking.evidence && {
    total: Float64Array.from(ranking.evidence.total),
    terms: Object.fromEntries(
      Object.entries(ranking.evidence.terms).map(([name, values]) => [name, Float64Array.from(values)]),
    ),
  };
  const known = { order, places, views, certificate, evidence, scores: scores!, own: own!, shared: shared! };
  // Notes about the cut were recorded when it was first made.
  const [wishes, mute] = [await wishesOf(video, topic.wishes), muted(topic.run)];
  const shown = new Map(ranking.shown.map((each) => [each.shot, each.shown]));
  const backing = {
    supportOf: (shot: number) => support.get(shot) ?? [],
    shownOf: (shots: readonly number[]) => shots.map((shot) => shown.get(shot)),
  };
  const cut = await cutVideo(video, known, backing, wishes, mute);
  return { member, video: { ...cut, ...made } };
}

/**
 * Reads the vectors that represent a member's shots, one video at a time. Whitening needs the whole topic: then all vectors
 * are read once and kept in memory.
 */
function featureReader(
  topic: OpenTopic,
  everybody: () => Promise<readonly Member[]>,
): (member: Member) => Promise<TallMatrix> {
  const { run } = topic;
  const { options } = run;
  if (options.whiten === undefined) {
    return async (member) => (await shotVectors([await recall(member, topic)], options, run))[0]!;
  }
  const whitened = async (): Promise<Map<number, TallMatrix>> => {
    const members = await everybody();
    const videos = await mapLimited(members, READ_AT_ONCE, (member) => recall(member, topic));
    const vectors = await shotVectors(videos, options, run);
    return new Map(vectors.map((features, index) => [members[index]!.input, features]));
  };
  let all: ReturnType<typeof whitened> | null = null;
  return async ({ input }) => (await (all ??= whitened())).get(input)!;
}

/** The vectors from which the film of a topic is chosen, read on demand. */
function vectorsOfTopic(members: readonly Member[], topic: OpenTopic): ShotVectors {
  const featuresOf = featureReader(topic, async () => members);
  const { run } = topic;
  const looksOf = async (member: Member): Promise<TallMatrix> =>
    (await pictureVectors([await recall(member, topic)], run.options, run))[0]!;
  return {
    of: async (index) => ({ features: await featuresOf(members[index]!), looks: await looksOf(members[index]!) }),
    async alike() {
      const some = spreadOver(members.length).map((index) => members[index]!);
      return alikeFrom(await mapLimited(some, READ_AT_ONCE, async (member) => sumOfShots(await looksOf(member))));
    },
    sample() {
      const some = evenly(members.length, SAMPLED).map((place) => members[place]!);
      return mapLimited(some, READ_AT_ONCE, async (member) => sampleShots(await looksOf(member)));
    },
  };
}
