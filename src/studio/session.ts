import { basename, dirname, join, resolve } from 'node:path';

import { CancelledError, messageOf, type RunEvent, toSeconds, UsageError } from '../base/index.js';
import { openWorkbench, summarizeTopic, type Judged, type OptionsInput, type TopicBench } from '../index.js';
import { collectInputs } from '../inputs.js';
import { beginTopic, isTopic, keepOptions, placesOf, type Project } from '../project/index.js';
import { methods, METHOD_NAMES } from '../select/index.js';
import type { Selection, Steering, Topic, Work } from './contract.js';
import { selectionOf } from './selection.js';
import type { Backend } from './server.js';
import { mapRows } from './shot-map.js';
import { keepStudies } from './studies.js';

const IDLE: Work = { state: 'idle', stage: null, fraction: null, item: null, message: null };

/** A topic in the studio. Must be closed. */
export type Session = Backend & { close(): void };

/**
 * Opens a topic: its own folder, or a folder of videos, whose topic then stands beside it as `NAME-topic`. Looking at the
 * videos goes on behind; what is steered is kept in the topic's record, so that the command line gives the same.
 */
export async function openSession(given: string, { jobs }: { jobs?: number | undefined } = {}): Promise<Session> {
  const folder = await topicFolder(given);
  let project: Project = await beginTopic(folder, await videosOf(given, folder));
  let work: Work = IDLE;
  let bench: TopicBench | null = null;
  let judged: Judged | null = null;
  let report: string | null = null;
  let stop = new AbortController();
  const listeners = new Set<(work: Work) => void>();
  const limits = jobs === undefined ? {} : { jobs };

  const tell = (next: Work): Work => {
    work = next;
    for (const listener of listeners) listener(work);
    return work;
  };
  const onEvent = (event: RunEvent): void => {
    if (event.type !== 'progress' || work.state === 'idle') return;
    tell({ ...work, stage: event.stage, fraction: Math.min(1, event.fraction), item: event.item });
  };

  /** Does one piece of long work at a time, behind; what goes wrong is said. */
  const begin = (state: 'analysing' | 'rendering', task: (signal: AbortSignal) => Promise<void>): Work => {
    if (work.state === 'analysing' || work.state === 'rendering') {
      throw new UsageError('busy', 'The studio is at work already. Wait for it, or cancel it.');
    }
    stop = new AbortController();
    const started = tell({ ...IDLE, state, fraction: 0 });
    task(stop.signal).then(
      () => tell(IDLE),
      (error: unknown) =>
        tell(
          error instanceof CancelledError
            ? { ...IDLE, message: 'Cancelled; what was finished is kept.' }
            : { ...IDLE, state: 'failed', message: messageOf(error) },
        ),
    );
    return started;
  };

  const kept = (): OptionsInput => project.options as OptionsInput;
  const ready = (): TopicBench => {
    if (bench) return bench;
    throw new UsageError('not-ready', 'The videos are still being looked at. Try again when that is done.');
  };
  const optionsFor = (steering: Steering): OptionsInput => ({ ...kept(), ...givenBy(steering) });
  const judge = async (steering: Steering): Promise<Judged> => ready().judge(optionsFor(steering));
  const shotOf = (video: string, shot: string): { video: Judged['videos'][number]; shot: number } => {
    const found = judged?.videos.find(({ id }) => id === video);
    if (found?.shots[Number(shot)]) return { video: found, shot: Number(shot) };
    throw new UsageError('not-found', `There is no shot ${shot} of a video "${video}" in this topic.`);
  };

  const look = (): Work =>
    begin('analysing', async (signal) => {
      const { videos, ...places } = placesOf(folder, project);
      bench = await openWorkbench(
        videos,
        { ...kept(), topic: project.name, ...places, ...limits },
        { onEvent, signal },
      );
      judged = await bench.judge({ concept: usualFilm(bench), ...kept() });
    });

  const studies = keepStudies(join(folder, 'studies'), (options) => ready().judge({ ...kept(), ...options }));

  look();
  return {
    studyCsv: studies.csv,
    handlers: {
      ...studies.handlers,
      readTopic: async (): Promise<Topic> => ({
        name: project.name,
        work,
        selection: judged && selectionOf(judged),
        skipped: bench?.skipped.map(({ message }) => message) ?? [],
        notes: judged ? [...judged.notes] : [],
        methods: METHOD_NAMES.map((name) => ({ name, summary: methods[name].summary })),
        report,
      }),
      judge: async ({ body }) => selectionOf(await judge(body)),
      steer: async ({ body }) => {
        judged = await judge(body);
        project = await keepOptions(folder, givenBy(body));
        return selectionOf(judged);
      },
      why: async ({ parameters }) => {
        const { video, shot } = shotOf(parameters.video, parameters.shot);
        const { own, shared } = video.shots[shot]!;
        return { own, shared, support: video.supportOf(shot) };
      },
      map: async () => {
        const { videos, vectors } = ready();
        const points = mapRows(vectors());
        const places = videos.flatMap(({ id, analysis }) =>
          analysis.shots.map(({ index }) => ({ video: id, shot: index })),
        );
        return { points: places.map((place, i) => ({ ...place, ...points[i]! })) };
      },
      compare: async ({ body }) => {
        const selections: Selection[] = [];
        for (const steering of body.settings) selections.push(selectionOf(await judge(steering)));
        return { selections };
      },
      render: async () =>
        begin('rendering', async (signal) => {
          if (judged) project = await keepOptions(folder, givenBy(selectionOf(judged).steering));
          const { videos, ...places } = placesOf(folder, project);
          const options = { topic: project.name, ...kept(), ...places, ...limits };
          const outcome = await summarizeTopic(videos, options, { onEvent, signal });
          report = `/results/${encodeURIComponent(basename(outcome.report))}`;
        }),
      cancel: async () => {
        stop.abort();
        return work;
      },
    },
    picture: async (video, shot) => {
      const found = bench?.videos.find(({ id }) => id === video);
      return found && shot < found.analysis.shots.length ? found.analysis.picture(shot) : null;
    },
    media: (video) => bench?.videos.find(({ id }) => id === video)?.info.path ?? null,
    results: () => placesOf(folder, project).out,
    watch(onWork) {
      listeners.add(onWork);
      onWork(work);
      return () => listeners.delete(onWork);
    },
    close: () => stop.abort(),
  };
}

async function topicFolder(given: string): Promise<string> {
  const folder = resolve(given);
  return (await isTopic(folder)) ? folder : join(dirname(folder), `${basename(folder)}-topic`);
}

async function videosOf(given: string, folder: string): Promise<string[]> {
  if (await isTopic(folder)) return [];
  const { inputs } = await collectInputs([given], { recursive: false, out: folder });
  return inputs.map(({ path }) => path);
}

/** Steering as options of a run. */
function givenBy({ concept, ...steering }: Steering): OptionsInput {
  return { ...steering, concept: concept ?? undefined };
}

/** A minute, as the command line has it, or a quarter of what there is; none of one video alone. */
function usualFilm({ videos }: TopicBench): string | undefined {
  const seconds = videos.reduce((sum, { analysis: { start, end, timeBase } }) => sum + toSeconds(end - start, timeBase), 0); // prettier-ignore
  return videos.length < 2 ? undefined : `${Math.max(1, Math.min(60, Math.round(seconds / 4)))}s`;
}
