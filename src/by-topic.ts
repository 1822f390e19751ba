/**
 * The pipeline for a folder with several topics: analyse, divide, then summarise each topic. It is not in `pipeline.ts`, so
 * that the story of one topic stays on one screen.
 */
import { join } from 'node:path';

import { analyseTopic, summarizeAnalysed } from './pipeline.js';
import type { Outcome, Run, TopicsOutcome } from './run.js';
import { foldersOf, groupIntoTopics, wishesAbout, writeTopics } from './stages/index.js';

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
    await run.shelf.claim(part.out, foldersOf(videos));
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
