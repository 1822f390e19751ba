import { resolve, join } from 'node:path';
import { tmpdir } from 'node:os';
import { type Command, Option, InvalidArgumentError } from 'commander';
import pc from 'picocolors';

import { type Listener, type Stage, ThroughlineError, UsageError } from '../base/index.js';
import { checkOptions, optionFacts } from '../options/index.js';
import { loadQueues, namesOf, submitTopic, type TopicRow, fetchResults, topicNamed } from '../jobs/index.js';
import { openObjects } from '../storage/index.js';
import { counted, printable, show, EXIT, type OutputOptions, withReporter } from './reporters.js';
import { readCount, addRunOptions, optionsOf } from './run-options.js';

type SubmitFlags = FleetFlags & OutputOptions & { priority: number; inPlace?: boolean; wait?: boolean };

type SubmitResult = {
  readonly id: string;
  readonly how: 'queued' | 'joined' | 'done';
  /** The priority of an earlier submission, if another was asked for now. */
  readonly keptPriority: number | null;
  readonly videos: number;
  /** Number of inputs left out so far; of all, with `--wait`. */
  readonly skipped: number;
  /** The topic at its end, with `--wait`. */
  readonly row: TopicRow | null;
};

/** Only one topic is submitted at a time; `throughline topics` finds several. */
const LEFT_OUT = new Set(['autoTopics', 'groups']);

/** The stage of a run as which each kind of task is shown. */
const STAGES: Partial<Record<string, Stage>> = {
  extract: 'analyse',
  summarise: 'render',
  concept: 'concept',
  export: 'report',
};

/** Adds `submit`. `end` is called with the exit code. */
export function addSubmit(program: Command, end: (code: number) => void): void {
  const names = optionFacts
    .filter((fact) => (fact.affectsResult && !LEFT_OUT.has(fact.name)) || fact.name === 'recursive')
    .map((fact) => fact.name);
  const submit = program
    .command('submit')
    .description(
      'Hand a topic to the workers: copy the videos into the store and queue the tasks. The result is the same as that of summarize.',
    )
    .argument('<videos...>', 'a folder of videos, or video files');
  addRunOptions(addFleetOptions(submit), names)
    .addOption(
      new Option('--priority <NUMBER>', 'Topics with a lower number come first.')
        .default(100)
        .argParser(readCount(1, 100_000)),
    )
    .addOption(
      new Option('--in-place', 'Do not copy the videos into the store; all workers must see them at the same paths.'),
    )
    .addOption(new Option('--wait', 'Show progress until the topic is done, and exit as summarize does.'))
    .addHelpText(
      'after',
      '\nExamples:\n  throughline submit ./archive --redis redis://10.0.0.5:6379 --store s3://films/throughline\n  throughline submit /mnt/archive/paris --in-place --store /mnt/throughline --concept 60s --wait',
    )
    .action(async (videos: string[], flags: SubmitFlags, command: Command) => {
      end(await withoutSecrets(flags, () => runSubmit(videos, flags, command)));
    });
}

function runSubmit(videos: readonly string[], flags: SubmitFlags, command: Command): Promise<number> {
  return withReporter(
    flags,
    (emit, signal) => submitAndWait(videos, { flags, command, emit, signal }),
    (submitted, isShown) => {
      if (isShown) printSubmitted(submitted, flags);
      return submitted.skipped > 0 ? EXIT.someSkipped : EXIT.done;
    },
  );
}

type Work = { flags: SubmitFlags; command: Command; emit: Listener; signal: AbortSignal };

async function submitAndWait(videos: readonly string[], { flags, command, emit, signal }: Work): Promise<SubmitResult> {
  const { openFleet } = await loadQueues();
  const options = checkOptions(await optionsOf(command));
  // Redis is tried before anything is copied.
  const fleet = await openFleet(required(flags, 'redis'), flags.prefix);
  try {
    const objects = await openObjects(required(flags, 'store'));
    const context = { objects, scratch: SCRATCH, jobs: 4, emit, signal };
    const {
      topicId: id,
      topic: name,
      videos: count,
      skipped,
    } = await submitTopic(videos, options, context, { inPlace: flags.inPlace ?? false });
    const how = await fleet.enqueue({ id, name, priority: flags.priority }, context);
    // Its tasks keep the priority with which they were first queued.
    const kept = how === 'joined' ? (await fleet.read(id)).priority : flags.priority;
    // Redis may have forgotten a topic that is done.
    const isOver = how === 'done';
    const row = flags.wait && !isOver ? await fleet.watch(id, showProgress(emit), signal) : null;
    if (row && row.state !== 'done') {
      throw new ThroughlineError(
        `topic-${row.state}`,
        `Topic ${id} ${row.state === 'failed' ? `failed: ${row.reason}` : 'was cancelled.'}`,
      );
    }
    const record = flags.wait ? await objects.read(namesOf(id).done) : null;
    const done = record && (JSON.parse(record.toString()) as { videos: number; skipped: number });
    const isAsked = command.getOptionValueSource('priority') === 'cli' && kept !== flags.priority;
    return { id, how, row, keptPriority: isAsked ? kept : null, videos: count, skipped: skipped.length, ...done };
  } finally {
    fleet.close();
  }
}

/** Reports the progress of a topic in the queues as the events of a run. */
function showProgress(emit: Listener): (row: TopicRow) => void {
  const reported = new Set<string>();
  let stage: Stage | null = null;
  return ({ progress, skipped }) => {
    for (const [task, message] of Object.entries(skipped)) {
      if (reported.has(task)) continue;
      reported.add(task);
      emit({ type: 'skipped', item: task, code: 'task', message });
    }
    const now = progress.findLast(({ kind, done }) => STAGES[kind] !== undefined && done > 0) ?? progress.find(({ kind }) => kind === 'extract'); // prettier-ignore
    const next = now && STAGES[now.kind];
    if (!now || !next) return;
    if (next !== stage) {
      if (stage) emit({ type: 'stage-done', stage });
      emit({ type: 'stage-started', stage: next, total: now.total });
      stage = next;
    }
    emit({
      type: 'progress',
      stage: next,
      fraction: now.total === 0 ? 0 : now.done / now.total,
      item: null,
      frames: 0,
    });
  };
}

function printSubmitted({ id, how, videos, row, keptPriority }: SubmitResult, { wait }: SubmitFlags): void {
  const said = {
    queued: `${counted(videos, 'video')} submitted`,
    joined: 'This topic is already being worked on',
    done: 'This topic is already done',
  }[how];
  const lines = [row ? pc.green(`${counted(videos, 'video')} done`) : pc.green(said), `Topic ${pc.bold(id)}`];
  for (const reason of Object.values(row?.skipped ?? {})) lines.push(pc.yellow(`skipped: ${printable(reason)}`));
  if (keptPriority !== null) {
    lines.push(pc.yellow(`Its priority stays ${keptPriority}. To change it, cancel the topic and submit it again.`));
  }
  if (!wait && how !== 'done') lines.push(`Progress:  throughline jobs status ${id}`);
  lines.push(`Results:   throughline fetch ${id} --out FOLDER`);
  process.stdout.write(`${lines.join('\n')}\n`);
}

type FetchFlags = FleetFlags & OutputOptions & { out: string };

/** Adds `fetch`. `end` is called with the exit code. */
export function addFetch(program: Command, end: (code: number) => void): void {
  addFleetOptions(
    program
      .command('fetch')
      .description('Copy the results of a finished topic from the store into a folder.')
      .argument('<topic>', 'its id, as printed by submit, or a beginning of it that no other topic has'),
    ['store'],
  )
    .addOption(new Option('--out <FOLDER>', 'Folder for the results.').makeOptionMandatory())
    .addOption(new Option('--json', 'Print one JSON event per line, for programs.').conflicts('quiet'))
    .addOption(new Option('--quiet', 'Print nothing but errors.'))
    .addHelpText(
      'after',
      '\nExample:\n  throughline fetch 4f0c2d9a17be… --store s3://films/throughline --out ./paris-summary',
    )
    .exitOverride()
    .action(async (topic: string, flags: FetchFlags) => {
      end(await withoutSecrets(flags, () => runFetch(topic, flags)));
    });
}

function runFetch(topic: string, flags: FetchFlags): Promise<number> {
  return withReporter(
    flags,
    async (emit, signal) => {
      const objects = await openObjects(required(flags, 'store'));
      const context = { objects, scratch: SCRATCH, jobs: 4, emit, signal };
      return fetchResults(await topicNamed(topic, objects), resolve(flags.out), context);
    },
    ({ files }, isShown) => {
      if (isShown) process.stdout.write(`${counted(files.length, 'file')} in ${show(resolve(flags.out))}\n`);
      return EXIT.done;
    },
  );
}

/** The fleet that a command works with: its Redis, its store, and its name among others on the same Redis. */
export type FleetFlags = { redis?: string; store?: string; prefix: string };

/** Folder for temporary files, unless another is given. */
export const SCRATCH = join(tmpdir(), 'throughline');

/** Adds `--redis` and `--prefix`, `--store`, or both, to a command. */
export function addFleetOptions(
  command: Command,
  needed: readonly ('redis' | 'store')[] = ['redis', 'store'],
): Command {
  if (needed.includes('redis')) {
    command
      .addOption(
        new Option('--redis <URL>', 'Redis server that holds the queues, such as redis://host:6379 or rediss://….').env(
          'THROUGHLINE_REDIS',
        ),
      )
      .addOption(
        new Option('--prefix <NAME>', 'Name of the fleet, if several share one Redis.')
          .default('throughline')
          .argParser(readPrefix),
      );
  }
  if (needed.includes('store')) {
    command.addOption(
      new Option(
        '--store <URL>',
        'Where all machines keep files: s3://bucket/prefix, or a folder that all of them can reach.',
      ).env('THROUGHLINE_STORE'),
    );
  }
  return command;
}

const EXAMPLES = {
  redis: '--redis redis://localhost:6379',
  store: '--store /mnt/shared or --store s3://bucket/prefix',
};

/** The value of `--redis` or `--store`. Throws if it is missing. */
export function required(flags: FleetFlags, name: 'redis' | 'store'): string {
  const value = flags[name];
  if (value) return value;
  throw new UsageError(
    `no-${name}`,
    `Expected --${name} URL or THROUGHLINE_${name.toUpperCase()}, found neither. Give its address, for example ${EXAMPLES[name]}.`,
  );
}

/** Runs a command so that neither its errors nor, from now on, the list of processes shows a password. */
export async function withoutSecrets<T>({ redis = '' }: FleetFlags, work: () => Promise<T>): Promise<T> {
  const { explainRedis, hide, isVague, secretsOf } = await loadQueues();
  const secrets = secretsOf(redis);
  process.title = 'throughline';
  try {
    return await work();
  } catch (error) {
    if (isVague(error)) throw explainRedis(error, redis);
    if (error instanceof Error) {
      const stack = hide(error.stack ?? '', secrets);
      error.message = hide(error.message, secrets);
      error.stack = stack;
    }
    throw error;
  }
}

function readPrefix(text: string): string {
  if (/^[\w.-]{1,64}$/.test(text)) return text;
  throw new InvalidArgumentError('Expected letters, digits, dots, dashes and underscores, 64 at most.');
}
