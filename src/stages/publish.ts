import { join } from 'node:path';

import { renderReport } from '../export/index.js';
import type { Outcome, Run } from '../run.js';
import {
  serialiseSummary,
  serialiseTopics,
  type Concept,
  type SummaryDocument,
  type TopicsDocument,
  type VideoSummary,
} from '../summary/index.js';
import { VERSION } from '../version.js';
import { drawContactSheets } from './pictures.js';
import type { RenderedVideo } from './render.js';

/** What a run came to. */
export type Result = {
  readonly topic: string;
  readonly options: Record<string, unknown>;
  readonly videos: readonly RenderedVideo[];
  readonly concept: Concept | null;
};

/** The record of a run. */
export function recordOf(result: Result, sheets: string[], run: Pick<Run, 'skipped' | 'notes'>): SummaryDocument {
  const byName = (a: { path: string }, b: { path: string }): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
  return {
    schema: 'summary.1',
    throughline: VERSION,
    topic: result.topic,
    options: result.options,
    model: result.videos[0]!.extractor,
    videos: result.videos.map(describe),
    ...(result.concept ? { concept: result.concept } : {}),
    ...(sheets.length > 0 ? { contactSheets: sheets } : {}),
    // Files are worked on side by side; the record must not show who was first.
    skipped: run.skipped.toSorted(byName),
    notes: run.notes.toSorted(),
  };
}

/** Writes the record of the run and the page that shows it. */
export async function publish(result: Result, run: Run): Promise<Outcome> {
  run.tell({ type: 'stage-started', stage: 'report', total: 2 });
  const document = recordOf(result, await drawContactSheets(result.topic, result.videos, run), run);
  const record = join(run.out, 'summary.json');
  await run.shelf.writeParts(record, [serialiseSummary(document)]);
  run.tell({ type: 'wrote', path: record });

  const report = join(run.out, 'report.html');
  const pictures = new Map(result.videos.map((video) => [video.id, video.analysis.picture]));
  const thumbnail = async (id: string, shot: number): Promise<Buffer | null> =>
    (await pictures.get(id)?.(shot)) ?? null;
  await run.shelf.writeParts(report, renderReport(document, thumbnail));
  run.tell({ type: 'wrote', path: report });
  run.tell({ type: 'stage-done', stage: 'report' });
  run.tell({ type: 'run-done', done: document.videos.length, skipped: document.skipped.length });
  return { document, folder: run.out, report };
}

/** Writes which topics were found, and tells where. */
export async function writeTopics(record: TopicsDocument, run: Run): Promise<string> {
  const path = join(run.out, 'topics.json');
  await run.shelf.writeParts(path, [serialiseTopics(record)]);
  run.tell({ type: 'wrote', path });
  return path;
}

function describe(video: RenderedVideo): VideoSummary {
  const { info, analysis } = video;
  return {
    id: video.id,
    path: video.name,
    sha256: video.sha256,
    bytes: video.bytes,
    codec: info.codec,
    widthPx: info.widthPx,
    heightPx: info.heightPx,
    sampleAspect: info.sampleAspect,
    frameRate: analysis.frameRate,
    timeBase: analysis.timeBase,
    frames: analysis.frameCount,
    range: { start: analysis.start, end: analysis.end, base: analysis.timeBase },
    audioTracks: info.audio.length,
    ...(info.timecode === undefined ? {} : { timecode: info.timecode }),
    audio: info.audio.map(({ channels, language }) => ({ channels, language })),
    ...(video.standing === undefined ? {} : { standing: video.standing }),
    shots: [...video.shots],
    clips: [...video.clips],
    solver: video.solver,
    film: video.film,
    storyboard: video.storyboard,
    ...(video.pictures.length > 0 ? { pictures: [...video.pictures] } : {}),
  };
}
