import { type Command, InvalidArgumentError, Option } from 'commander';
import pc from 'picocolors';

import { CancelledError, UsageError } from '../base/index.js';
import {
  loadQueues,
  TASK_KINDS,
  TOPIC_STATES,
  type Fleet,
  type FleetStatus,
  type TaskKind,
  type TopicRow,
  type TopicState,
} from '../jobs/index.js';
import { openObjects } from '../storage/index.js';
import { addFleetOptions, required, SCRATCH, withoutSecrets, type FleetFlags } from './fleet.js';
import { counted, printable, EXIT } from './reporters.js';
import { readCount } from './run-options.js';

type StatusFlags = FleetFlags & {
  json?: boolean;
  watch?: boolean;
  state?: TopicState[];
  limit?: number;
  skip?: number;
};

const WATCH_MS = 1_000;

/** Adds `jobs` with its commands. `end` is called with the exit code. */
export function addJobs(program: Command, end: (code: number) => void): void {
  const jobs = program.command('jobs').description('Show and control what the workers do.').exitOverride();
  const add = (name: string, description: string): Command =>
    addFleetOptions(jobs.command(name).description(description), ['redis']).exitOverride();

  add('status', 'Show topics, queues and workers.')
    .argument('[topic]', 'show only this topic')
    .addOption(
      new Option('--state <LIST>', `Only topics in these states: ${TOPIC_STATES.join(', ')}.`).argParser(readStates),
    )
    .addOption(
      new Option('--limit <COUNT>', 'Show at most this many topics of each state.').argParser(readCount(1, 100_000)),
    )
    .addOption(
      new Option('--skip <COUNT>', 'Leave out this many of the latest of each state.').argParser(
        readCount(0, 10_000_000),
      ),
    )
    .addOption(new Option('--json', 'Print JSON.'))
    .addOption(new Option('--watch', 'Refresh every second, until Ctrl-C.'))
    .action(async (topic: string | undefined, flags: StatusFlags) => {
      await withFleet(flags, (fleet) => showStatus(fleet, topic, flags));
      end(EXIT.done);
    });

  add('cancel', 'Stop a topic. Finished work is kept, and reused if the topic is submitted again or retried.')
    .argument('<topic>')
    .action(async (topic: string, flags: FleetFlags) => {
      await withFleet(flags, (fleet) => fleet.cancel(topic));
      process.stdout.write(`Topic ${topic} is cancelled.\n`);
      end(EXIT.done);
    });

  add('forget', 'Remove a topic that has ended from Redis. Its results stay in the store.')
    .argument('<topic>')
    .action(async (topic: string, flags: FleetFlags) => {
      await withFleet(flags, (fleet) => fleet.forget(topic));
      process.stdout.write(`Topic ${topic} is forgotten.\n`);
      end(EXIT.done);
    });

  addFleetOptions(add('retry', 'Continue a topic that failed or was cancelled, from where it stopped.'), ['store'])
    .argument('<topic>')
    .addOption(
      new Option('--left-out', 'Try videos again that were left out, and redo everything that depends on them.'),
    )
    .action(async (topic: string, flags: FleetFlags & { leftOut?: boolean }) => {
      const objects = await openObjects(required(flags, 'store'));
      const context = { objects, scratch: SCRATCH, jobs: 1, emit: () => undefined };
      const count = await withFleet(flags, async (fleet) =>
        flags.leftOut ? fleet.retryLeftOut(topic, context) : fleet.retry(topic, context),
      );
      const again = count === undefined ? '' : `; retrying ${counted(count, 'task')} that had been given up`;
      process.stdout.write(`Topic ${topic} continues${again}.\n`);
      end(EXIT.done);
    });

  for (const [name, what] of [
    ['pause', 'Start no more tasks, or none of one kind; running tasks continue.'],
    ['resume', 'Start tasks again after a pause.'],
  ] as const) {
    add(name, what)
      .argument('[kind]', `${TASK_KINDS.join(', ')} (default: all)`)
      .action(async (kind: string | undefined, flags: FleetFlags) => {
        const wanted = checkKind(kind);
        await withFleet(flags, (fleet) => fleet[name](wanted));
        process.stdout.write(`${wanted ?? 'All'} ${name === 'pause' ? 'paused' : 'resumed'}.\n`);
        end(EXIT.done);
      });
  }
}

function withFleet<T>(flags: FleetFlags, work: (fleet: Fleet) => Promise<T>): Promise<T> {
  return withoutSecrets(flags, async () => {
    const { openFleet } = await loadQueues();
    const fleet = await openFleet(required(flags, 'redis'), flags.prefix);
    try {
      return await work(fleet);
    } finally {
      fleet.close();
    }
  });
}

function checkKind(kind: string | undefined): TaskKind | undefined {
  if (kind === undefined || (TASK_KINDS as readonly string[]).includes(kind)) return kind as TaskKind | undefined;
  throw new UsageError('bad-kind', `Expected one of ${TASK_KINDS.join(', ')}, found "${kind}".`);
}

async function showStatus(
  fleet: Fleet,
  topic: string | undefined,
  { json, watch, state, limit, skip }: StatusFlags,
): Promise<void> {
  let isOver = false;
  const stop = (): void => void (isOver = true);
  process.on('SIGINT', stop).on('SIGTERM', stop);
  try {
    do {
      const status = await fleet.status({ topic, states: state, limit, skip });
      if (json) process.stdout.write(`${JSON.stringify(status)}\n`);
      else process.stdout.write(`${watch && process.stdout.isTTY ? '\x1b[2J\x1b[H' : ''}${describe(status)}\n`);
      if (watch) await new Promise((settle) => setTimeout(settle, WATCH_MS));
    } while (watch && !isOver);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
  if (watch && isOver) throw new CancelledError();
}

function readStates(text: string): TopicState[] {
  const states = text.split(',').map((part) => part.trim()) as TopicState[];
  if (states.every((state) => TOPIC_STATES.includes(state))) return states;
  throw new InvalidArgumentError(`Expected some of ${TOPIC_STATES.join(', ')}, separated by commas.`);
}

function describe({ topics, counts, queues, workers }: FleetStatus): string {
  const lines = topics.length === 0 ? ['No topics.'] : topics.flatMap(describeTopic);
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (all > topics.length) {
    const each = Object.entries(counts).flatMap(([state, count]) => (count > 0 ? [`${count} ${state}`] : []));
    lines.push(`of ${counted(all, 'topic')}: ${each.join(', ')}`);
  }
  const engines = new Set([...topics, ...workers].map(({ engineKey }) => engineKey));
  const shown = queues.filter(({ ready, active, delayed, blocked, failed, isPaused }) => ready + active + delayed + blocked + failed > 0 || isPaused); // prettier-ignore
  if (shown.length > 0) lines.push('', 'queue       ready  active  waits to retry  waits for others  given up');
  for (const row of shown) {
    const engine = engines.size > 1 ? `  engine ${row.engineKey}` : '';
    lines.push(
      `${row.kind.padEnd(10)} ${cell(row.ready, 6)} ${cell(row.active, 7)} ${cell(row.delayed, 15)} ${cell(row.blocked, 17)} ${cell(row.failed, 9)}${engine}${row.isPaused ? '  paused' : ''}`,
    );
  }
  lines.push('', workers.length === 0 ? pc.yellow('No workers are running.') : counted(workers.length, 'worker'));
  for (const { name, active, engine } of workers)
    lines.push(`  ${printable(name)}  ${counted(active, 'task')}  ${engine}`);
  for (const topic of topics) {
    const isWaiting = topic.state === 'running' || topic.state === 'adding';
    if (!isWaiting || workers.some(({ engineKey }) => engineKey === topic.engineKey)) continue;
    lines.push(pc.yellow(`Topic ${topic.id} is waiting for a worker with the same engine: ${topic.engine}.`));
  }
  return lines.join('\n');
}

function describeTopic({ id, name, state, progress, reason, skipped, leftOut }: TopicRow): string[] {
  const done = progress.map(({ kind, done: count, total }) => `${kind} ${count}/${total}`).join('  ');
  const lines = [`${pc.bold(id)}  ${printable(name)}  ${state}  ${done}`];
  if (reason) lines.push(`  ${pc.red(printable(reason))}`);
  for (const why of Object.values(skipped)) lines.push(`  ${pc.yellow(`skipped: ${printable(why)}`)}`);
  const more = leftOut - Object.keys(skipped).length;
  if (more > 0) lines.push(`  ${pc.yellow(`and ${more} more left out: throughline jobs status ${id}`)}`);
  return lines;
}

function cell(count: number, width: number): string {
  return String(count).padStart(width);
}
