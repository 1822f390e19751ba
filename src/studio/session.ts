import { rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

import { CancelledError, toSeconds, UsageError } from '../base/index.js';
import {
  openWorkbench,
  optionsSchema,
  summarizeTopic,
  type Judged,
  type OptionsInput,
  type Workbench,
} from '../index.js';
import { RATE_NAMES } from '../export/index.js';
import { collectInputs } from '../stages/index.js';
import {
  beginTopic,
  includeVideos,
  isTopic,
  keepOptions,
  placesOf,
  withdrawVideos,
  type Project,
  type ProjectVideo,
} from '../project/index.js';
import { methods, METHOD_NAMES } from '../select/index.js';
import { refuseLinks } from '../store/index.js';
import type { Selection, Steering, Topic } from './contract.js';
import type { Output } from './export-contract.js';
import { listResults, writeCutList } from './export-selection.js';
import { selectionOf, whyOf } from './selection.js';
import { latestOnly } from './latest-only.js';
import type { Backend } from './server.js';
import { mapRows } from './shot-map.js';
import { keepStudies } from './studies.js';
import { receive, received, type Inbox } from './upload.js';
import { usualFilm } from './shared/usual-film.js';
import { IDLE, type LongWork } from './work.js';

/** An open topic in the studio. Must be closed. */
export type Session = Omit<Backend, 'handlers' | 'watch'> & {
  readonly handlers: Omit<Backend['handlers'], 'places' | 'openPlace' | 'beginTopic'>;
  close(): Promise<void>;
};

/** What the page shows before a topic is open. */
export const UNOPENED: Omit<Topic, 'mostUpload'> = {
  ...{ name: 'Throughline Studio', folder: null, known: 0, selection: null, skipped: [], notes: [], report: null },
  ...{ work: IDLE, output: outputOf({}), rates: [...RATE_NAMES] },
  methods: METHOD_NAMES.map((name) => ({ name, summary: methods[name].summary })),
};

/**
 * Opens a topic: its folder, or a folder of videos, whose topic is then next to it as `NAME-topic`. The videos are analysed
 * in the background. Settings are saved in the topic's record, so that the command line gives the same result.
 */
export async function openSession(
  given: string,
  { jobs, work, mostUpload }: { jobs: number | undefined; work: LongWork; mostUpload: number },
): Promise<Session> {
  const folder = await topicFolder(given);
  // The run names a file that cannot be read, as it names any other that it cannot use.
  const unreadable: string[] = [];
  const onUnreadable = (path: string): void => void unreadable.push(path);
  let project: Project = await beginTopic(folder, await videosOf(given, folder), { onUnreadable });
  const names = (): string[] => project.videos.map(({ path }) => basename(path));
  const inbox: Inbox = { folder: join(folder, 'videos'), mostBytes: mostUpload, names };
  const studyFolder = join(folder, 'studies');
  // The folder may come from somebody else: what is written here must not leave it through a link.
  const { out, cache } = placesOf(folder, project);
  for (const place of [out, cache, studyFolder, inbox.folder]) await refuseLinks(place, folder);
  let bench: Workbench | null = null;
  let judged: Judged | null = null;
  let report: string | null = null;
  const { onEvent } = work;
  /** The map of a topic stays as it is until the topic has other videos. */
  const maps = new WeakMap<Workbench, Awaited<ReturnType<typeof mapRows>>>();
  const limits = jobs === undefined ? {} : { jobs };

  const kept = (): OptionsInput => project.options as OptionsInput;
  const ready = (): Workbench => bench ?? notReady();
  const shown = (): Judged => judged ?? notReady();
  const optionsFor = (steering: Steering): OptionsInput => ({ ...kept(), ...givenBy(steering) });
  const judge = async (steering: Steering): Promise<Judged> => ready().judge(optionsFor(steering));
  const preview = latestOnly(judge);
  const shotOf = (video: string, shot: string): { video: Judged['videos'][number]; shot: number } => {
    const found = judged?.videos.find(({ id }) => id === video);
    if (found?.shots[Number(shot)]) return { video: found, shot: Number(shot) };
    throw new UsageError(
      'not-found',
      `Expected a shot of this topic, found shot ${shot} of "${video}". Reload the page.`,
    );
  };

  const look = async (signal: AbortSignal): Promise<void> => {
    const { videos, ...places } = placesOf(folder, project);
    const options = { ...kept(), topic: project.name, ...places, ...limits };
    const opened = await openWorkbench([...videos, ...unreadable], options, { onEvent, signal });
    let unused: Workbench | null = opened;
    try {
      judged = await opened.judge({ concept: firstFilm(opened), ...kept() });
      [unused, bench] = [bench, opened];
    } finally {
      await unused?.close();
    }
  };
  /** Adds the videos that were sent to the topic. Those that cannot be used, or are in it already, are deleted again. */
  const include = async (signal: AbortSignal): Promise<void> => {
    const had = new Set(placesOf(folder, project).videos);
    const sent = (await received(inbox)).filter((path) => !had.has(path));
    const { project: grown, added, known } = await includeVideos(folder, sent);
    project = grown;
    const drop = async (videos: readonly ProjectVideo[]): Promise<void> => {
      for (const { path } of videos) await rm(resolve(folder, path), { force: true });
      if (videos.length > 0) project = await withdrawVideos(folder, videos);
    };
    for (const path of known) {
      await rm(path, { force: true });
      const item = basename(path);
      const message = `"${item}" has the same content as a video of this topic, so it was not added.`;
      onEvent({ type: 'skipped', item, code: 'duplicate', message });
    }
    try {
      if (added.length > 0) await look(signal);
    } catch (error) {
      if (!(error instanceof CancelledError)) await drop(added);
      throw error;
    }
    const left = new Set(bench?.skipped.map(({ path }) => path));
    await drop(added.filter(({ path }) => left.has(basename(path))));
  };

  const studies = keepStudies(studyFolder, (options) => ready().judge({ ...kept(), ...options }));

  if (project.videos.length + unreadable.length > 0) work.begin('analysing', look);
  return {
    studyCsv: studies.csv,
    handlers: {
      ...studies.handlers,
      readTopic: async (): Promise<Topic> => ({
        ...UNOPENED,
        ...{ name: project.name, folder, known: project.videos.length, mostUpload, work: work.now() },
        selection: judged && selectionOf(judged),
        skipped: bench?.skipped.map(({ message }) => message) ?? [],
        notes: judged ? [...judged.notes] : [],
        output: outputOf(kept()),
        report,
      }),
      judge: async ({ body }) => selectionOf(await preview(body)),
      steer: async ({ body }) => {
        judged = await judge(body);
        project = await keepOptions(folder, givenBy(body));
        return selectionOf(judged);
      },
      why: async ({ parameters }) => {
        const { video, shot } = shotOf(parameters.video, parameters.shot);
        return whyOf(shown(), video, shot);
      },
      map: async () => {
        const opened = ready();
        const { videos, vectors } = opened;
        const points = await (maps.get(opened) ?? mapRows(await vectors()));
        maps.set(opened, points);
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
          project = await keepOptions(folder, { ...steered, ...body, music: body.music ?? undefined });
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
      upload: async ({ parameters: { name }, body }) => receive(inbox, name, body.bytes, body.declared),
      include: async () => work.begin('analysing', include),
      look: async () => work.begin('analysing', look),
      listResults: async () => ({ files: await listResults(placesOf(folder, project).out) }),
    },
    picture: async (video, shot) => {
      const found = bench?.videos.find(({ id }) => id === video);
      return found && shot < found.analysis.shots.length ? found.analysis.picture(shot) : null;
    },
    media: (video) => bench?.videos.find(({ id }) => id === video)?.info.path ?? null,
    results: () => placesOf(folder, project).out,
    close: async () => bench?.close(),
  };
}

async function topicFolder(given: string): Promise<string> {
  const folder = resolve(given);
  return (await isTopic(folder)) ? folder : join(dirname(folder), `${basename(folder)}-topic`);
}

async function videosOf(given: string, folder: string): Promise<string[]> {
  if (await isTopic(folder)) return [];
  const { inputs } = await collectInputs([given], { recursive: false, out: folder }).catch((error: unknown) => {
    // A folder without videos becomes a topic that waits for some.
    if (error instanceof UsageError && error.code === 'no-videos') return { inputs: [] };
    throw error;
  });
  return inputs.map(({ path }) => path);
}

function notReady(): never {
  throw new UsageError('not-ready', 'The analysis is not finished yet. Try again when it is.');
}

/** What is made besides the report, by the saved options. */
function outputOf(kept: OptionsInput): Output {
  const { films, format, preview, pictures, surround, music = null } = optionsSchema.parse(kept);
  return { films, format, preview, pictures, surround, music };
}

/** Steering as options of a run. */
function givenBy({ concept, ...steering }: Steering): OptionsInput {
  return { ...steering, concept: concept ?? undefined };
}

/** Default length of the film of the topic; none for a single video. */
function firstFilm({ videos }: Workbench): string | undefined {
  const seconds = videos.reduce((sum, { analysis: { start, end, timeBase } }) => sum + toSeconds(end - start, timeBase), 0); // prettier-ignore
  return videos.length < 2 ? undefined : usualFilm(seconds);
}
