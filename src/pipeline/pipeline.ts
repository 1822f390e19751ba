import { resultOptions } from '../options/index.js';
import type { Outcome, Run } from './run.js';
import { collectInputs, foldersOf } from './collect-inputs.js';
import { admitVideos, skip, type RunWishes } from './admit.js';
import { analyseVideos, type AnalysedVideo } from './analyse-videos.js';
import { relateTopic } from './relate.js';
import { buildProblems, rankShotsOfTopic } from './rank.js';
import { renderVideos } from './render.js';
import { chooseConcept } from './concept.js';
import { renderConcept, requireMusic } from './render-concept.js';
import { publish } from './publish.js';
import { checkRanges, resolveWishes } from '../summary/index.js';

/**
 * Throughline: from a folder of videos on one topic to a summary of each, and one film of the whole if asked for.
 * Records flow from stage to stage; a file that fails a stage is left out with the reason, and the others go on.
 */
export async function summarize(given: readonly string[], run: Run): Promise<Outcome> {
  return summarizeAnalysed(await analyseTopic(given, run), run);
}

/** A topic whose videos were analysed. */
type Analysed = {
  readonly topic: string;
  readonly analysed: readonly AnalysedVideo[];
  readonly wishes: RunWishes;
};

/** The slow half, done once: which videos there are, and what each of them shows. */
export async function analyseTopic(
  given: readonly string[],
  run: Run,
  { writes = true }: { writes?: boolean } = {},
): Promise<Analysed> {
  const { topic, inputs, unreadable } = await collectInputs(given, { ...run.options, out: run.out });
  // Wishes must be about videos of this topic, and music must be sound; mistakes are reported before any work.
  const wishes = resolveWishes(run.options, inputs.map(({ name }) => name)); // prettier-ignore
  await requireMusic(run);
  if (writes) await run.workspace.claim(run.out, foldersOf(inputs));
  else await run.workspace.openFolder(run.out);
  run.emit({ type: 'run-started', inputs: inputs.length });
  for (const folder of unreadable) skip(run, folder.name, 'unreadable', folder.message);

  // Which files are videos, and different from each other?
  const videos = await admitVideos(inputs, run);
  checkRanges(wishes, new Map(videos.map(({ name, info }) => [name, info.durationHint])));

  // One pass over each video: where its shots are, and a vector and a picture for each. Cached by content.
  const analysed = await analyseVideos(videos, run);
  return { topic, analysed, wishes };
}

/** From what the videos show to films, record and report. */
export async function summarizeAnalysed({ topic, analysed, wishes }: Analysed, run: Run): Promise<Outcome> {
  // Which videos show the same, which do not belong, and how much each one counts for the others.
  const related = await relateTopic(analysed, run);

  // The topic is the sum of what its videos show. Each video's shots are ranked against it, exactly.
  const posed = buildProblems(related, run);
  const ranked = await rankShotsOfTopic(related, run, wishes, posed);

  // The best shots that fit the length, in film order: a film, a storyboard.
  const rendered = await renderVideos(ranked, run);

  // If one film of the whole topic is asked for: what several videos show first, nothing shown twice.
  const concept = await renderConcept(topic, await chooseConcept(ranked, run, posed.vectors), ranked, run);

  // The record of the run, and the page that shows it.
  return publish({ topic, options: resultOptions(run.options), videos: rendered, concept }, run);
}
