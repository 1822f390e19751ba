import { basename, dirname, join, resolve } from 'node:path';

import { toSeconds, UsageError } from '../base/index.js';
import {
  openWorkbench,
  optionsSchema,
  summarizeTopic,
  type Judged,
  type OptionsInput,
  type TopicBench,
} from '../index.js';
import { RATE_NAMES } from '../export/index.js';
import { collectInputs } from '../inputs.js';
import { beginTopic, isTopic, keepOptions, placesOf, type Project } from '../project/index.js';
import { methods, METHOD_NAMES } from '../select/index.js';
import type { Selection, Steering, Topic, Work } from './contract.js';
import type { Output } from './export-contract.js';
import { listResults, writeCutList } from './export-selection.js';
import { selectionOf } from './selection.js';
import type { Backend } from './server.js';
import { mapRows } from './shot-map.js';
import { keepStudies } from './studies.js';
import { openWork } from './work.js';

/** A topic in the studio. Must be closed. */
export type Session = Backend & { close(): void };

/**
 * Opens a topic: its own folder, or a folder of videos, whose topic then stands beside it as `NAME-topic`. Looking at the
 * videos goes on behind; what is steered is kept in the topic's record, so that the command line gives the same.
 */
export async function openSession(given: string, { jobs }: { jobs?: number | undefined } = {}): Promise<Session> {
  const folder = await topicFolder(given);
  let project: Project = await beginTopic(folder, await videosOf(given, folder));
  const work = openWork();
  let bench: TopicBench | null = null;
  let judged: Judged | null = null;
  let report: string | null = null;
  const { onEvent } = work;
  const limits = jobs === undefined ? {} : { jobs };

  const kept = (): OptionsInput => project.options as OptionsInput;
  const ready = (): TopicBench => bench ?? notReady();
  const shown = (): Judged => judged ?? notReady();
  const optionsFor = (steering: Steering): OptionsInput => ({ ...kept(), ...givenBy(steering) });
  const judge = async (steering: Steering): Promise<Judged> => ready().judge(optionsFor(steering));
  const shotOf = (video: string, shot: string): { video: Judged['videos'][number]; shot: number } => {
    const found = judged?.videos.find(({ id }) => id === video);
    if (found?.shots[Number(shot)]) return { video: found, shot: Number(shot) };
    throw new UsageError('not-found', `There is no shot ${shot} of a video "${video}" in this topic.`);
  };

  const look = (): Work =>
    work.begin('analysing', async (signal) => {
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
        work: work.now(),
        selection: judged && selectionOf(judged),
        skipped: bench?.skipped.map(({ message }) => message) ?? [],
        notes: judged ? [...judged.notes] : [],
        methods: METHOD_NAMES.map((name) => ({ name, summary: methods[name].summary })),
        rates: [...RATE_NAMES],
        output: outputOf(kept()),
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
      render: async ({ body }) =>
        work.begin('rendering', async (signal) => {
          const steered = judged ? givenBy(selectionOf(judged).steering) : {};
          project = await keepOptions(folder, { ...steered, ...body });
          const { videos, ...places } = placesOf(folder, project);
          const options = { topic: project.name, ...kept(), ...places, ...limits };
          const outcome = await summarizeTopic(videos, options, { onEvent, signal });
          report = `/results/${encodeURIComponent(basename(outcome.report))}`;
        }),
      cancel: async () => work.cancel(),
      cutList: async ({ body }) => {
        const paths = new Map(ready().videos.map(({ name, info }) => [name, info.path]));
        return writeCutList(ready().describe(shown()), body, (path) => paths.get(path) ?? path);
      },
      listResults: async () => ({ files: await listResults(placesOf(folder, project).out) }),
    },
    picture: async (video, shot) => {
      const found = bench?.videos.find(({ id }) => id === video);
      return found && shot < found.analysis.shots.length ? found.analysis.picture(shot) : null;
    },
    media: (video) => bench?.videos.find(({ id }) => id === video)?.info.path ?? null,
    results: () => placesOf(folder, project).out,
    watch: work.watch,
    close: () => void work.cancel(),
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

function notReady(): never {
  throw new UsageError('not-ready', 'The videos are still being looked at. Try again when that is done.');
}

/** What is made beside the report, as the options kept say. */
function outputOf(kept: OptionsInput): Output {
  const { films, format, preview, pictures } = optionsSchema.parse(kept);
  return { films, format, preview, pictures };
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
