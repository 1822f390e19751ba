import { mapLimited } from '../base/index.js';
import {
  allot,
  analyseEach,
  embeddedSources,
  type Extent,
  extentOf,
  isCompared,
  relateTopic,
  requireSome,
  tellLostWishes,
  tellShortcuts,
  tellLimits,
  wishesOf,
} from '../stages/index.js';
import { CHUNK, chunksOf } from './chunks.js';
import { otherEngine } from './engine.js';
import { recall, recallShots, saidIn, say, standingOf, type OpenTopic } from './open-topic.js';
import { READ_AT_ONCE, requireRecords, writeRecord, type Extracted, type Member, type Roster } from './records.js';

/** Analyses one video. A fault of the video goes into the record; only errors that may pass are thrown. */
export async function extractVideo(place: number, topic: OpenTopic): Promise<Extracted> {
  const { run, head } = topic;
  const [video] = await analyseEach([await topic.withSource(await topic.input(place))], run);
  const made = video && `${video.extractor.name} ${video.extractor.version}`;
  if (made !== undefined && made !== head.extractor) throw otherEngine(`the features "${head.extractor}"`, `"${made}"`);
  return {
    video: video ? { extractor: video.extractor, readWhole: video.analysis.readWhole, extent: extentOf(video) } : null,
    ...saidIn(run),
  };
}

/** Decides which videos are in the topic and how much each counts, and writes down who they are. */
export async function makeRoster(topic: OpenTopic): Promise<Roster> {
  const { run, names, objects, head } = topic;
  const known = requireSome(await extractedVideos(topic), run);
  tellShortcuts(known, run);
  const members = isCompared(known.length, run)
    ? await relateMembers(known, topic)
    : known.map((video) => ({ ...video, weight: 1, special: null }));
  tellLostWishes(members, topic.wishes, run);
  tellLimits(members, run);
  const allotted = allot(members, topic.wishes, run);
  const wished = new Set(Object.values(head.wishes).flatMap((wishes) => wishes.map(({ video }) => video)));
  // An impossible wish is refused here, once, before any video is ranked.
  for (const member of members) {
    if (wished.has(member.name)) await wishesOf(await recallShots(member, topic), topic.wishes);
  }
  const placed = members.map((member, place) => bare({ ...member, ...allotted[place] }));
  for (let chunk = 0; chunk < chunksOf(members.length); chunk++) {
    await writeRecord(objects, names.rosterChunk(chunk), placed.slice(chunk * CHUNK, (chunk + 1) * CHUNK));
  }
  return { count: members.length, inBackground: await hashesInBackground(members, topic), ...saidIn(run) };
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
  for (const [input, { video, ...said }] of records.entries()) {
    say(said, run);
    if (video === null) continue;
    const { id, name } = await topic.input(input);
    const { extractor, readWhole, extent } = video;
    known.push({ input, id, name, extractor, extent, analysis: { readWhole } });
  }
  return known;
}

async function relateMembers(known: readonly Known[], topic: OpenTopic): Promise<(Member & Known)[]> {
  const videos = await mapLimited(known, READ_AT_ONCE, (each) => recall(each, topic));
  const related = await relateTopic(videos, topic.run);
  const knownOf = new Map(known.map((each) => [each.id, each]));
  return related.videos.map((video, place) => ({
    ...video,
    input: knownOf.get(video.id)!.input,
    extent: knownOf.get(video.id)!.extent,
    weight: related.votes.common[place]!,
    special: related.votes.special?.[place] ?? null,
  }));
}
