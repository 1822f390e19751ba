import { availableParallelism } from 'node:os';
import { analyse, ANALYSIS_VERSION } from './analysis/analyse.js';
import { readAnalysis, readOutline, type Analysis, type Kept, type Outline, type Scratch } from './analysis/record.js';
import { CancelledError, mapLimited, UsageError } from '../base/index.js';
import {
  openExtractor,
  openSpeechNetwork,
  SPEECH_MODEL,
  type ChosenExtractor,
  type ShotBlock,
  type SpeechNetwork,
} from '../features/index.js';
import { locateFfmpeg, willConvert } from '../media/index.js';
import type { Run } from './run.js';
import { keepGoing, requireSome, requireUnchanged, type Video, asRead, noteChanges } from './admit.js';
import { openBlocks, type BlockFacts, openVectors, planFromOptions, type ShotPlan } from './shot-plan.js';
import { note } from './limits.js';

/** A video whose shots are known, and what computed their vectors. */
export type OutlinedVideo = Video & {
  readonly analysis: Outline;
  readonly extractor: Pick<ChosenExtractor, 'name' | 'version' | 'dim' | 'sha256' | 'layer'> & {
    readonly blocks?: BlockFacts[];
  };
};

/** A video whose shots have their vectors. */
export type AnalysedVideo = OutlinedVideo & {
  readonly analysis: Analysis;
  /** What shots are compared by besides their pictures; none unless asked for. */
  readonly blocks: readonly ShotBlock[];
};

/**
 * Analyses every video, or finds its analysis in the cache: same content, same options, same versions. Shots are found as
 * the options say, unless the caller has a plan of its own.
 */
export async function analyseVideos(
  videos: readonly Video[],
  run: Run,
  planOf?: (video: Video) => ShotPlan,
): Promise<AnalysedVideo[]> {
  const analysed = await analyseEach(videos, run, planOf);
  noteShortcuts(analysed, run);
  return requireSome(analysed, run);
}

/** Opens everything that videos would be analysed with, and closes it again, so that wrong options are reported at once. */
export async function tryTools(run: Run): Promise<Pick<ChosenExtractor, 'name' | 'version'>> {
  await planFromOptions(run);
  const { given, extractor } = await openTools([], run, 1);
  await extractor?.close();
  return given?.source ?? extractor!;
}

/** Where the vectors of a run come from: files made elsewhere, or an extractor, which must be closed; and its blocks. */
async function openTools(videos: readonly Video[], run: Run, workers: number) {
  const given = await openVectors(videos, run);
  const extractor = given ? null : await openExtractor(run.options, { workers });
  const blocks = openBlocks(run);
  const refusal = run.options.fast ? refuseMotion(extractor, blocks?.facts ?? []) : null;
  if (refusal === null) return { given, extractor, blocks };
  await extractor?.close();
  throw refusal;
}

/** Analyses every video; those that fail are left out with the reason. */
export async function analyseEach(
  videos: readonly Video[],
  run: Run,
  planOf?: (video: Video) => ShotPlan,
): Promise<AnalysedVideo[]> {
  run.emit({ type: 'stage-started', stage: 'analyse', total: videos.length });
  const plan = planOf ?? (await planFromOptions(run));
  const atATime = Math.min(run.jobs, videos.length);
  const { given, extractor, blocks } = await openTools(videos, run, atATime);
  const { name, version, dim, sha256, layer } = given?.source ?? extractor!;
  const speech = run.options.speech === 'network' ? openSpeechNetwork() : null;
  const progress = trackProgress(videos, run);
  const threads = Math.max(1, Math.round(availableParallelism() / atATime));
  try {
    const analysed = await mapLimited(videos, run.jobs, (video, place) =>
      keepGoing(run, video, async () => {
        given?.check(video);
        const own = plan(video);
        const watch = blocks?.watch(video, own) ?? null;
        const tools = { extractor, speech, threads, plan: watch?.plan ?? own };
        const found = await analyseOne(video, tools, run, (frames, seconds) => progress(place, frames, seconds));
        const analysis = given ? { ...found, features: await given.vectorsOf(video, found, own) } : found;
        if (analysis.warning !== null) note(run, 'damaged', `"${video.name}" ${analysis.warning}`);
        if (analysis.soundWarning !== null) note(run, 'sound', `"${video.name}" ${analysis.soundWarning}`);
        const read = asRead(video, analysis);
        noteChanges(read, analysis, run);
        return {
          ...read,
          analysis,
          extractor: { name, version, dim, sha256, layer, ...(blocks ? { blocks: blocks.facts } : {}) },
          blocks: (await watch?.blocksOf(analysis, threads)) ?? [],
        };
      }),
    );
    run.emit({ type: 'stage-done', stage: 'analyse' });
    return analysed.filter((video) => video !== null);
  } finally {
    await Promise.all([extractor?.close(), speech?.close()]);
  }
}

async function analyseOne(
  video: Video,
  tools: { extractor: ChosenExtractor | null; speech: SpeechNetwork | null; threads: number; plan: ShotPlan },
  run: Run,
  onFrame: (frames: number, seconds: number) => void,
): Promise<Analysis> {
  const { extractor, speech, threads, plan } = tools;
  const key = await keyOfAnalysis(video, extractor, plan, run);
  const kept = await run.workspace.find(key);
  const known = kept && (await readAnalysis(kept));
  const openScratch = (): Promise<Scratch> => run.workspace.draft(key);
  const checkSource = (): Promise<void> => requireUnchanged(video, run);
  const { newFinder, shortest } = plan;
  const fresh = { extractor, speech, threads, fast: run.options.fast, shortest, newFinder, openScratch, checkSource };
  const analysis =
    known ??
    (await analyse(video.info, fresh, { signal: run.signal, onFrame }).catch(async (error: unknown) => {
      // If the file changed meanwhile, that is the reason.
      if (!(error instanceof CancelledError)) await checkSource();
      throw error;
    }));
  onFrame(analysis.frameCount, Infinity);
  run.onAnalysed?.(video.id, analysis);
  run.emit({ type: 'item-done', stage: 'analyse', item: video.name, cached: known !== null });
  return analysis;
}

async function keyOfAnalysis(
  video: Video,
  extractor: Pick<ChosenExtractor, 'name' | 'version'> | null,
  plan: ShotPlan,
  run: Run,
): Promise<string> {
  return run.workspace.keyOf({
    stage: 'analyse',
    version: ANALYSIS_VERSION,
    content: video.sha256,
    shots: plan.identity,
    extractor: extractor && [extractor.name, extractor.version],
    ...(run.options.fast ? { reading: 'keys' } : {}),
    speech: run.options.speech === 'network' ? SPEECH_MODEL.sha256 : 'energy',
    decoder: (await locateFfmpeg()).version,
    ...((await willConvert(video.info)) ? { colours: 'converted' } : {}),
  });
}

/** A video that was analysed before, without its analysis. */
export type KnownVideo = Omit<OutlinedVideo, 'analysis'>;

/** A video with its analysis from the cache, without opening a network; `null` if the cache no longer has it. */
export async function recallVideo(video: KnownVideo, run: Run): Promise<AnalysedVideo | null> {
  const plan = (await planFromOptions(run))(video);
  const kept = await findKept(video, plan, run);
  const analysis = kept && (await readAnalysis(kept));
  if (!analysis) return null;
  const read = asRead(video, analysis);
  return { ...read, analysis, blocks: (await openBlocks(run)?.watch(read, plan).blocksOf(analysis, 1)) ?? [] };
}

/** The same without the vectors. */
export async function recallOutline(video: KnownVideo, run: Run): Promise<OutlinedVideo | null> {
  const kept = await findKept(video, (await planFromOptions(run))(video), run);
  const analysis = kept && readOutline(kept);
  return analysis && { ...asRead(video, analysis), analysis };
}

async function findKept(video: KnownVideo, plan: ShotPlan, run: Run): Promise<Kept | null> {
  return run.workspace.find(await keyOfAnalysis(video, video.extractor, plan, run));
}

/** Why features or blocks that look at motion are refused with --fast: between key pictures, nothing moves. */
function refuseMotion(
  extractor: Pick<ChosenExtractor, 'name' | 'sample'> | null,
  blocks: readonly BlockFacts[],
): UsageError | null {
  const seesClips = extractor !== null && extractor.sample.frames > 1;
  if (!seesClips && !blocks.some(({ name }) => name === 'motion')) return null;
  const what = seesClips ? `"${extractor.name}"` : 'the block "motion"';
  return new UsageError(
    'bad-option',
    `Expected --fast with features of single pictures, found ${what}, which looks at motion between frames. Leave out one of the two.`,
  );
}

/** Notes which videos were analysed by their key pictures alone, and which were not although that was asked for. */
export function noteShortcuts(
  done: readonly { readonly name: string; readonly analysis: Pick<Outline, 'readWhole'> }[],
  run: Run,
): void {
  if (!run.options.fast) return;
  for (const { name, analysis } of done) {
    if (analysis.readWhole !== null) note(run, 'read-whole', `"${name}" was read whole: its ${analysis.readWhole}.`);
  }
  const fast = done.filter(({ analysis }) => analysis.readWhole === null).length;
  if (fast === 0) return;
  note(
    run,
    'key-pictures',
    `${fast} of ${done.length} videos were judged by their key pictures alone (--fast): shots between two of those look alike, and cuts between them are not seen.`,
  );
}

/** Reports the share of all footage read so far, at most ten times a second. */
function trackProgress(videos: readonly Video[], run: Run): (place: number, frames: number, seconds: number) => void {
  // A length that is not stated, or stated as nothing, counts as a minute.
  const lengths = videos.map((video) => video.info.durationHint || 60);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const seen = videos.map(() => ({ seconds: 0, frames: 0 }));
  // Monotonic: the clock of the machine may be set back during a run.
  let lastReport = -Infinity;
  return (place, frames, seconds) => {
    seen[place] = { frames, seconds: Math.min(seconds, lengths[place]!) };
    if (performance.now() - lastReport < 100 && seconds !== Infinity) return;
    lastReport = performance.now();
    run.emit({
      type: 'progress',
      stage: 'analyse',
      fraction: seen.reduce((sum, video) => sum + video.seconds, 0) / total,
      item: videos[place]?.name ?? null,
      ofItem: seen[place]!.seconds / lengths[place]!,
      frames: seen.reduce((sum, video) => sum + video.frames, 0),
    });
  };
}
