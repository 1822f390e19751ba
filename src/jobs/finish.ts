import { mapLimited } from '../base/index.js';
import { resultOptions } from '../options/index.js';
import {
  chooseConcept,
  cutVideo,
  publish,
  renderConcept,
  wishesOf,
  type RankedVideo,
  type RenderedVideo,
} from '../stages/index.js';
import { chunksOf } from './chunks.js';
import { membersOf, muted, recallShots, rosterOf, saidIn, say, type OpenTopic } from './open-topic.js';
import { READ_AT_ONCE, readRecord, requireRecords, type Filmed, type Member, type Ranked } from './records.js';
import { vectorsOfTopic } from './vectors.js';

/** Chooses and renders the film of the whole topic. */
export async function makeConcept(topic: OpenTopic): Promise<Filmed> {
  const { run, head } = topic;
  const summaries = await summariesOf(await rankedOf(topic), topic);
  const members = summaries.map(({ member }) => member);
  const videos: RankedVideo[] = summaries.map(({ video }) => video);
  const chosen = await chooseConcept(videos, run, vectorsOfTopic(members, topic));
  const shown = new Set(chosen?.shots.map(({ video }) => video));
  for (const [place, video] of videos.entries()) {
    if (shown.has(video.id)) videos[place] = { ...video, ...(await topic.withSource(await topic.input(members[place]!.input))) }; // prettier-ignore
  }
  return { concept: await renderConcept(head.topic, chosen, videos, run), ...saidIn(run) };
}

/** Writes the record and the report, from what the tasks before left. */
export async function exportTopic(topic: OpenTopic): Promise<{ videos: number; skipped: number }> {
  const { run, head, objects, names } = topic;
  const ranked = await rankedOf(topic);
  const filmed = await readRecord<Filmed>(objects, names.concept);
  for (const said of [await rosterOf(topic), ...ranked, ...(filmed ? [filmed] : [])]) say(said, run);
  const videos = (await summariesOf(ranked, topic)).map(({ video }) => video);
  const result = { topic: head.topic, options: resultOptions(head.options), videos, concept: filmed?.concept ?? null };
  const { document } = await publish(result, run);
  return { videos: document.videos.length, skipped: document.skipped.length };
}

/** What the tasks that summarised the videos left, in the order of the roster. */
async function rankedOf(topic: OpenTopic): Promise<Ranked[]> {
  const { count } = await rosterOf(topic);
  const gathered = Array.from({ length: chunksOf(count) }, (_, chunk) => topic.names.gathered('summarise', chunk));
  return (await requireRecords<Ranked[]>(topic.objects, gathered)).flat();
}

type Summary = { readonly member: Member; readonly video: RenderedVideo };

/** Every video as it was summarised: its ranking is cut again, which is cheap; nothing else is done again. */
async function summariesOf(ranked: readonly Ranked[], topic: OpenTopic): Promise<Summary[]> {
  const { run, wishes } = topic;
  // What there is to say of a cut was said when it was first made.
  const mute = muted(run);
  const summaries = await mapLimited(await membersOf(topic, ranked.length), READ_AT_ONCE, async (member, place) => {
    const { ranking, made } = ranked[place]!;
    if (ranking === null) return null;
    const video = await recallShots(member, topic);
    const { order, places, solver } = ranking;
    // JSON has no word for infinity.
    const certificate = { ...solver, residual: solver.residual ?? Infinity };
    const support = new Map(ranking.support.map(({ shot, by }) => [shot, [...by]]));
    const [scores, own, shared] = [ranking.scores, ranking.own, ranking.shared].map((each) => Float64Array.from(each));
    const known = { order, places, certificate, scores: scores!, own: own!, shared: shared! };
    const cut = await cutVideo(video, known, (shot) => support.get(shot) ?? [], await wishesOf(video, wishes), mute);
    return { member, video: { ...cut, ...made } };
  });
  return summaries.filter((summary) => summary !== null);
}
