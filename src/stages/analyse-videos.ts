import { availableParallelism } from 'node:os';

import { analyse, ANALYSIS_VERSION, readAnalysis, SIGNAL_SIZE, type Analysis } from '../analyse.js';
import { mapLimited } from '../base/index.js';
import { openPictureNetwork, type Extractor } from '../features/index.js';
import type { Run } from '../pipeline.js';
import { createSegmenter } from '../shots/index.js';
import { keepGoing, requireSome, type Video } from './admit.js';

export type AnalysedVideo = Video & { readonly analysis: Analysis };

/** Analyses every video, or finds that it was done before: same content, same options, same versions. */
export async function analyseVideos(videos: readonly Video[], run: Run): Promise<AnalysedVideo[]> {
  run.tell({ type: 'stage-started', stage: 'analyse', total: videos.length });
  const extractor = await openPictureNetwork({ workers: Math.min(run.jobs, videos.length) });
  const progress = trackProgress(videos, run);
  const threads = Math.max(1, Math.round(availableParallelism() / Math.min(run.jobs, videos.length)));
  try {
    const analysed = await mapLimited(videos, run.jobs, (video, place) =>
      keepGoing(run, video.name, async () => {
        const analysis = await analyseOne(video, extractor, threads, run, (frames, seconds) =>
          progress(place, frames, seconds),
        );
        if (analysis.warning !== null) note(run, 'damaged', `"${video.name}" ${analysis.warning}`);
        return { ...video, analysis };
      }),
    );
    run.tell({ type: 'stage-done', stage: 'analyse' });
    return requireSome(
      analysed.filter((video) => video !== null),
      run,
    );
  } finally {
    await extractor.close();
  }
}

async function analyseOne(
  video: Video,
  extractor: Extractor,
  threads: number,
  run: Run,
  onFrame: (frames: number, seconds: number) => void,
): Promise<Analysis> {
  const { segmenter: name, minShot, maxShot } = run.options;
  const segmenter = createSegmenter(name, { ...SIGNAL_SIZE, minFrames: minShot, maxFrames: maxShot });
  const key = run.shelf.keyOf({
    stage: 'analyse',
    version: ANALYSIS_VERSION,
    content: video.sha256,
    segmenter: [segmenter.name, segmenter.version, minShot, maxShot],
    extractor: [extractor.name, extractor.version],
  });
  const kept = await run.shelf.find(key);
  const known = kept && (await readAnalysis(kept));
  const tools = { segmenter, extractor, threads };
  const analysis =
    known ??
    (await analyse(video.info, { ...tools, scratch: await run.shelf.draft(key) }, { signal: run.signal, onFrame }));
  onFrame(analysis.frameCount, Infinity);
  run.tell({ type: 'item-done', stage: 'analyse', item: video.name, cached: known !== null });
  return analysis;
}

/** Tells the share of all footage seen so far, at most ten times a second. */
function trackProgress(videos: readonly Video[], run: Run): (place: number, frames: number, seconds: number) => void {
  const lengths = videos.map((video) => video.info.durationHint ?? 60);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const seen = videos.map(() => ({ seconds: 0, frames: 0 }));
  let lastTold = 0;
  return (place, frames, seconds) => {
    seen[place] = { frames, seconds: Math.min(seconds, lengths[place] ?? 0) };
    if (Date.now() - lastTold < 100 && seconds !== Infinity) return;
    lastTold = Date.now();
    run.tell({
      type: 'progress',
      stage: 'analyse',
      fraction: seen.reduce((sum, video) => sum + video.seconds, 0) / total,
      item: videos[place]?.name ?? null,
      frames: seen.reduce((sum, video) => sum + video.frames, 0),
    });
  };
}

export function note(run: Run, code: string, message: string): void {
  run.notes.push(message);
  run.tell({ type: 'note', code, message });
}
