import { resultOptions } from '../options.js';
import type { Run } from '../run.js';
import { chooseConcept } from '../stages/concept.js';
import { cutVideo, wishesOf } from '../stages/cut-video.js';
import { publish } from '../stages/publish.js';
import type { RankedVideo } from '../stages/rank.js';
import { renderConcept } from '../stages/render-concept.js';
import type { RenderedVideo } from '../stages/render.js';
import { chunksOf } from './chunks.js';
import { membersOf, recallShots, rosterOf, saidIn, say, type OpenTopic } from './open-topic.js';
import { readRecord, readRecords, type Filmed, type Member, type Ranked } from './records.js';
import { vectorsOfTopic } from './vectors.js';

/** Chooses and renders the film of the whole topic. */
export async function makeConcept(topic: OpenTopic): Promise<Filmed> {
  const { run, head } = topic;
  const summaries = await summariesOf(topic);
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
  const summaries = await summariesOf(topic);
  const filmed = await readRecord<Filmed>(objects, names.concept);
  for (const said of [await rosterOf(topic), ...summaries, ...(filmed ? [filmed] : [])]) say(said, run);
  const videos = summaries.map(({ video }) => video);
  const result = { topic: head.topic, options: resultOptions(head.options), videos, concept: filmed?.concept ?? null };
  const { document } = await publish(result, run);
  return { videos: document.videos.length, skipped: document.skipped.length };
}

type Summary = Pick<Ranked, 'notes' | 'skipped'> & { readonly member: Member; readonly video: RenderedVideo };

/** Every video as the task that summarised it left it: its ranking is cut again, which is cheap; nothing else is done again. */
async function summariesOf(topic: OpenTopic): Promise<Summary[]> {
  const { run, objects, names, wishes } = topic;
  const { count } = await rosterOf(topic);
  const gathered = Array.from({ length: chunksOf(count) }, (_, chunk) => names.gathered('summarise', chunk));
  const records = (await readRecords<Ranked[]>(objects, gathered)).flatMap((ranked) => ranked ?? []);
  // What there is to say of a cut was said when it was first made.
  const mute: Run = { ...run, notes: [], skipped: [], tell: () => undefined };
  const summaries: Summary[] = [];
  for (const [place, member] of (await membersOf(topic, count)).entries()) {
    const { ranking, made, notes, skipped } = records[place]!;
    if (ranking === null) continue;
    const video = await recallShots(member, topic);
    const { order, places, solver } = ranking;
    const support = new Map(ranking.support.map(({ shot, by }) => [shot, [...by]]));
    const [scores, own, shared] = [ranking.scores, ranking.own, ranking.shared].map((each) => Float64Array.from(each));
    const known = { order, places, certificate: solver, scores: scores!, own: own!, shared: shared! };
    const cut = await cutVideo(video, known, (shot) => support.get(shot) ?? [], await wishesOf(video, wishes), mute);
    summaries.push({ member, video: { ...cut, ...made }, notes, skipped });
  }
  return summaries;
}
