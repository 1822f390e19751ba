import { inOrder } from '../base/index.js';
import { resultOptions } from '../options/index.js';
import {
  chooseConcept,
  cutVideo,
  publishEach,
  renderConcept,
  wishesOf,
  type RankedVideo,
  type RenderedVideo,
} from '../stages/index.js';
import { chunksOf } from './chunks.js';
import { membersOf, muted, recallShots, rosterOf, saidIn, say, type OpenTopic } from './open-topic.js';
import { READ_AT_ONCE, readRecord, requireRecord, type Filmed, type Member, type Ranked } from './records.js';
import { vectorsOfTopic } from './vectors.js';

/** Chooses and renders the film of the whole topic. */
export async function makeConcept(topic: OpenTopic): Promise<Filmed> {
  const { run, head } = topic;
  const summaries: Summary[] = [];
  for await (const summary of summariesOf(topic, () => undefined)) summaries.push(summary);
  const members = summaries.map(({ member }) => member);
  const videos: RankedVideo[] = summaries.map(({ video }) => video);
  const chosen = await chooseConcept(videos, run, vectorsOfTopic(members, topic));
  const shown = new Set(chosen?.shots.map(({ video }) => video));
  for (const [place, video] of videos.entries()) {
    if (shown.has(video.id)) videos[place] = { ...video, ...(await topic.withSource(await topic.input(members[place]!.input))) }; // prettier-ignore
  }
  return { concept: await renderConcept(head.topic, chosen, videos, run), ...saidIn(run) };
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

/** Every summarised video in the order of the roster, one chunk in memory at a time; `hear` is called with each record. */
async function* summariesOf(topic: OpenTopic, hear: (ranked: Ranked) => void): AsyncGenerator<Summary> {
  const { count } = await rosterOf(topic);
  for (let chunk = 0; chunk < chunksOf(count); chunk++) {
    const ranked = await requireRecord<Ranked[]>(topic.objects, topic.names.gathered('summarise', chunk));
    ranked.forEach(hear);
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
  // JSON has no word for infinity.
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
