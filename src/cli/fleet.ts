import { resolve, join } from 'node:path';
import { tmpdir } from 'node:os';
import { type Command, Option, InvalidArgumentError } from 'commander';
import pc from 'picocolors';

import { CancelledError, type Listener, type Stage, ThroughlineError, UsageError } from '../base/index.js';
import { checkOptions, optionFacts } from '../options/index.js';
import {
  loadQueues,
  keepPart,
  namesOf,
  submitAll,
  type Fleet,
  type TopicRow,
  fetchResults,
  topicNamed,
} from '../jobs/index.js';
import { type ObjectStore, openObjects } from '../storage/index.js';
import { counted, printable, show, EXIT, type OutputOptions, withReporter } from './reporters.js';
import { readCount, addRunOptions, optionsOf } from './run-options.js';

type SubmitFlags = FleetFlags &
  BucketFlags &
  OutputOptions & {
    priority: number;
    inPlace?: boolean;
    wait?: boolean;
    manifest?: string;
    allowFolder?: string[];
    partOf?: string;
    parts?: string;
  };

type QueuedTopic = {
  readonly id: string;
  readonly name: string;
  readonly how: 'queued' | 'joined' | 'done';
  /** The priority of an earlier submission, if another was asked for now. */
  readonly keptPriority: number | null;
  readonly videos: number;
  /** Number of inputs left out so far; of all, with `--wait`. */
  readonly skipped: number;
  /** The topic at its end, with `--wait`. */
  readonly row: TopicRow | null;
};

type SubmitResult = {
  readonly topics: readonly QueuedTopic[];
  /** Number of videos kept as a part; `null` if topics were submitted. */
  readonly kept: number | null;
  /** Whether a line, a video or a topic was left out. */
  readonly isPartial: boolean;
};

/** Folders and manifests say what the topics are; `throughline topics` finds them. */
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
      'Hand topics to the workers: copy local videos into the store and queue the tasks. The result is the same as that of summarize.',
    )
    .argument('[videos...]', 'a folder of videos, video files, or s3://bucket/prefix');
  addRunOptions(addFleetOptions(submit), names)
    .addOption(
      new Option('--priority <NUMBER>', 'Topics with a lower number come first.')
        .default(100)
        .argParser(readCount(1, 100_000)),
    )
    .addOption(
      new Option('--in-place', 'Do not copy the videos into the store; all workers must see them at the same paths.'),
    )
    .addOption(
      new Option(
        '--manifest <FILE>',
        'Submit what this file names: per line a JSON object with source (a path or s3://bucket/key), size, etag, sha256, topic.',
      ),
    )
    .addOption(
      new Option(
        '--allow-folder <FOLDER>',
        'Files of the manifest may be in this folder. Default: the folder of the manifest. Can be repeated.',
      ).argParser((folder: string, before: string[] = []) => [...before, folder]),
    )
    .addOption(bucketOption())
    .addOption(
      new Option('--part-of <NAME>', 'Queue nothing yet: keep these videos as a part of a submission.')
        .argParser(readPrefix)
        .conflicts(['parts', 'wait']),
    )
    .addOption(new Option('--parts <NAME>', 'Submit all parts kept under this name.').argParser(readPrefix))
    .addOption(new Option('--wait', 'Show progress until all topics are done, and exit as summarize does.'))
    .addHelpText(
      'after',
      '\nExamples:\n  throughline submit ./archive --redis redis://10.0.0.5:6379 --store s3://films/throughline\n  throughline submit /mnt/archive/paris --in-place --store /mnt/throughline --concept 60s --wait\n  throughline submit --manifest archive.jsonl --allow-bucket films',
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
      return submitted.isPartial ? EXIT.someSkipped : EXIT.done;
    },
  );
}

type Work = { flags: SubmitFlags; command: Command; emit: Listener; signal: AbortSignal };

async function submitAndWait(videos: readonly string[], { flags, command, emit, signal }: Work): Promise<SubmitResult> {
  const { openFleet } = await loadQueues();
  const options = checkOptions(await optionsOf(command));
  const { manifest, parts, partOf, allowFolder: folders, allowBucket: buckets } = flags;
  const [asked, how] = [{ videos, manifest, parts, folders }, { inPlace: flags.inPlace ?? false }];
  let lost = 0;
  const counting: Listener = (event) => {
    if (event.type === 'skipped') lost++;
    emit(event);
  };
  const openContext = async () => {
    const objects = await openObjects(required(flags, 'store'));
    return { objects, buckets, scratch: SCRATCH, jobs: 4, emit: counting, signal };
  };
  if (partOf !== undefined) {
    const kept = await keepPart(partOf, asked, options, await openContext(), how);
    return { topics: [], kept, isPartial: lost > 0 };
  }
  // Redis is tried before anything is copied.
  const fleet = await openFleet(required(flags, 'redis'), flags.prefix);
  try {
    const context = await openContext();
    const isAsked = command.getOptionValueSource('priority') === 'cli';
    const topics: QueuedTopic[] = [];
    await submitAll(asked, options, context, how, async ({ topicId: id, topic: name, videos: count, skipped }) => {
      const state = await fleet.enqueue({ id, name, priority: flags.priority }, context);
      // Its tasks keep the priority with which they were first queued.
      const kept = state === 'joined' ? (await fleet.read(id)).priority : flags.priority;
      const keptPriority = isAsked && kept !== flags.priority ? kept : null;
      topics.push({ id, name, how: state, row: null, keptPriority, videos: count, skipped: skipped.length });
    });
    const atEnd: QueuedTopic[] = [];
    for (const topic of flags.wait ? topics : []) {
      try {
        atEnd.push({ ...topic, ...(await waitFor(topic, fleet, context)) });
      } catch (error) {
        if (topics.length === 1 || !(error instanceof ThroughlineError) || error instanceof CancelledError) throw error;
        counting({ type: 'skipped', item: topic.name, code: error.code, message: error.message });
      }
    }
    const shown = flags.wait ? atEnd : topics;
    return { topics: shown, kept: null, isPartial: lost > 0 || shown.some(({ skipped }) => skipped > 0) };
  } finally {
    fleet.close();
  }
}

/** Waits for the end of a topic. Throws if it did not come to a good one. */
async function waitFor(
  { id, how }: QueuedTopic,
  fleet: Fleet,
  { objects, emit, signal }: { objects: ObjectStore; emit: Listener; signal: AbortSignal },
): Promise<Partial<QueuedTopic>> {
  // Redis may have forgotten a topic that is done.
  const row = how === 'done' ? null : await fleet.watch(id, showProgress(emit), signal);
  if (row && row.state !== 'done') {
    throw new ThroughlineError(
      `topic-${row.state}`,
      `Topic ${id} ${row.state === 'failed' ? `failed: ${row.reason}` : 'was cancelled.'}`,
    );
  }
  const record = await objects.read(namesOf(id).done);
  return { row, ...(record && (JSON.parse(record.toString()) as { videos: number; skipped: number })) };
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

function printSubmitted({ topics, kept }: SubmitResult, flags: SubmitFlags): void {
  const [topic] = topics;
  const lines =
    kept !== null
      ? [pc.green(`${counted(kept, 'video')} kept`), `Submit all parts:  throughline submit --parts ${flags.partOf}`]
      : topic && topics.length === 1
        ? describeTopic(topic, flags)
        : describeTopics(topics);
  process.stdout.write(`${lines.join('\n')}\n`);
}

function describeTopics(topics: readonly QueuedTopic[]): string[] {
  const count = (how: QueuedTopic['how']): number => topics.filter((topic) => topic.how === how).length;
  const videos = topics.reduce((sum, topic) => sum + topic.videos, 0);
  return [
    pc.green(`${counted(topics.length, 'topic')} with ${counted(videos, 'video')}`),
    `${count('queued')} submitted, ${count('joined')} already being worked on, ${count('done')} already done`,
    'Progress:  throughline jobs status',
  ];
}

function describeTopic({ id, how, videos, row, keptPriority }: QueuedTopic, { wait }: SubmitFlags): string[] {
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
  return lines;
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

/** Buckets that the videos of a command may come from. */
export type BucketFlags = { allowBucket?: string[] };

/** `--allow-bucket`, for those who submit and for those who read. */
export function bucketOption(): Option {
  return new Option(
    '--allow-bucket <NAMES>',
    'Videos may come from these buckets, separated by commas, besides that of the store.',
  )
    .env('THROUGHLINE_BUCKETS')
    .argParser((names: string, before: string[] = []) => [...before, ...names.split(',').map((name) => name.trim())]);
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
