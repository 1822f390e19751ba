import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { asExhausted, CancelledError, ThroughlineError, UsageError } from '../base/index.js';
import type { OptionsInput } from '../options/index.js';
import { writeParts } from '../storage/index.js';
import type { Tenant } from './config.js';
import { recordSchema, type Progress, type TopicRecord, type TopicView } from './contract.js';
import { checkWishes, findFolder, hidePaths, withoutPaths } from './places.js';
import { makeTurns } from './turns.js';
import { checkDestination, deliver } from './webhooks.js';

/** Why a run is stopped: by its tenant, because it took too long, or with the service. */
type StopReason = 'cancelled' | 'too-long' | 'stopped';

/** What does the work: this machine, or a fleet. */
export type Engine = {
  /** Topics at a time, unless told otherwise. */
  readonly slots: number;
  /** Resolves with the files that were left out; rejects when `signal` (its reason is a `StopReason`) stops it. */
  run(
    work: { readonly record: TopicRecord; readonly path: string; readonly out: string },
    hooks: {
      readonly signal: AbortSignal;
      onProgress(progress: Progress): void;
      /** Keeps which topic of the fleet does the work. */
      onQueued(fleet: NonNullable<TopicRecord['fleet']>): Promise<void>;
      /** Whether this service queued that topic of the fleet, and nobody else here needs it. */
      mayStop(fleet: string): boolean;
    },
  ): Promise<TopicRecord['skipped']>;
  checkReady(): Promise<void>;
  /** Jobs in the queues of the fleet. */
  queues(): Promise<readonly { kind: string; ready: number; active: number; delayed: number; blocked: number; failed: number }[]>; // prettier-ignore
  close(): Promise<void>;
};

export type DeskOptions = {
  readonly folder: string;
  readonly tenants: ReadonlyMap<string, Tenant>;
  readonly engine: Engine;
  readonly slots: number;
  readonly timeLimitMs: number;
  readonly webhookKey: (tenant: string) => string;
  readonly webhookRetryMs: number;
  /** Called with what happened that nobody waits for. */
  readonly log: (entry: { tenant: string; action: string; topic?: string; code?: string; fault?: unknown }) => void;
};

/** Figures of the topics of a tenant. */
export type Figures = {
  readonly tenant: string;
  readonly byState: Readonly<Record<TopicRecord['state'], number>>;
  readonly waitingVideos: number;
  readonly oldestSeconds: number;
};

const ATTEMPTS = 8;
const LONGEST_WAIT_MS = 3_600_000;

const isOver = ({ state }: TopicRecord): boolean => state !== 'queued' && state !== 'running';
const now = (): string => new Date().toISOString();

/** Opens the topics in a folder. Those that waited or were under way wait again. */
export async function openDesk(options: DeskOptions) {
  const home = join(options.folder, 'topics');
  const records: TopicRecord[] = [];
  for (const name of (await readdir(home).catch(() => [])).filter((each) => /^[0-9a-f]{32}\.json$/.test(each))) {
    const parsed = recordSchema.safeParse(JSON.parse(await readFile(join(home, name), 'utf8')));
    if (!parsed.success) throw new UsageError('bad-record', `Expected a topic in "${join(home, name)}", found ${parsed.error.issues[0]!.message}. Remove the file, or put back a backup.`); // prettier-ignore
    records.push(parsed.data.state === 'running' ? { ...parsed.data, state: 'queued' } : parsed.data);
  }
  records.sort((a, b) => a.place - b.place);
  return makeDesk(records, options);
}

function makeDesk(before: readonly TopicRecord[], options: DeskOptions) {
  const { folder, tenants, engine, slots, log } = options;
  const topics = new Map(before.map((record) => [record.id, record]));
  const runs = new Map<string, { stop(why: StopReason): void; progress: Progress | null; ended: Promise<void> }>();
  const listeners = new Map<string, Set<(view: TopicView) => void>>();
  const turns = makeTurns();
  const closing = new AbortController();
  let place = before.at(-1)?.place ?? 0;

  const pathOf = (id: string): string => join(folder, 'topics', `${id}.json`);
  const resultsOf = (id: string): string => join(folder, 'results', id);
  const allOf = (tenant: string): TopicRecord[] => [...topics.values()].filter((each) => each.tenant === tenant);

  const viewOf = (record: TopicRecord): TopicView => {
    const { schema: _, tenant: __, place: ___, fleet: ____, webhook, ...seen } = record;
    const called = webhook && { state: webhook.state, attempts: webhook.attempts };
    const progress = record.state === 'running' ? (runs.get(record.id)?.progress ?? null) : null;
    return { ...seen, progress, webhook: called };
  };
  const notify = (id: string): void => {
    const record = topics.get(id);
    if (record) for (const listen of listeners.get(id) ?? []) listen(viewOf(record));
  };

  const save = (record: TopicRecord): Promise<void> =>
    turns.take(record.id, () => writeParts(pathOf(record.id), [JSON.stringify(record)]));
  const change = async (id: string, changes: Partial<TopicRecord>): Promise<void> => {
    const record = { ...topics.get(id)!, ...changes };
    topics.set(id, record);
    notify(id);
    await save(record).catch((fault: unknown) => log({ tenant: record.tenant, action: 'topic.unsaved', topic: id, fault })); // prettier-ignore
  };
  const end = async (id: string, changes: Partial<TopicRecord>): Promise<void> => {
    await change(id, { ...changes, ended: now() });
    const { tenant, state, reason } = topics.get(id)!;
    log({ tenant, action: `topic.${state}`, topic: id, ...(reason && { code: reason.code }) });
    void call(id);
  };

  /**
   * Start-time fair queueing: a topic of v videos starts at the clock of its tenant, max(clock, time), and moves it by v; the
   * smallest start is next, and is the new time. So tenants that wait get equal numbers of videos, whoever asks for more.
   */
  const clocks = new Map<string, number>();
  let time = 0;
  const startOf = (tenant: string): number => Math.max(clocks.get(tenant) ?? 0, time);
  const pickNext = (): TopicRecord | undefined => {
    const busy = [...runs.keys()].map((id) => topics.get(id)!.tenant);
    const first = new Map<string, TopicRecord>();
    for (const record of topics.values()) {
      const limit = tenants.get(record.tenant)?.running ?? 0;
      const isFree = busy.filter((each) => each === record.tenant).length < limit;
      if (record.state === 'queued' && !runs.has(record.id) && isFree && !first.has(record.tenant))
        first.set(record.tenant, record);
    }
    return [...first.values()].sort((a, b) => startOf(a.tenant) - startOf(b.tenant) || a.place - b.place)[0];
  };
  const schedule = (): void => {
    while (!closing.signal.aborted && runs.size < slots) {
      const next = pickNext();
      if (!next) return;
      time = startOf(next.tenant);
      clocks.set(next.tenant, time + next.videos);
      start(next);
    }
  };

  function start(record: TopicRecord): void {
    const { id } = record;
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort('too-long' satisfies StopReason), options.timeLimitMs);
    const run = {
      stop: (why: StopReason) => stop.abort(why),
      progress: null as Progress | null,
      ended: work(record, stop.signal).finally(() => {
        clearTimeout(timer);
        runs.delete(id);
        notify(id);
        schedule();
      }),
    };
    runs.set(id, run);
  }

  async function work({ id, tenant, folder: named, options: wishes }: TopicRecord, signal: AbortSignal): Promise<void> {
    // `runs` knows of it from here on.
    await Promise.resolve();
    await change(id, { state: 'running', started: now() });
    const hidden: [string, string][] = [[resultsOf(id), 'the results']];
    try {
      // Links and files may have changed since it was queued.
      const { path, videos } = await findFolder(named, tenants.get(tenant)!, wishes as OptionsInput);
      hidden.unshift([path, named]);
      const record = topics.get(id)!;
      if (videos > record.videos) throw new UsageError('folder-grew', `Expected ${record.videos} videos in "${named}", as when it was queued, found ${videos}. Submit it again.`); // prettier-ignore
      if (signal.aborted) throw new CancelledError();
      const skipped = await engine.run(
        { record, path, out: resultsOf(id) },
        {
          signal,
          onProgress: (progress) => {
            const run = runs.get(id);
            if (run) run.progress = progress;
            notify(id);
          },
          onQueued: (fleet) => change(id, { fleet }),
          mayStop: (fleet) => {
            const sharing = [...topics.values()].filter((each) => each.fleet?.id === fleet);
            const isNeeded = sharing.some((each) => each.id !== id && runs.has(each.id) && each.state === 'running');
            return !isNeeded && sharing.some((each) => each.fleet!.isOurs);
          },
        },
      );
      if (topics.get(id)!.state !== 'running') return;
      const shown = skipped.map((each) => ({ ...each, message: withoutPaths(each.message, hidden) }));
      await end(id, { state: 'done', skipped: shown });
    } catch (thrown) {
      // Cancelled topics have ended already; those stopped with the service begin again with it.
      if (topics.get(id)!.state !== 'running' || signal.reason === 'stopped') return;
      await end(id, { state: 'failed', reason: reasonOf(thrown, signal.reason === 'too-long') });
    }

    function reasonOf(thrown: unknown, isTooLong: boolean): { code: string; message: string } {
      if (isTooLong) return { code: 'too-long', message: 'Expected the topic to be done within the time limit of this service, found that it was not. Divide it, or ask the operator.' }; // prettier-ignore
      const error = asExhausted(thrown) ?? thrown;
      if (!(error instanceof ThroughlineError)) log({ tenant, action: 'topic.fault', topic: id, fault: error });
      const { code, message } = error instanceof ThroughlineError ? hidePaths(error, hidden) : FAULT;
      return { code, message };
    }
  }

  /** Calls the webhook of a topic that has ended, again and again with growing waits, one call of a tenant at a time. */
  async function call(id: string): Promise<void> {
    const { tenant: name, webhook } = topics.get(id)!;
    const tenant = tenants.get(name);
    if (!tenant || webhook?.state !== 'waiting') return;
    for (let attempts = webhook.attempts + 1; !closing.signal.aborted; attempts++) {
      const record = topics.get(id);
      // It may have been removed meanwhile.
      if (!record) return;
      const view = viewOf(record);
      const body = JSON.stringify({ event: `topic.${view.state}`, topic: view });
      const message = { url: webhook.url, body, id: `${id}-${view.state}`, key: options.webhookKey(name) };
      const error = await turns.take(`webhooks of ${name}`, () => deliver(message, tenant, closing.signal)).then(() => null, (thrown: unknown) => thrown); // prettier-ignore
      if (closing.signal.aborted || !topics.has(id)) return;
      const code = error === null ? 'ok' : error instanceof ThroughlineError ? error.code : 'webhook-unreachable';
      const isFinal = attempts >= ATTEMPTS || code === 'webhook-refused' || code === 'webhook-private';
      const state = error === null ? 'delivered' : isFinal ? 'failed' : 'waiting';
      await change(id, { webhook: { url: webhook.url, state, attempts } });
      log({ tenant: name, action: `webhook.${state}`, topic: id, code });
      if (state !== 'waiting') return;
      const wait = Math.min(options.webhookRetryMs * 2 ** (attempts - 1), LONGEST_WAIT_MS);
      await sleep(wait, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
  }

  /** What one tenant may do: every topic is looked up among its own. */
  const of = (tenant: Tenant) => {
    const own = (id: string): TopicRecord => {
      const record = topics.get(id);
      if (record?.tenant === tenant.name) return record;
      throw new UsageError('not-found', 'Expected the id of one of your topics, found another. GET /api/topics lists them.'); // prettier-ignore
    };
    const used = () => {
      const all = allOf(tenant.name);
      const videos = all.filter((each) => !isOver(each)).reduce((sum, each) => sum + each.videos, 0);
      return { running: all.filter(({ id }) => runs.has(id)).length, videos, topics: all.length };
    };
    return {
      used,
      read: (id: string): TopicView => viewOf(own(id)),
      list: (): TopicView[] => allOf(tenant.name).reverse().map(viewOf),
      submit: (wish: { folder: string; options: Record<string, unknown>; webhook?: string | undefined }) =>
        turns.take(`topics of ${tenant.name}`, async (): Promise<TopicView> => {
          const wishes = checkWishes(wish.options);
          if (wish.webhook !== undefined) checkDestination(wish.webhook, tenant);
          const before = used();
          if (before.topics >= tenant.topics) throw quota(`${tenant.topics} topics`, `${before.topics}`, 'Remove some that have ended'); // prettier-ignore
          const { videos } = await findFolder(wish.folder, tenant, wishes);
          if (before.videos + videos > tenant.videos) throw quota(`${tenant.videos} videos in topics that wait or are under way`, `${before.videos} and ${videos} more`, 'Wait, or submit fewer'); // prettier-ignore
          const record: TopicRecord = {
            ...{ schema: 'service-topic.1', id: randomBytes(16).toString('hex'), tenant: tenant.name, place: ++place },
            ...{ folder: wish.folder, options: wish.options, videos, state: 'queued', created: now(), started: null },
            ...{ ended: null, reason: null, skipped: [], fleet: null },
            webhook: wish.webhook === undefined ? null : { url: wish.webhook, state: 'waiting', attempts: 0 },
          };
          await save(record);
          topics.set(record.id, record);
          log({ tenant: tenant.name, action: 'topic.queued', topic: record.id });
          schedule();
          return viewOf(topics.get(record.id)!);
        }),
      async cancel(id: string): Promise<TopicView> {
        if (!isOver(own(id))) {
          const ended = end(id, { state: 'cancelled' });
          runs.get(id)?.stop('cancelled');
          await ended;
        }
        return viewOf(own(id));
      },
      async remove(id: string): Promise<void> {
        if (!isOver(own(id))) throw new UsageError('not-ended', 'Expected a topic that has ended, found one that waits or is under way. Cancel it first.'); // prettier-ignore
        await runs.get(id)?.ended;
        const { fleet } = own(id);
        topics.delete(id);
        // Whoever shares the work may stop it from now on.
        const heir = [...topics.values()].find((each) => fleet?.isOurs && each.fleet?.id === fleet.id);
        if (heir) await change(heir.id, { fleet });
        await turns.take(id, async () => {
          await rm(resultsOf(id), { recursive: true, force: true });
          await rm(pathOf(id), { force: true });
        });
      },
      /** The folder of the results of a topic that is done. */
      results(id: string): string {
        if (own(id).state === 'done') return resultsOf(id);
        throw new UsageError('not-done', 'Expected a topic that is done, found another. GET its state first.');
      },
      /** Calls with the topic now and whenever it changes, until the returned function is called. */
      watch(id: string, listen: (view: TopicView, isLast: boolean) => void): () => void {
        const mine = listeners.get(id) ?? new Set();
        const heard = (view: TopicView): void => listen(view, view.ended !== null);
        listeners.set(id, mine.add(heard));
        heard(viewOf(own(id)));
        return () => void (mine.delete(heard) && mine.size === 0 && listeners.delete(id));
      },
    };
  };

  for (const { id } of before) if (isOver(topics.get(id)!)) void call(id);
  schedule();
  return {
    of,
    /** Which tenant a topic belongs to; for addresses that need no token. */
    tenantOf: (id: string): string | null => topics.get(id)?.tenant ?? null,
    figures: (): Figures[] =>
      [...tenants.keys()].map((tenant) => {
        const all = allOf(tenant);
        const byState = { queued: 0, running: 0, done: 0, failed: 0, cancelled: 0 };
        for (const { state } of all) byState[state]++;
        const waiting = all.filter(({ state }) => state === 'queued');
        const oldest = Math.min(...waiting.map(({ created }) => Date.parse(created)));
        const oldestSeconds = waiting.length === 0 ? 0 : Math.max(0, (Date.now() - oldest) / 1000);
        return { tenant, byState, oldestSeconds, waitingVideos: waiting.reduce((sum, { videos }) => sum + videos, 0) };
      }),
    async close(): Promise<void> {
      closing.abort();
      for (const run of runs.values()) run.stop('stopped');
      await Promise.all([...runs.values()].map(({ ended }) => ended));
      await turns.settled();
    },
  };
}

/** What clients are told of errors that are not theirs; the reason is in the log. */
export const FAULT = { code: 'fault', message: 'Something failed inside the service. Try again; if it stays, ask the operator, who finds the reason in the log.' }; // prettier-ignore

function quota(most: string, found: string, advice: string): UsageError {
  return new UsageError('quota', `Expected at most ${most}, found ${found}. ${advice}.`);
}
