import type { ChainableCommander, Redis } from 'ioredis';

import { TASK_KINDS, type Phase, type Task, type TaskKind, type TaskResult } from '../tasks.js';

/** `adding`: its tasks are being queued. `failed`: it has a reason, and `jobs retry` continues it. */
export type TopicState = 'adding' | 'running' | 'done' | 'cancelled' | 'failed';

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
  /** Videos left out, by task, each with its reason. */
  readonly skipped: Readonly<Record<string, string>>;
};

const AFTER_MOMENT = ['summarise', 'gather-summarise', 'concept', 'export'];
/** The sorts of tasks that come after a phase, by how their names begin. */
const SORTS_AFTER: Readonly<Record<Phase, readonly string[]>> = {
  submit: [''],
  roster: ['moment', ...AFTER_MOMENT],
  moment: AFTER_MOMENT,
};

type NewTopic = Pick<TopicRow, 'id' | 'name' | 'engine' | 'engineKey' | 'priority'>;

/** The topics of a fleet in Redis: a hash for each, and a bit for every finished task, so that none is counted twice. */
export class Topics {
  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
  ) {}

  private key(...parts: string[]): string {
    return [this.prefix, 'fleet', ...parts].join(':');
  }

  /** Stores a topic as `adding`: its tasks are about to be queued. */
  async begin({ id, ...facts }: NewTopic, phase: Phase): Promise<void> {
    const now = await this.now();
    const started = this.redis.multi();
    // After an interrupted `adding`, tasks that were queued may be done by now and still count.
    if ((await this.state(id)) !== 'adding') await this.forget(id, phase, started);
    await started
      .hset(this.key('topic', id), { ...facts, state: 'adding', phase, submitted: new Date(now).toISOString() })
      .hdel(this.key('topic', id), 'reason')
      .zadd(this.key('topics'), 'NX', now, id)
      .exec();
  }

  /** Resets the progress of everything after a phase. */
  private async forget(id: string, phase: Phase, into: ChainableCommander): Promise<void> {
    const isLater = (sort: string): boolean => SORTS_AFTER[phase].some((kind) => sort.startsWith(kind));
    const fields = await this.redis.hkeys(this.key('topic', id));
    for (const sort of fields.filter((name) => name.startsWith('total:')).map((name) => name.slice(6))) {
      if (isLater(sort)) into.del(this.key('done', id, sort)).hdel(this.key('topic', id), `total:${sort}`);
    }
    const skipped = (await this.redis.hkeys(this.key('skipped', id))).filter(isLater);
    if (skipped.length > 0) into.hdel(this.key('skipped', id), ...skipped);
  }

  /** The time of Redis in milliseconds: the one clock that all workers share. */
  async now(): Promise<number> {
    const [seconds, micros] = await this.redis.time();
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  }

  async state(id: string): Promise<TopicState | null> {
    return (await this.redis.hget(this.key('topic', id), 'state')) as TopicState | null;
  }

  async set(id: string, fields: { state?: TopicState; phase?: Phase }): Promise<void> {
    // A late message about a removed topic must not create a hash without a name.
    if (await this.redis.exists(this.key('topic', id))) await this.redis.hset(this.key('topic', id), fields);
  }

  /** Changes the state only if it is still `from`. */
  async move(id: string, from: TopicState, to: TopicState): Promise<void> {
    const script = `if redis.call('HGET', KEYS[1], 'state') == ARGV[1] then redis.call('HSET', KEYS[1], 'state', ARGV[2]) end`;
    await this.redis.eval(script, 1, this.key('topic', id), from, to);
  }

  /** Marks a topic as failed because a task it needs was given up. With `job`, only if that key still exists. */
  async fail({ topic, kind }: Task, reason: string, job?: string): Promise<void> {
    const script = `
      local state = redis.call('HGET', KEYS[1], 'state')
      if (state == 'running' or state == 'adding') and (not KEYS[2] or redis.call('EXISTS', KEYS[2]) == 1) then
        redis.call('HSET', KEYS[1], 'state', 'failed', 'reason', ARGV[1])
      end`;
    const keys = [this.key('topic', topic), ...(job === undefined ? [] : [job])];
    await this.redis.eval(script, keys.length, ...keys, `${kind}: ${reason}`);
  }

  async priority(id: string): Promise<number> {
    return Number((await this.redis.hget(this.key('topic', id), 'priority')) ?? 1);
  }

  /** Stores the number of tasks of each sort. */
  async expect(id: string, totals: ReadonlyMap<string, number>): Promise<void> {
    const fields = [...totals].map(([sort, total]) => [`total:${sort}`, total] as const);
    if (fields.length > 0) await this.redis.hset(this.key('topic', id), Object.fromEntries(fields));
  }

  /** Marks a task as done, and stores why it left out its video, if it did. */
  async done(task: Task, result: TaskResult): Promise<void> {
    const { sort, index } = placeOf(task);
    const noted = this.redis.multi().call('SETBIT', this.key('done', task.topic, sort), index, 1);
    if (result.skipped) noted.hset(this.key('skipped', task.topic), taskName(task), result.skipped.message);
    if (task.kind === 'export') noted.hset(this.key('topic', task.topic), 'state', 'done');
    await noted.exec();
  }

  /** Marks the task of a video as given up; the topic goes on without the video. */
  async leaveOut(task: Task, reason: string): Promise<void> {
    await this.done(task, { done: 'now', skipped: { code: 'given-up', message: reason } });
  }

  async ids(): Promise<string[]> {
    return this.redis.zrange(this.key('topics'), '0', '-1');
  }

  /** Unfinished topics that need workers with another engine. */
  async ofOtherEngines(engineKey: string): Promise<{ readonly id: string; readonly engine: string }[]> {
    const ids = await this.ids();
    const rows = await Promise.all(
      ids.map((id) => this.redis.hmget(this.key('topic', id), 'state', 'engineKey', 'engine')),
    );
    return rows.flatMap(([state, key, engine], at) =>
      (state === 'running' || state === 'adding') && key !== engineKey ? [{ id: ids[at]!, engine: engine ?? '' }] : [],
    );
  }

  async read(id: string): Promise<TopicRow | null> {
    const hash = await this.redis.hgetall(this.key('topic', id));
    if (!hash['state']) return null;
    const sorts = Object.keys(hash).filter((name) => name.startsWith('total:')).map((name) => name.slice(6)); // prettier-ignore
    const counts = await Promise.all(sorts.map((sort) => this.redis.bitcount(this.key('done', id, sort))));
    const progress = TASK_KINDS.flatMap((kind) => {
      const mine = sorts.map((sort, at) => ({ sort, at })).filter(({ sort }) => sort.split('-')[0] === kind);
      const sum = (values: number[]): number => values.reduce((all, value) => all + value, 0);
      const total = sum(mine.map(({ sort }) => Number(hash[`total:${sort}`])));
      return mine.length === 0 ? [] : [{ kind, done: sum(mine.map(({ at }) => counts[at] ?? 0)), total }];
    });
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
      skipped: await this.redis.hgetall(this.key('skipped', id)),
    };
  }

  /** Tells all workers that a topic was cancelled. */
  async cancelled(id: string): Promise<void> {
    await this.redis.publish(this.key('cancelled'), id);
  }

  /** Listens for cancelled topics; `own` is a connection used for nothing else. */
  async onCancelled(own: Redis, listen: (id: string) => void): Promise<void> {
    own.on('message', (_, id: string) => listen(id));
    await own.subscribe(this.key('cancelled'));
  }

  /** Registers a worker for 30 seconds. */
  async heartbeat(worker: WorkerRow): Promise<void> {
    await this.redis.set(this.key('worker', worker.name), JSON.stringify(worker), 'EX', 30);
  }

  async signOff(name: string): Promise<void> {
    await this.redis.del(this.key('worker', name));
  }

  async workers(): Promise<WorkerRow[]> {
    const keys: string[] = [];
    for await (const found of scan(this.redis, this.key('worker', '*'))) keys.push(...found);
    const rows = keys.length === 0 ? [] : await this.redis.mget(...keys.sort());
    return rows.flatMap((row) => (row === null ? [] : [JSON.parse(row) as WorkerRow]));
  }
}

/** A running worker. */
export type WorkerRow = {
  readonly name: string;
  readonly engine: string;
  readonly engineKey: string;
  readonly active: number;
};

/** All keys that match a pattern, in groups. */
export async function* scan(redis: Redis, pattern: string): AsyncIterable<string[]> {
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', pattern, 'COUNT', 1000);
    if (keys.length > 0) yield keys;
    cursor = next;
  } while (cursor !== '0');
}

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
