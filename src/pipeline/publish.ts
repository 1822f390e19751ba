import { join } from 'node:path';

import { renderReport } from '../render/index.js';
import type { Outcome, Run } from './run.js';
import {
  mergeNotes,
  parseSummary,
  serialiseTopics,
  summaryWriter,
  type Concept,
  type SummaryDocument,
  type SummaryHead,
  type SummaryShot,
  type SummaryTail,
  type TopicsDocument,
  type VideoSummary,
} from '../summary/index.js';
import { VERSION } from '../version.js';
import { requireSome, skippedInOrder, normalisedOf } from './admit.js';
import { SHOWN_VIDEOS, note } from './limits.js';
import { drawContactSheets, type RenderedVideo } from './render.js';

/** The result of a run. */
export type Result = {
  readonly topic: string;
  readonly options: Record<string, unknown>;
  readonly videos: readonly RenderedVideo[];
  readonly concept: Concept | null;
};

/** The record of a run. */
export function recordOf(result: Result, sheets: string[], run: Pick<Run, 'skipped' | 'notes'>): SummaryDocument {
  const { concept, ...rest } = tailOf(result, sheets, run);
  return {
    ...headOf(result, result.videos[0]!),
    videos: result.videos.map(describe),
    ...(concept ? { concept } : {}),
    ...rest,
  };
}

function headOf({ topic, options }: Pick<Result, 'topic' | 'options'>, first: RenderedVideo): SummaryHead {
  return { schema: 'summary.2', throughline: VERSION, topic, options, model: first.extractor };
}

function tailOf(
  { concept }: Pick<Result, 'concept'>,
  sheets: string[],
  run: Pick<Run, 'skipped' | 'notes'>,
): SummaryTail {
  return {
    ...(concept ? { concept } : {}),
    ...(sheets.length > 0 ? { contactSheets: sheets } : {}),
    skipped: skippedInOrder(run),
    notes: mergeNotes(run.notes),
  };
}

/** Writes the record of the run and the page that shows it. */
export async function publish(result: Result, run: Run): Promise<Outcome> {
  const { report, sheets } = await publishEach(result, run);
  return { document: recordOf(result, sheets, run), folder: run.out, report };
}

/** The same with its videos one after the other. */
type ResultInParts = Omit<Result, 'videos'> & {
  readonly videos: Iterable<RenderedVideo> | AsyncIterable<RenderedVideo>;
};

/** Where the report is, and what is in the results. */
type Published = {
  readonly report: string;
  readonly sheets: string[];
  readonly videos: number;
  readonly skipped: number;
};

/** Like `publish`, video by video: however many there are, only those that the page shows are kept in memory. */
export async function publishEach(result: ResultInParts, run: Run): Promise<Published> {
  run.emit({ type: 'stage-started', stage: 'report', total: 2 });
  const shown: RenderedVideo[] = [];
  let [count, sheets]: [number, string[]] = [0, []];
  const record = join(run.out, 'summary.json');
  const stale = await filesOfRecord(record, run);
  const keep = (files: Iterable<string>): void => {
    for (const file of files) stale.delete(file);
  };
  const partsOfRecord = async function* (): AsyncGenerator<string> {
    const { begin, add, end } = summaryWriter(result.concept ?? undefined);
    for await (const video of result.videos) {
      if (count++ === 0) yield begin(headOf(result, video));
      if (shown.length < SHOWN_VIDEOS) shown.push(video);
      const described = describe(video);
      keep(filesOf(described));
      yield add(described);
    }
    requireSome(shown, run);
    noteShown(count, run);
    sheets = await drawContactSheets(result.topic, shown, run);
    yield end(tailOf(result, sheets, run));
  };
  await run.workspace.writeParts(record, partsOfRecord());
  run.emit({ type: 'wrote', path: record });
  keep([...sheets, ...(result.concept ? filesOf(result.concept) : [])]);
  for (const file of stale) await run.workspace.remove(join(run.out, file));

  const report = join(run.out, 'report.html');
  const pictures = new Map(shown.map((video) => [video.id, video.analysis.picture]));
  const thumbnail = async (id: string, shot: number): Promise<Buffer | null> =>
    (await pictures.get(id)?.(shot)) ?? null;
  const page = recordOf({ ...result, videos: shown }, sheets, run);
  await run.workspace.writeParts(report, renderReport(page, thumbnail, count));
  run.emit({ type: 'wrote', path: report });
  run.emit({ type: 'stage-done', stage: 'report' });
  run.emit({ type: 'run-done', done: count, skipped: run.skipped.length });
  return { report, sheets, videos: count, skipped: run.skipped.length };
}

/** Names of the files that a part of a record speaks of. */
function filesOf({
  film,
  storyboard,
  pictures = [],
}: Pick<VideoSummary, 'film' | 'storyboard' | 'pictures'>): string[] {
  return [film, storyboard, ...pictures].filter((file) => file !== null);
}

/** A film or picture inside the folder of results: no root, no way up, nothing hidden. */
const OWN_FILE = /^(?!\.)[^/\\:\p{Cc}]+(?:\/(?!\.)[^/\\:\p{Cc}]+)*\.(?:mp4|webm|png|svg|jpg|gif|webp)$/u;

/** The films and pictures that the record of an earlier run in this folder names; none if there is no such record. */
async function filesOfRecord(path: string, run: Run): Promise<Set<string>> {
  const text = await run.workspace.readText(path);
  try {
    const { videos, concept, contactSheets = [] } = parseSummary(text ?? '', path);
    const named = [...videos.flatMap(filesOf), ...(concept ? filesOf(concept) : []), ...contactSheets];
    return new Set(named.filter((file) => OWN_FILE.test(file)));
  } catch {
    // A record that cannot be read names nothing.
    return new Set();
  }
}

function noteShown(count: number, run: Run): void {
  if (count <= SHOWN_VIDEOS) return;
  note(
    run,
    'report-in-part',
    `The topic has ${count} videos: the report and the contact sheets show the first ${SHOWN_VIDEOS}. All of them are in summary.json.`,
  );
}

/** Writes `topics.json`, the topics that were found. */
export async function writeTopics(record: TopicsDocument, run: Run): Promise<string> {
  const path = join(run.out, 'topics.json');
  await run.workspace.writeParts(path, [serialiseTopics(record)]);
  run.emit({ type: 'wrote', path });
  return path;
}

function describe(video: RenderedVideo): VideoSummary {
  const { info, analysis } = video;
  const normalised = normalisedOf(info, analysis);
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
    ...(normalised === undefined ? {} : { normalised }),
    ...(video.standing === undefined ? {} : { standing: video.standing }),
    ...(video.belonging === undefined ? {} : { belonging: video.belonging }),
    takes: [...analysis.takes],
    shots: video.shots.map(recordShot),
    clips: [...video.clips],
    seconds: video.seconds,
    solver: video.solver,
    film: video.film,
    storyboard: video.storyboard,
    ...(video.pictures.length > 0 ? { pictures: [...video.pictures] } : {}),
  };
}

/** A shot as the record has it: whether it is short is one of its flaws there, and absent fields are left out. */
function recordShot(shot: RenderedVideo['shots'][number] & { readonly isShort?: boolean | undefined }): SummaryShot {
  const { isShort: _, shown, ...rest } = shot;
  return shown === undefined ? rest : { ...rest, shown };
}
