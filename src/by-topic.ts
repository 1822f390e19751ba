/**
 * The pipeline where a folder holds several topics: its two halves, with a division between them. It stands beside
 * `pipeline.ts` and not in it, so that the story of one topic keeps to one screen.
 */
import { join } from 'node:path';

import { analyseTopic, summarizeAnalysed } from './pipeline.js';
import type { Outcome, Run, TopicsOutcome } from './run.js';
import { groupIntoTopics, wishesAbout, writeTopics } from './stages/index.js';

/** A folder of videos on several topics: which topics there are, then each summarised in a folder of its own. */
export async function summarizeByTopic(given: readonly string[], run: Run): Promise<TopicsOutcome> {
  const { topic, analysed, wishes } = await analyseTopic(given, run);
  const { record, parts } = groupIntoTopics(topic, analysed, run);
  const path = await writeTopics(record, run);
  const outcomes: Outcome[] = [];
  for (const { name, videos } of parts) {
    // One video is no topic: there is nothing to make a film of beside its own.
    const conceptBudget = videos.length > 1 ? run.conceptBudget : null;
    const part = { ...run, conceptBudget, out: join(run.out, name), skipped: [], notes: [] };
    await run.shelf.openFolder(part.out);
    const mine = { topic: `${topic}, ${name}`, analysed: videos, wishes: wishesAbout(videos, wishes) };
    outcomes.push(await summarizeAnalysed(mine, part));
  }
  return { record, path, outcomes };
}

/** Which topics there are in a folder of videos. */
export async function findTopicsIn(given: readonly string[], run: Run): Promise<TopicsOutcome> {
  const { topic, analysed } = await analyseTopic(given, run);
  const { record } = groupIntoTopics(topic, analysed, run);
  return { record, path: await writeTopics(record, run), outcomes: [] };
}
