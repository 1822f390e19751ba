import { rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

import { CancelledError, UsageError, type RunEvent } from '../base/index.js';
import { optionsSchema, type OptionsInput } from '../index.js';
import { beginTopic, collectInputs, includeVideos, isTopic, keepOptions, placesOf, wishesWithout, withdrawVideos, type Project, type ProjectVideo } from '../pipeline/index.js'; // prettier-ignore
import { METHOD_NAMES, methods } from '../select/index.js';
import { openFolder, refuseLinks } from '../storage/index.js';
import { RATE_NAMES } from '../timeline/index.js';
import { openClips } from './clips.js';
import { openComments } from './comments.js';
import type { Output, Selection, Steering, Topic } from './contract.js';
import { applyCommand, labelOf, readDocument, writeDocument, type TopicDocument } from './document.js';
import { openEngine } from './engine-client.js';
import type { Ranked, Ranking } from './engine.js';
import { listResults } from './export-selection.js';
import { latestOnly } from './latest-only.js';
import type { NewsFeed } from './news.js';
import type { Backend } from './server.js';
import { keepStudies } from './studies.js';
import { receive, received, type Inbox } from './upload.js';
import { IDLE, type LongWork } from './work.js';

/** An open topic in the studio. Must be closed. */
export type Session = Omit<Backend, 'handlers' | 'subscribe'> & {
  readonly folder: string;
  readonly handlers: Omit<Backend['handlers'], 'folders' | 'openFolder' | 'beginTopic'>;
  close(): Promise<void>;
};

/** `at` is the folder of the topic, if it is not the usual one. */
type SessionOptions = {
  readonly jobs: number | undefined;
  readonly work: LongWork;
  readonly news: NewsFeed;
  readonly maxUpload: number;
  readonly at?: string | undefined;
  readonly proxies: boolean;
};

/** What the page shows before a topic is open. */
export const UNOPENED: Omit<Topic, 'maxUpload'> = {
  ...{
    name: 'Throughline Studio',
    folder: null,
    known: 0,
    selection: null,
    skipped: [],
    notes: [],
    report: null,
    review: null,
  },
  ...{ work: IDLE, clips: [], output: outputOf({}), rates: [...RATE_NAMES] },
  document: { revision: 0, undo: null, redo: null, versions: [], steering: steeringOf({}, []) },
  methods: METHOD_NAMES.map((name) => ({ name, summary: methods[name].summary })),
};

/**
 * Opens a topic: its folder, or a folder of videos, whose topic is then next to it as `NAME-topic`. The files are listed at
 * once and analysed in the background. Settings are saved in the topic's record, so that the command line gives the same
 * result.
 */
export async function openSession(
  given: string,
  { jobs, work, news, maxUpload, at, proxies }: SessionOptions,
): Promise<Session> {
  const folder = at ?? (await topicFolder(given));
  // The run names a file that cannot be read, as it names any other that it cannot use.
  const unreadable: string[] = [];
  const paths = await videosOf(given, folder);
  /** `null` while the files of a new topic are read for the first time. */
  let project: Project | null = (await isTopic(folder)) ? await beginTopic(folder, []) : null;
  const known = (): Project => project ?? { schema: 'topic.1', name: basename(folder), options: {}, videos: [] };
  const filesOf = (of: Project): string[] => {
    const { videos, leftOut } = placesOf(folder, of);
    return [...videos, ...leftOut];
  };
  const names = (): string[] => known().videos.map(({ path }) => basename(path));
  const inbox: Inbox = { folder: join(folder, 'videos'), maxBytes: maxUpload, names };
  const [studyFolder, proxyFolder] = [join(folder, 'studies'), join(folder, 'proxies')];
  // The folder may come from somebody else: what is written here must not leave it through a link.
  const { out, cache } = placesOf(folder, known());
  if (!project) await openFolder(folder);
  for (const place of [out, cache, studyFolder, proxyFolder, inbox.folder]) await refuseLinks(place, folder);

  const kept = (): OptionsInput => known().options as OptionsInput;
  const limits = jobs === undefined ? {} : { jobs };
  let document: TopicDocument = await documentOf(folder, known());
  let ranked: Ranked | null = null;
  let skipped: readonly { readonly path: string; readonly message: string }[] = [];
  let report: string | null = null;

  const clips = openClips(proxyFolder, (list) => news.emit('clips', list), proxies);
  await clips.setFiles(project ? filesOf(project) : paths);
  const engine = openEngine();
  const comments = await openComments(folder, (all) => news.emit('comments', all));
  const position = () => ({
    revision: document.revision,
    undo: document.past.at(-1)?.label ?? null,
    redo: document.future.at(-1)?.label ?? null,
    versions: [...document.versions],
  });
  const setDocument = (next: TopicDocument): void => {
    document = next;
    news.emit('document', position());
  };
  setDocument(document);
  const onEvent = (event: RunEvent): void => {
    work.onEvent(event);
    clips.onEvent(event);
  };

  const rankingOf = (steering: Steering): Ranking => ({
    options: wishesWithout({ ...kept(), ...givenBy(steering) }, steering.leftOut),
    leftOut: steering.leftOut,
  });
  const rank = (steering: Steering, isShown: boolean): Promise<Ranked> =>
    engine.call('rank', { ...rankingOf(steering), isShown });
  const shown = ({ selection }: Ranked, steering: Steering): Selection => ({ ...selection, steering });
  const preview = latestOnly(async (steering: Steering) => shown(await rank(steering, false), steering));

  /** Reads the files of a new topic once, so that it can tell later whether they are the same. */
  const begin = async (): Promise<Project> => {
    if (project) return project;
    onEvent({ type: 'stage-started', stage: 'probe', total: paths.length });
    project = await beginTopic(folder, paths, { onUnreadable: (path) => void unreadable.push(path) });
    setDocument(await documentOf(folder, project));
    return project;
  };
  const look = async (signal: AbortSignal): Promise<void> => {
    const current = await begin();
    const { out, cache } = placesOf(folder, current);
    const videos = [...filesOf(current), ...unreadable];
    await clips.setFiles(videos);
    const options = { ...kept(), topic: current.name, out, cache, ...limits };
    const ranking = rankingOf(document.steering);
    const { concept, ...others } = ranking.options;
    // The first film of a topic is as long as its footage suggests.
    const first = concept === undefined ? { ...ranking, options: others } : ranking;
    const opened = await engine.call('open', { videos, options, ranking: first }, { onEvent, signal });
    ({ ranked, skipped } = opened);
    clips.setSkipped(skipped);
    const { steering } = opened.ranked.selection;
    document = { ...document, steering: { ...document.steering, concept: steering.concept } };
    // What was changed meanwhile counts.
    ranked = await rank(document.steering, true);
    setDocument(document);
  };
  /** Adds the videos that were sent to the topic. Those that cannot be used, or are in it already, are deleted again. */
  const include = async (signal: AbortSignal): Promise<void> => {
    const had = new Set(filesOf(known()));
    const sent = (await received(inbox)).filter((path) => !had.has(path));
    const { project: grown, added, known: twins } = await includeVideos(folder, sent);
    const before = document;
    project = grown;
    // The record may have been changed from outside.
    setDocument(await documentOf(folder, grown));
    const drop = async (videos: readonly ProjectVideo[]): Promise<void> => {
      for (const { path } of videos) await rm(resolve(folder, path), { force: true });
      if (videos.length > 0) project = await withdrawVideos(folder, videos);
      await clips.setFiles(filesOf(known()));
    };
    for (const path of twins) {
      await rm(path, { force: true });
      const item = basename(path);
      const message = `"${item}" has the same content as a video of this topic, so it was not added.`;
      onEvent({ type: 'skipped', item, code: 'duplicate', message });
    }
    try {
      if (added.length > 0) await look(signal);
    } catch (error) {
      if (!(error instanceof CancelledError)) await drop(added);
      setDocument({ ...before, revision: document.revision + 1 });
      throw error;
    }
    const left = new Set(skipped.map(({ path }) => path));
    await drop(added.filter(({ path }) => left.has(basename(path))));
  };

  /** Edits are made one after the other: each is checked against the revision that the one before it left. */
  let lastEdit: Promise<unknown> = Promise.resolve();
  const edit = async (revision: number, command: Parameters<typeof applyCommand>[1]): Promise<void> => {
    if (!project) throw new UsageError('not-ready', 'The files are still being read. Try again in a moment.');
    if (revision !== document.revision) {
      throw new UsageError(
        'stale',
        `Somebody else changed the topic first${document.past.length > 0 ? ` (${document.past.at(-1)!.label})` : ''}. “${labelOf(command)}” was not applied.`,
      );
    }
    const next = applyCommand(document, command);
    if (next === document) return;
    // A change that cannot be ranked is refused before anything is saved.
    if (next.steering !== document.steering) {
      if (ranked) ranked = await rank(next.steering, true);
      project = await keepOptions(folder, givenBy(next.steering), next.steering.leftOut);
    }
    await writeDocument(folder, next);
    setDocument(next);
  };

  const studies = keepStudies(studyFolder, (study) =>
    engine.call('subjects', { study, options: rankingOf(document.steering) }),
  );
  const selection = (): Selection | null => ranked && shown(ranked, document.steering);

  if (paths.length + known().videos.length > 0) work.begin('analysing', look);
  return {
    folder,
    studyCsv: studies.csv,
    handlers: {
      ...studies.handlers,
      readTopic: async (): Promise<Topic> => ({
        ...UNOPENED,
        ...{ name: known().name, folder, known: clips.list().length, maxUpload, work: work.now() },
        ...{ clips: [...clips.list()], document: { ...position(), steering: document.steering } },
        selection: selection(),
        skipped: skipped.map(({ message }) => message),
        notes: ranked?.notes ?? [],
        output: outputOf(kept()),
        report,
      }),
      preview: ({ body }) => preview(body),
      edit: async ({ body: { revision, command } }) => {
        const done = lastEdit.then(() => edit(revision, command));
        lastEdit = done.catch(() => undefined);
        await done;
        return { document: { ...position(), steering: document.steering }, selection: selection() };
      },
      why: ({ parameters: { video, shot } }) => engine.call('why', { video, shot: Number(shot) }),
      track: ({ parameters: { video } }) => engine.call('track', { video }),
      requestProxy: async ({ parameters: { clip } }) => {
        clips.requestProxy(clip);
        return {};
      },
      map: () => engine.call('map', undefined as never),
      compare: async ({ body }) => {
        const selections: Selection[] = [];
        for (const steering of body.settings) selections.push(shown(await rank(steering, false), steering));
        return { selections };
      },
      render: async ({ body }) =>
        work.begin('rendering', async (signal) => {
          const { steering } = document;
          const output = { ...body, music: body.music ?? undefined };
          project = await keepOptions(folder, { ...givenBy(steering), ...output }, steering.leftOut);
          const { videos, out, cache, leftOut } = placesOf(folder, project);
          const options = { topic: project.name, ...wishesWithout(kept(), leftOut), out, cache, ...limits };
          const name = await engine.call('render', { videos, options }, { onEvent: work.onEvent, signal });
          report = `/results/${encodeURIComponent(name)}`;
        }),
      cancel: async () => work.cancel(),
      cutList: ({ body }) =>
        engine.call('cutList', { ...body, comments: [...comments.list()], proxies: clips.proxies() }),
      upload: async ({ parameters: { name }, body }) => receive(inbox, name, body.bytes, body.declared),
      include: async () => work.begin('analysing', include),
      look: async () => work.begin('analysing', look),
      readReview: async () => {
        const found = selection();
        const rates = new Map(found?.videos.map(({ id, frameRate }) => [id, frameRate]));
        const film = (found?.film?.shots ?? []).map(({ video, from, to }) => {
          return { video, from, to, frameRate: rates.get(video)! };
        });
        const { studies: all } = await studies.handlers.readStudies({ parameters: {}, body: undefined });
        const open = all.filter(({ ended }) => !ended).map(({ id, keyWord }) => ({ id, keyWord }));
        const played = new Set(film.map(({ video }) => video));
        return {
          ...{ name: known().name, film, comments: [...comments.list()], studies: open },
          clips: clips.list().filter(({ id }) => played.has(id)),
        };
      },
      comment: async ({ body }) => {
        if (!clips.list().some(({ id }) => id === body.video)) {
          throw new UsageError('not-found', `Expected a video of this topic, found "${body.video}".`);
        }
        return comments.add(body);
      },
      settleComment: ({ parameters, body }) => comments.settle(parameters.comment, body.isDone),
      deleteComment: ({ parameters }) => comments.delete(parameters.comment),
      listResults: async () => ({ files: await listResults(placesOf(folder, known()).out) }),
    },
    picture: async (video, shot) => {
      if (shot === 'first') return clips.firstPicture(video);
      const isKnown = clips.list().some(({ id }) => id === video);
      return isKnown ? engine.call('picture', { video, shot }).catch(() => null) : null;
    },
    media: (video) => clips.playable(video),
    results: () => placesOf(folder, known()).out,
    close: async () => void (await Promise.all([clips.close(), engine.close()])),
  };
}

/** The folder of a topic: the given folder itself, or the one next to a folder of videos. */
export async function topicFolder(given: string): Promise<string> {
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

/** The settings of a topic and their history, by what is stored in its folder. */
function documentOf(folder: string, { options, videos }: Project): Promise<TopicDocument> {
  const leftOut = videos.filter((video) => video.leftOut).map(({ path }) => basename(path));
  return readDocument(folder, steeringOf(options as OptionsInput, leftOut.toSorted()));
}

/** Stored options as settings of the page. */
function steeringOf(kept: OptionsInput, leftOut: string[]): Steering {
  const {
    length,
    shared,
    method,
    concept = null,
    pin = [],
    veto = [],
    sequence = [],
    topicSequence = [],
  } = optionsSchema.parse(kept);
  return { length, shared, method, concept, pin, veto, sequence, topicSequence, leftOut };
}

/** What is made besides the report, by the saved options. */
function outputOf(kept: OptionsInput): Output {
  const { films, format, preview, pictures, surround, music = null } = optionsSchema.parse(kept);
  return { films, format, preview, pictures, surround, music };
}

/** Steering as options of a run. */
function givenBy(steering: Steering): OptionsInput {
  const { leftOut: _, ...options } = steering;
  return { ...options, concept: steering.concept ?? undefined };
}
