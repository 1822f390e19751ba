import { CancelledError, UsageError } from '../base/index.js';
import { openTopics, routes, type Backend, type Command, type Topic, type Work } from '../studio/index.js';
import { addNewVideos, type Roots } from './folders.js';

/** A topic that is open, as the studio has it open. */
export type Desk = {
  /** The folder of its videos, and that of the topic, where everything is written. */
  readonly folder: string;
  readonly topic: string;
  readonly handlers: Backend['handlers'];
  readonly picture: Backend['picture'];
  /** The folder of the results. */
  readonly results: string;
  read(): Promise<Topic>;
  /** Changes the settings; agents call several tools at once, so changes are made one after the other. */
  edit(command: Command): Promise<Awaited<ReturnType<Backend['handlers']['edit']>>>;
  /**
   * Waits until no work is under way, or for so many seconds. If the caller is cancelled and `owns` the work, the work is
   * cancelled too, unless somebody else waits for it.
   */
  settle(hooks: WaitHooks & { readonly seconds: number; readonly owns: boolean }): Promise<Work>;
};

/** What waiting needs of a request. */
type WaitHooks = { readonly signal: AbortSignal; readonly onWork: (work: Work) => void };

/** The topics of a server. Must be closed. */
export type Desks = {
  /** The topic of a folder; it is opened, and its analysis begins, unless it is open. */
  open(folder: string): Promise<Desk>;
  /** The topic of a folder that is open; throws if it is not. */
  find(folder: string): Promise<Desk>;
  close(): Promise<void>;
};

/** Each open topic has a thread, and its vectors in memory. */
const MAX_OPEN = 4;

type Open = { readonly desk: Promise<Desk>; close(): Promise<void> };

export function openDesks(roots: Roots, jobs: number | undefined): Desks {
  /** By folder of the topic, the one used last at the end. */
  const desks = new Map<string, Open>();
  let isClosed = false;

  const make = (folder: string, topic: string): Open => {
    const backend = openTopics(folder, { jobs, at: topic, proxies: false });
    return {
      desk: backend.then((opened) => deskOf(folder, topic, opened)),
      close: () => backend.then((opened) => opened.close()).catch(() => undefined),
    };
  };
  const makeRoom = async (): Promise<void> => {
    if (desks.size < MAX_OPEN) return;
    for (const [topic, open] of desks) {
      const found = await open.desk.then((desk) => desk.read()).catch(() => null);
      if (found !== null && isBusy(found.work)) continue;
      desks.delete(topic);
      return open.close();
    }
    throw new UsageError(
      'busy',
      `Expected at most ${MAX_OPEN} topics at work, found that all are. Wait, or cancel one.`,
    );
  };
  /** Topics are opened one after the other, so that none is opened twice. */
  let last: Promise<unknown> = Promise.resolve();
  const open = async (named: string, begins: boolean): Promise<Desk> => {
    const folder = await roots.find(named);
    const topic = await roots.topicOf(folder);
    if (isClosed) throw new CancelledError();
    let known = desks.get(topic);
    if (known) desks.delete(topic);
    else if (!begins) {
      throw new UsageError('not-open', `Expected a folder that is open, found "${named}". Ask for "analyse" first.`);
    } else {
      await makeRoom();
      await addNewVideos(folder, topic);
      known = make(folder, topic);
    }
    desks.set(topic, known);
    return known.desk.catch((error: unknown) => {
      desks.delete(topic);
      throw error;
    });
  };
  const inTurn = (named: string, begins: boolean): Promise<Desk> => {
    const opened = last.then(() => open(named, begins));
    last = opened.catch(() => undefined);
    return opened;
  };
  return {
    open: (named) => inTurn(named, true),
    find: (named) => inTurn(named, false),
    async close() {
      isClosed = true;
      await last;
      await Promise.all([...desks.values()].map((each) => each.close()));
    },
  };
}

/** Whether work is under way. */
export function isBusy({ state }: Work): boolean {
  return state === 'analysing' || state === 'rendering';
}

/** Handlers that refuse what the server of the studio would refuse, before anything is stored. */
function checked(handlers: Backend['handlers']): Backend['handlers'] {
  const all = Object.entries(routes).map(([name, route]) => {
    const handle = handlers[name as 'edit'] as (request: { parameters: object; body: unknown }) => Promise<unknown>;
    return [
      name,
      async ({ parameters, body }: { parameters: object; body: unknown }) => {
        const schema = 'body' in route ? route.body : undefined;
        const read = schema?.safeParse(body);
        if (read === undefined || read.success) return handle({ parameters, body: read?.data ?? body });
        const issue = read.error.issues[0];
        const where = issue?.path.join('.') || 'request';
        throw new UsageError('bad-request', `Expected a valid ${where}: ${issue?.message}.`);
      },
    ];
  });
  return Object.fromEntries(all) as Backend['handlers'];
}

function deskOf(folder: string, topic: string, opened: Backend): Desk {
  const backend = { ...opened, handlers: checked(opened.handlers) };
  let waiting = 0;
  let lastEdit: Promise<unknown> = Promise.resolve();
  const read = (): Promise<Topic> => backend.handlers.readTopic({ parameters: {}, body: undefined });
  return {
    ...{ folder, topic, read, results: backend.results() ?? topic },
    handlers: backend.handlers,
    picture: (video, shot) => backend.picture(video, shot),
    edit(command) {
      const done = lastEdit.then(async () => {
        const { revision } = (await read()).document;
        return backend.handlers.edit({ parameters: {}, body: { revision, command } });
      });
      lastEdit = done.catch(() => undefined);
      return done;
    },
    async settle({ seconds, signal, owns, onWork }) {
      waiting++;
      let stop = (): void => undefined;
      await new Promise<void>((resolve) => {
        const unsubscribe = backend.subscribe((kind, data) => {
          if (kind !== 'work') return;
          onWork(data as Work);
          if (!isBusy(data as Work)) resolve();
        });
        const timer = setTimeout(resolve, seconds * 1000);
        const abort = (): void => resolve();
        signal.addEventListener('abort', abort);
        if (signal.aborted) resolve();
        stop = () => {
          unsubscribe();
          clearTimeout(timer);
          signal.removeEventListener('abort', abort);
        };
      });
      stop();
      waiting--;
      if (signal.aborted) {
        if (owns && waiting === 0) await backend.handlers.cancel({ parameters: {}, body: undefined });
        throw new CancelledError();
      }
      return (await read()).work;
    },
  };
}
