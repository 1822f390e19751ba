import { basename } from 'node:path';

import { toSeconds, UsageError, type RunEvent } from '../base/index.js';
import { summarizeTopic, type OptionsInput } from '../index.js';
import { openTopic, type OpenTopic } from '../library.js';
import type { Analysis, RankedTopic } from '../pipeline/index.js';
import type { CutListRequest, Selection, ShotMap, Track, Why } from './contract.js';
import { writeCutList, type Known } from './export-selection.js';
import { selectionOf, trackOf, whyOf } from './selection.js';
import { usualFilm } from './shared/usual-film.js';
import { mapRows } from './shot-map.js';
import { subjectsOf } from './studies.js';
import type { NewStudy } from './study-contract.js';
import type { Study } from './study.js';

/** What every call of the engine gets besides its arguments. */
export type CallHooks = { readonly signal: AbortSignal; onEvent(event: RunEvent): void };

/** Options of a run, and the names of videos that it leaves out. */
export type Ranking = { readonly options: OptionsInput; readonly leftOut: readonly string[] };

/** A selection, and what was noted on the way. */
export type Ranked = { readonly selection: Selection; readonly notes: string[] };

/** A topic after its analysis. */
export type Opened = {
  readonly videos: { id: string; path: string }[];
  readonly skipped: { path: string; message: string }[];
};

/**
 * Everything that computes: analysis, ranking, films. It runs in a thread of its own (`engine-worker.ts`), so that no request
 * waits for it; arguments and results are plain data.
 */
export function createEngine() {
  let bench: OpenTopic | null = null;
  /** Videos of a topic that is being opened, or was not opened to the end, as soon as they are analysed. */
  const early = new Map<string, Analysis>();
  /** The ranking that the page shows: `why` and cut lists are about it. */
  let shown: RankedTopic | null = null;
  let map: Promise<ShotMap> | null = null;

  const ready = (): OpenTopic => bench ?? notReady();
  const rank = ({ options, leftOut }: Ranking): Promise<RankedTopic> => {
    const out = new Set(leftOut);
    const opened = ready();
    const without = new Set(opened.videos.filter(({ name }) => out.has(name)).map(({ id }) => id));
    const seconds = opened.videos
      .filter(({ id }) => !without.has(id))
      .map(({ analysis: { start, end, timeBase } }) => toSeconds(end - start, timeBase));
    // A film of a single video would be its summary.
    const concept = seconds.length < 2 ? undefined : usualFilm(seconds.reduce((sum, each) => sum + each, 0));
    return opened.rank({ concept, ...options }, without);
  };
  const analysisOf = (video: string): Analysis | null =>
    early.get(video) ?? bench?.videos.find(({ id }) => id === video)?.analysis ?? null;

  return {
    /** Analyses the videos, and ranks them. The topic that was open stays open if this fails. */
    async open(
      { videos, options, ranking }: { videos: readonly string[]; options: OptionsInput; ranking: Ranking },
      hooks: CallHooks,
    ): Promise<Opened & { ranked: Ranked }> {
      const before = bench;
      early.clear();
      const opened = await openTopic(videos, options, {
        ...hooks,
        onAnalysed: (id, analysis) => void early.set(id, analysis),
      });
      bench = opened;
      try {
        const judged = await rank(ranking);
        [shown, map] = [judged, null];
        early.clear();
        await before?.close();
        const found = opened.videos.map(({ id, info }) => ({ id, path: info.path }));
        const skipped = opened.skipped.map(({ path, message }) => ({ path, message }));
        return { videos: found, skipped, ranked: { selection: selectionOf(judged), notes: [...judged.notes] } };
      } catch (error) {
        bench = before;
        await opened.close();
        throw error;
      }
    },
    /** Ranks the topic under other options; with `isShown`, the page shows the result. */
    async rank({ isShown, ...ranking }: Ranking & { isShown: boolean }): Promise<Ranked> {
      const judged = await rank(ranking);
      if (isShown) shown = judged;
      return { selection: selectionOf(judged), notes: [...judged.notes] };
    },
    async why({ video, shot }: { video: string; shot: number }): Promise<Why> {
      const found = shown?.videos.find(({ id }) => id === video);
      if (!shown || !found?.shots[shot]) {
        throw new UsageError(
          'not-found',
          `Expected a shot of this topic, found shot ${shot} of "${video}". Reload the page.`,
        );
      }
      return whyOf(shown, found, shot);
    },
    async map(): Promise<ShotMap> {
      const { videos, vectors } = ready();
      map ??= vectors().then(async (rows) => {
        const points = await mapRows(rows);
        const shots = videos.flatMap(({ id, analysis }) =>
          analysis.shots.map(({ index }) => ({ video: id, shot: index })),
        );
        return { points: shots.map((place, i) => ({ ...place, ...points[i]! })) };
      });
      return map;
    },
    async cutList(request: CutListRequest & Known): Promise<{ name: string; text: string; notes: string[] }> {
      const paths = new Map(ready().videos.map(({ name, info }) => [name, info.path]));
      return writeCutList(ready().describe(shown ?? notReady()), request, (path) => paths.get(path) ?? path);
    },
    async picture({ video, shot }: { video: string; shot: number }): Promise<Uint8Array | null> {
      const analysis = analysisOf(video);
      return analysis && shot < analysis.shots.length ? analysis.picture(shot) : null;
    },
    /** Cuts, bad stretches and sound of a video, for its lane on the timeline. */
    async track({ video }: { video: string }): Promise<Track> {
      const analysis = analysisOf(video);
      if (!analysis) throw new UsageError('not-found', `Expected a video of this topic, found "${video}".`);
      return trackOf(analysis);
    },
    /** What a new study compares. */
    subjects: ({ study, options }: { study: NewStudy; options: Ranking }): Promise<Study['subjects']> =>
      subjectsOf(study, (wanted) => rank({ ...options, options: { ...options.options, ...wanted } })),
    /** Renders as the command line does; returns the name of the report. */
    async render(
      { videos, options }: { videos: readonly string[]; options: OptionsInput },
      hooks: CallHooks,
    ): Promise<string> {
      return basename((await summarizeTopic(videos, options, hooks)).report);
    },
    async close(): Promise<void> {
      await bench?.close();
      bench = null;
    },
  };
}

export type Engine = ReturnType<typeof createEngine>;

function notReady(): never {
  throw new UsageError('not-ready', 'The analysis is not finished yet. Try again when it is.');
}
