import type { ChainableCommander, Cluster, Redis } from 'ioredis';

import {
  TASK_KINDS,
  TOPIC_STATES,
  type Phase,
  type Task,
  type TaskKind,
  type TaskResult,
  type TopicState,
} from '../tasks.js';

/** A connection to one Redis, to the one that Sentinels name, or to a Redis Cluster. */
export type Client = Redis | Cluster;

/** What Redis knows about a topic; everything else is in the store. */
export type TopicRow = {
  readonly id: string;
  readonly name: string;
  readonly state: TopicState;
  /** The engine it was submitted with, for people, and its key in the names of queues. */
  readonly engine: string;
  readonly engineKey: string;
  readonly priority: number;
  /** The last phase whose tasks were queued. */
  readonly phase: Phase;
  /** When it was submitted, by the clock of Redis. */
  readonly submitted: string;
  readonly reason: string | null;
  readonly progress: readonly { readonly kind: TaskKind; readonly done: number; readonly total: number }[];
  /** Videos left out, by task, each with its reason. In lists of topics only some of them. */
  readonly skipped: Readonly<Record<string, string>>;
  /** Number of videos left out. */
  readonly leftOut: number;
};

const AFTER_MOMENT = ['summarise', 'gather-summarise', 'concept', 'export'];
/** The sorts of tasks that come after a phase, by how their names begin. */
const SORTS_AFTER: Readonly<Record<Phase, readonly string[]>> = {
  submit: [''],
  roster: ['moment', ...AFTER_MOMENT],
  moment: AFTER_MOMENT,
};

type NewTopic = Pick<TopicRow, 'id' | 'name' | 'engine' | 'engineKey' | 'priority'>;

/**
 * Scripts on one topic. Every script gets the key of the topic, so that a cluster knows the node, and the beginning of the
 * names of all keys of the fleet; these are on the same node because they share a hash tag.
 */
const SCRIPTS = {
  /**
   * Changes the state, if it is one of `from` (all, if that is empty), and fields; with `job`, only if that key exists.
   * The topic is in one set per state; while it is adding or running, also in that of its engine.
   */
  change: `
    local base, id, to, from, job = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
    local was = redis.call('HGET', KEYS[1], 'state')
    if not was and to ~= 'adding' then return 0 end
    if from ~= '' and not string.find(from, was or '-', 1, true) then return 0 end
    if job ~= '' and redis.call('EXISTS', job) == 0 then return 0 end
    for at = 6, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1]) end
    if to == '' or to == was then return 1 end
    local time = redis.call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    redis.call('HSET', KEYS[1], 'state', to)
    if was then redis.call('ZREM', base .. 'topics:' .. was, id) end
    redis.call('ZADD', base .. 'topics:' .. to, now, id)
    redis.call('ZADD', base .. 'ids', 0, id)
    local engine = redis.call('HGET', KEYS[1], 'engineKey') or ''
    local waiting = base .. 'waiting:' .. engine
    if to == 'adding' or to == 'running' then
      redis.call('ZADD', waiting, 'NX', now, id)
      redis.call('SADD', base .. 'engines', engine)
    else
      redis.call('ZREM', waiting, id)
      if redis.call('EXISTS', waiting) == 0 then redis.call('SREM', base .. 'engines', engine) end
    end
    return 1`,
  /** Counts a task, once, and stores why its video was left out. A late message about a removed topic does nothing. */
  done: `
    local base, id, sort, index, task, why = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
    if redis.call('EXISTS', KEYS[1]) == 0 then return end
    if redis.call('SETBIT', base .. 'done:' .. id .. ':' .. sort, index, 1) == 0 then
      redis.call('HINCRBY', KEYS[1], 'done:' .. sort, 1)
    end
    if why ~= '' and redis.call('HSET', base .. 'skipped:' .. id, task, why) == 1 then
      redis.call('HINCRBY', KEYS[1], 'leftOut', 1)
    end`,
  /** Removes everything about a topic that is in one of the states `from`. */
  drop: `
    local base, id, from = ARGV[1], ARGV[2], ARGV[3]
    local was = redis.call('HGET', KEYS[1], 'state')
    if not was then redis.call('ZREM', base .. 'ids', id) return 0 end
    if not string.find(from, was, 1, true) then return 0 end
    for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
      local sort = string.match(field, '^total:(.*)') or string.match(field, '^done:(.*)')
      if sort then redis.call('UNLINK', base .. 'done:' .. id .. ':' .. sort) end
    end
    redis.call('UNLINK', KEYS[1], base .. 'skipped:' .. id)
    redis.call('ZREM', base .. 'ids', id)
    redis.call('ZREM', base .. 'topics:' .. was, id)
    return 1`,
};

/** Ended topics removed from Redis in one go. */
const DROPPED_AT_ONCE = 500;
/** Topics of another engine that a worker warns of. */
const WARNED_OF = 100;
/** A worker that has not been heard of for this long has no place any more. */
const WORKER_SECONDS = 30;

/**
 * The topics of a fleet in Redis: a hash for each, a bit for every finished task so that none is counted twice, and a set of
 * ids per state, so that no call has to read topics it is not about.
 */
export class Topics {
  constructor(
    private readonly redis: Client,
    private readonly prefix: string,
  ) {}

  private key(...parts: string[]): string {
    return [this.prefix, 'fleet', ...parts].join(':');
  }

  private run(into: Client | ChainableCommander, script: keyof typeof SCRIPTS, id: string, ...args: string[]) {
    return into.eval(SCRIPTS[script], 1, this.key('topic', id), this.key(''), id, ...args);
  }

  private change(
    into: Client | ChainableCommander,
    id: string,
    to: TopicState | '',
    how: { from?: readonly TopicState[]; job?: string | undefined; fields?: Record<string, string | number> } = {},
  ) {
    const { from = [], job = '', fields = {} } = how;
    return this.run(into, 'change', id, to, from.join(), job, ...Object.entries(fields).flat().map(String));
  }

  /** Stores a topic as `adding`: its tasks are about to be queued. */
  async begin({ id, ...facts }: NewTopic, phase: Phase): Promise<void> {
    const submitted = new Date(await this.now()).toISOString();
    const started = this.redis.multi();
    // After an interrupted `adding`, tasks that were queued may be done by now and still count.
    if ((await this.state(id)) !== 'adding') await this.forgetAfter(id, phase, started);
    started.hdel(this.key('topic', id), 'reason');
    void this.change(started, id, 'adding', { fields: { ...facts, phase, submitted } });
    await started.exec();
  }

  /** Resets the progress of everything after a phase. */
  private async forgetAfter(id: string, phase: Phase, into: ChainableCommander): Promise<void> {
    const isLater = (sort: string): boolean => SORTS_AFTER[phase].some((kind) => sort.startsWith(kind));
    const fields = await this.redis.hkeys(this.key('topic', id));
    for (const sort of fields.filter((name) => name.startsWith('total:')).map((name) => name.slice(6))) {
      if (!isLater(sort)) continue;
      into.del(this.key('done', id, sort)).hdel(this.key('topic', id), `total:${sort}`, `done:${sort}`);
    }
    const skipped = await this.redis.hkeys(this.key('skipped', id));
    const later = skipped.filter(isLater);
    if (later.length === 0) return;
    into.hdel(this.key('skipped', id), ...later);
    into.hset(this.key('topic', id), 'leftOut', skipped.length - later.length);
  }

  /** The time of Redis in milliseconds: the one clock that all workers share. The key names the node of a cluster. */
  async now(): Promise<number> {
    const [seconds, micros] = (await this.redis.eval(`return redis.call('TIME')`, 1, this.key('ids'))) as string[];
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  }

  async state(id: string): Promise<TopicState | null> {
    return (await this.redis.hget(this.key('topic', id), 'state')) as TopicState | null;
  }

  async set(id: string, { state, phase }: { state?: TopicState; phase?: Phase }): Promise<void> {
    await this.change(this.redis, id, state ?? '', { fields: phase === undefined ? {} : { phase } });
  }

  /** Changes the state only if it is still `from`. */
  async move(id: string, from: TopicState, to: TopicState): Promise<void> {
    await this.change(this.redis, id, to, { from: [from] });
  }

  /** Marks a topic as failed because a task it needs was given up. With `job`, only if that key still exists. */
  async fail({ topic, kind }: Task, reason: string, job?: string): Promise<void> {
    const fields = { reason: `${kind}: ${reason}` };
    await this.change(this.redis, topic, 'failed', { from: ['running', 'adding'], job, fields });
  }

  async priority(id: string): Promise<number> {
    return Number((await this.redis.hget(this.key('topic', id), 'priority')) ?? 1);
  }

  /** Stores the number of tasks of each sort. */
  async expect(id: string, totals: ReadonlyMap<string, number>): Promise<void> {
    const fields = Object.fromEntries([...totals].map(([sort, total]) => [`total:${sort}`, total]));
    await this.change(this.redis, id, '', { fields });
  }

  /** Marks a task as done, and stores why it left out its video, if it did. */
  async done(task: Task, result: TaskResult): Promise<void> {
    const { sort, index } = placeOf(task);
    const noted = this.redis.multi();
    void this.run(noted, 'done', task.topic, sort, String(index), taskName(task), result.skipped?.message ?? '');
    if (task.kind === 'export') void this.change(noted, task.topic, 'done');
    await noted.exec();
  }

  /** Marks the task of a video as given up; the topic goes on without the video. */
  async leaveOut(task: Task, reason: string): Promise<void> {
    await this.done(task, { done: 'now', skipped: { code: 'given-up', message: reason } });
  }

  /** Up to `most` ids that begin with `given`. */
  async beginningWith(given: string, most: number): Promise<string[]> {
    return this.redis.zrange(this.key('ids'), `[${given}`, `[${given}\xff`, 'BYLEX', 'LIMIT', '0', String(most));
  }

  /** Number of topics in each state. */
  async counts(): Promise<Record<TopicState, number>> {
    const found = await Promise.all(TOPIC_STATES.map((state) => this.redis.zcard(this.key('topics', state))));
    return Object.fromEntries(TOPIC_STATES.map((state, at) => [state, found[at]!])) as Record<TopicState, number>;
  }

  /** The topics that came into a state last, after the first `skip` of them; the latest at the end. */
  async latest(state: TopicState, limit: number, skip = 0): Promise<TopicRow[]> {
    if (limit === 0) return [];
    const ids = await this.redis.zrange(this.key('topics', state), String(skip), String(skip + limit - 1), 'REV');
    const rows = await Promise.all(ids.reverse().map((id) => this.read(id, 'some')));
    return rows.filter((row) => row !== null);
  }

  /** Engines for which topics are waiting. */
  async engines(): Promise<string[]> {
    return this.redis.smembers(this.key('engines'));
  }

  /** Unfinished topics that need workers with another engine: the oldest of each. */
  async ofOtherEngines(engineKey: string): Promise<{ readonly id: string; readonly engine: string }[]> {
    const others = (await this.engines()).filter((key) => key !== engineKey);
    const ids = await Promise.all(
      others.map((key) => this.redis.zrange(this.key('waiting', key), '0', String(WARNED_OF - 1))),
    );
    return Promise.all(
      ids.flat().map(async (id) => ({ id, engine: (await this.redis.hget(this.key('topic', id), 'engine')) ?? '' })),
    );
  }

  /** Removes topics that were done or cancelled more than `ms` ago from Redis; their results stay in the store. */
  async dropOlderThan(ms: number): Promise<void> {
    const before = (await this.now()) - ms;
    for (const state of ['done', 'cancelled'] as const) {
      const ids = await this.redis.zrange(this.key('topics', state), '-inf', String(before), 'BYSCORE', 'LIMIT', '0', String(DROPPED_AT_ONCE)); // prettier-ignore
      for (const id of ids) await this.drop(id);
    }
  }

  /** Removes an ended topic from Redis. `false` if it has not ended, or is not there. */
  async drop(id: string): Promise<boolean> {
    return (await this.run(this.redis, 'drop', id, 'done,cancelled,failed')) === 1;
  }

  /** A topic, with all reasons why it left videos out, or with some. */
  async read(id: string, reasons: 'all' | 'some' = 'all'): Promise<TopicRow | null> {
    const hash = await this.redis.hgetall(this.key('topic', id));
    if (!hash['state']) return null;
    const sorts = Object.keys(hash).filter((name) => name.startsWith('total:')).map((name) => name.slice(6)); // prettier-ignore
    const sum = (of: 'done' | 'total', some: readonly string[]): number =>
      some.reduce((all, sort) => all + Number(hash[`${of}:${sort}`] ?? 0), 0);
    const progress = TASK_KINDS.flatMap((kind) => {
      const mine = sorts.filter((sort) => sort.split('-')[0] === kind);
      return mine.length === 0 ? [] : [{ kind, done: sum('done', mine), total: sum('total', mine) }];
    });
    const leftOut = Number(hash['leftOut'] ?? 0);
    return {
      id,
      name: hash['name'] ?? '',
      state: hash['state'] as TopicState,
      engine: hash['engine'] ?? '',
      engineKey: hash['engineKey'] ?? '',
      priority: Number(hash['priority'] ?? 1),
      phase: (hash['phase'] ?? 'submit') as Phase,
      submitted: hash['submitted'] ?? '',
      reason: hash['reason'] ?? null,
      progress,
      skipped: leftOut === 0 ? {} : reasons === 'all' ? await this.redis.hgetall(this.key('skipped', id)) : await this.someSkipped(id), // prettier-ignore
      leftOut,
    };
  }

  private async someSkipped(id: string): Promise<Record<string, string>> {
    const [, flat] = await this.redis.hscan(this.key('skipped', id), 0, 'COUNT', 10);
    return Object.fromEntries(flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1]!]] : [])));
  }

  /** Tells all workers that a topic was cancelled. */
  async cancelled(id: string): Promise<void> {
    await this.redis.publish(this.key('cancelled'), id);
  }

  /** Listens for cancelled topics; `own` is a connection used for nothing else. */
  async onCancelled(own: Client, listen: (id: string) => void): Promise<void> {
    own.on('message', (_, id: string) => listen(id));
    await own.subscribe(this.key('cancelled'));
  }

  /** Whether this worker is the one that looks after the queues of its engine for the next `ms`. */
  async isKeeper(engineKey: string, name: string, ms: number): Promise<boolean> {
    return (await this.redis.set(this.key('keeper', engineKey), name, 'PX', ms, 'NX')) === 'OK';
  }

  /** Registers a worker for a while. */
  async heartbeat(worker: WorkerRow): Promise<void> {
    const { name } = worker;
    const commands = this.redis.pipeline().set(this.key('worker', name), JSON.stringify(worker), 'EX', WORKER_SECONDS);
    const answers = (await commands.sadd(this.key('workers'), name).exec()) ?? [];
    for (const [error] of answers) if (error) throw error;
  }

  async signOff(name: string): Promise<void> {
    await this.redis.del(this.key('worker', name));
    await this.redis.srem(this.key('workers'), name);
  }

  async workers(): Promise<WorkerRow[]> {
    const names = (await this.redis.smembers(this.key('workers'))).sort();
    if (names.length === 0) return [];
    const rows = await this.redis.mget(names.map((name) => this.key('worker', name)));
    const gone = names.filter((_, at) => rows[at] === null);
    if (gone.length > 0) await this.redis.srem(this.key('workers'), ...gone);
    return rows.flatMap((row) => (row ? [JSON.parse(row) as WorkerRow] : []));
  }
}

/** A running worker. */
export type WorkerRow = {
  readonly name: string;
  readonly engine: string;
  readonly engineKey: string;
  readonly active: number;
};

/** The bit of a task: its sort, such as `extract` or `moment-0`, and its index among these. */
export function placeOf(task: Task): { readonly sort: string; readonly index: number } {
  switch (task.kind) {
    case 'extract':
    case 'summarise':
      return { sort: task.kind, index: task.place };
    case 'gather':
      return { sort: `gather-${task.of}`, index: task.chunk };
    case 'moment':
      return { sort: `moment-${task.level}`, index: task.node };
    default:
      return { sort: task.kind, index: 0 };
  }
}

function taskName(task: Task): string {
  const { sort, index } = placeOf(task);
  return `${sort}-${index}`;
}
