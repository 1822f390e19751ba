import { type Command, Option } from 'commander';
import pc from 'picocolors';

import { type Listener, type Stage, ThroughlineError } from '../base/index.js';
import { checkOptions, optionFacts } from '../options/index.js';
import { loadQueues, namesOf, submitTopic, type TopicRow } from '../jobs/index.js';
import { openObjects } from '../store/index.js';
import { addFleetOptions, required, SCRATCH, withoutSecrets, type FleetFlags } from './fleet-options.js';
import { counted } from './outcome.js';
import { printable } from './printable.js';
import { readCount } from './read-count.js';
import { addRunOptions, optionsOf } from './run-options.js';
import { EXIT, type OutputOptions, withReporter } from './running.js';

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
    (tell, signal) => submitAndWait(videos, { flags, command, tell, signal }),
    (submitted, isShown) => {
      if (isShown) printSubmitted(submitted, flags);
      return submitted.skipped > 0 ? EXIT.someSkipped : EXIT.done;
    },
  );
}

type Work = { flags: SubmitFlags; command: Command; tell: Listener; signal: AbortSignal };

async function submitAndWait(videos: readonly string[], { flags, command, tell, signal }: Work): Promise<SubmitResult> {
  const { openFleet } = await loadQueues();
  const options = checkOptions(await optionsOf(command));
  // Redis is tried before anything is copied.
  const fleet = await openFleet(required(flags, 'redis'), flags.prefix);
  try {
    const objects = await openObjects(required(flags, 'store'));
    const desk = { objects, scratch: SCRATCH, jobs: 4, tell, signal };
    const {
      topicId: id,
      head,
      skipped,
    } = await submitTopic(videos, options, desk, { inPlace: flags.inPlace ?? false });
    const how = await fleet.enqueue({ id, name: head.topic, priority: flags.priority }, desk);
    // Its tasks keep the priority with which they were first queued.
    const kept = how === 'joined' ? (await fleet.read(id)).priority : flags.priority;
    const row = flags.wait ? await fleet.watch(id, showProgress(tell), signal) : null;
    if (row && row.state !== 'done') {
      throw new ThroughlineError(
        `topic-${row.state}`,
        `Topic ${id} ${row.state === 'failed' ? `failed: ${row.reason}` : 'was cancelled.'}`,
      );
    }
    const record = row && (await objects.read(namesOf(id).done));
    const done = record && (JSON.parse(record.toString()) as { videos: number; skipped: number });
    const isAsked = command.getOptionValueSource('priority') === 'cli' && kept !== flags.priority;
    return { id, how, row, keptPriority: isAsked ? kept : null, videos: head.videos, skipped: skipped.length, ...done };
  } finally {
    fleet.close();
  }
}

/** Reports the progress of a topic in the queues as the events of a run. */
function showProgress(tell: Listener): (row: TopicRow) => void {
  const told = new Set<string>();
  let stage: Stage | null = null;
  return ({ progress, skipped }) => {
    for (const [task, message] of Object.entries(skipped)) {
      if (told.has(task)) continue;
      told.add(task);
      tell({ type: 'skipped', item: task, code: 'task', message });
    }
    const now = progress.findLast(({ kind, done }) => STAGES[kind] !== undefined && done > 0) ?? progress.find(({ kind }) => kind === 'extract'); // prettier-ignore
    const next = now && STAGES[now.kind];
    if (!now || !next) return;
    if (next !== stage) {
      if (stage) tell({ type: 'stage-done', stage });
      tell({ type: 'stage-started', stage: next, total: now.total });
      stage = next;
    }
    tell({
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
