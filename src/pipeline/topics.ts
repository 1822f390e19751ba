import { join } from 'node:path';

import type { Run, Outcome, TopicsOutcome } from './run.js';
import type { TopicsDocument } from '../summary/index.js';
import { type Grouping, groupVideos } from '../topic/index.js';
import { VERSION } from '../version.js';
import type { AnalysedVideo } from './analyse-videos.js';
import { compareFolder } from './relate.js';
import { analyseTopic, summarizeAnalysed } from './pipeline.js';
import { wishesAbout, skippedInOrder } from './admit.js';
import { foldersOf } from './collect-inputs.js';
import { writeTopics } from './publish.js';

/** The topics of a folder: the record, and the videos of each topic in its order, then every video that is alone. */
type GroupedVideos = {
  readonly record: TopicsDocument;
  readonly parts: readonly { readonly name: string; readonly videos: readonly AnalysedVideo[] }[];
};

/** Divides the videos of a folder into topics by what they show. */
async function groupIntoTopics(folder: string, videos: readonly AnalysedVideo[], run: Run): Promise<GroupedVideos> {
  const { groups: count } = run.options;
  const grouping = groupVideos(await compareFolder(videos, run.options), count);
  const names = grouping.groups.map((_, at) => `topic-${at + 1}`);
  const member = (place: number): { id: string; path: string; sha256: string } => {
    const { id, name, sha256 } = videos[place]!;
    return { id, path: name, sha256 };
  };
  const { name, version } = videos[0]!.extractor;
  const record: TopicsDocument = {
    schema: 'topics.1',
    throughline: VERSION,
    folder,
    groups: count ?? null,
    model: { name, version },
    concordance: grouping.concordance,
    topics: grouping.groups.map((group, at) => {
      const others = grouping.groups.flatMap((other, index) => (index === at ? [] : other));
      return {
        name: names[at]!,
        centre: videos[centreOf(group, grouping)]!.id,
        inside: meanLikeness(group, group, grouping),
        outside: meanLikeness(group, others, grouping),
        videos: group.map(member),
      };
    }),
    alone: grouping.alone.map((place) => {
      const near = grouping.groups.map((group) => meanLikeness([place], group, grouping) ?? -1);
      const nearest = near.indexOf(Math.max(...near));
      return { ...member(place), nearest: names[nearest] ?? null, likeness: near[nearest] ?? null };
    }),
    skipped: skippedInOrder(run),
  };
  const parts = [
    ...grouping.groups.map((group, at) => ({ name: names[at]!, videos: group.map((place) => videos[place]!) })),
    ...grouping.alone.map((place) => ({ name: `alone-${videos[place]!.id}`, videos: [videos[place]!] })),
  ];
  return { record, parts };
}

/** Mean likeness of pairs of different videos, one from each side; `null` if there are none. */
function meanLikeness(left: readonly number[], right: readonly number[], { likeness }: Grouping): number | null {
  const values = left.flatMap((v) => right.flatMap((w) => (v === w ? [] : [likeness.data[v * likeness.cols + w]!])));
  if (values.length === 0) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.min(1, Math.max(-1, mean));
}

function centreOf(group: readonly number[], grouping: Grouping): number {
  const nearness = group.map((place) => meanLikeness([place], group, grouping) ?? 0);
  return group[nearness.indexOf(Math.max(...nearness))]!;
}

/**
 * The pipeline for a folder with several topics: analyse, divide, then summarise each topic. It is not in `pipeline.ts`, so
 * that the story of one topic stays on one screen.
 */
/** Finds the topics in a folder of videos, then summarises each in a folder of its own. */
export async function summarizeByTopic(given: readonly string[], run: Run): Promise<TopicsOutcome> {
  const { topic, analysed, wishes } = await analyseTopic(given, run);
  const { record, parts } = await groupIntoTopics(topic, analysed, run);
  const path = await writeTopics(record, run);
  const outcomes: Outcome[] = [];
  for (const { name, videos } of parts) {
    // A single video is no topic: its own film is all there is.
    const conceptBudget = videos.length > 1 ? run.conceptBudget : null;
    const part = { ...run, conceptBudget, out: join(run.out, name), skipped: [], notes: [] };
    await run.workspace.claim(part.out, foldersOf(videos));
    const mine = { topic: `${topic}, ${name}`, analysed: videos, wishes: wishesAbout(videos, wishes) };
    outcomes.push(await summarizeAnalysed(mine, part));
  }
  return { record, path, outcomes };
}

/** Finds the topics in a folder of videos. */
export async function findTopicsIn(given: readonly string[], run: Run): Promise<TopicsOutcome> {
  const { topic, analysed } = await analyseTopic(given, run);
  const { record } = await groupIntoTopics(topic, analysed, run);
  return { record, path: await writeTopics(record, run), outcomes: [] };
}
