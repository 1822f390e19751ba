import type { Command } from 'commander';
import pc from 'picocolors';

import { formatClock, lengthInSeconds, toSeconds } from '../base/index.js';
import {
  addToTopic,
  describeTopic,
  type Growth,
  type Outcome,
  removeFromTopic,
  type RunHooks,
  updateTopic,
  findTopics,
  type TopicsDocument,
  type TopicsOutcome,
} from '../index.js';
import { optionFacts } from '../options/index.js';
import type { SummaryChange, SummaryDocument, SummaryShot } from '../summary/index.js';
import { counted, printable, show, EXIT, type OutputOptions, withReporter } from './reporters.js';
import { addRunOptions, optionsOf, type Dialect } from './run-options.js';

/** Options that make no sense for a topic in a folder: it has its own results and cache, and is a single topic. */
const notOwn = new Set<string>(['out', 'cache', 'autoTopics', 'groups']);
const ownOptions = optionFacts.map(({ name }) => name).filter((name) => !notOwn.has(name));

/** Adds `topic` and what can be done with one. `end` is called with the exit code. */
export function addTopic(program: Command, end: (code: number) => void): void {
  const topic = program.command('topic').description('Keep a topic in a folder, and add and remove videos over time.');

  addRunOptions(
    topic
      .command('add')
      .description('Add videos to a topic, or start a new one. Only new videos are analysed.')
      .argument('<folder>', 'the folder of the topic')
      .argument('<videos...>', 'a folder of videos, or video files'),
    ownOptions,
  )
    .addHelpText(
      'after',
      '\nExamples:\n  throughline topic add ./paris-topic ./paris --length 30s\n  throughline topic add ./paris-topic louvre.mp4',
    )
    .action(async (folder: string, videos: string[], _flags: unknown, command: Command) =>
      end(await grow(command, async (work) => addToTopic(videos, await optionsOf(command), { folder, ...work }))),
    );

  addRunOptions(
    topic
      .command('remove')
      .description('Remove videos from a topic. The files stay where they are.')
      .argument('<folder>', 'the folder of the topic')
      .argument('<videos...>', 'videos of the topic, by path or file name'),
    [],
  ).action(async (folder: string, videos: string[], _flags: unknown, command: Command) =>
    end(await grow(command, (work) => removeFromTopic(videos, { folder, ...work }))),
  );

  addRunOptions(
    topic
      .command('update')
      .description('Summarise a topic again. New options, if given, are saved with the topic.')
      .argument('<folder>', 'the folder of the topic'),
    ownOptions,
  ).action(async (folder: string, _flags: unknown, command: Command) =>
    end(await grow(command, async (work) => updateTopic(await optionsOf(command), { folder, ...work }))),
  );

  topic
    .command('list')
    .description('List the videos of a topic, one per line.')
    .argument('<folder>', 'the folder of the topic')
    .exitOverride()
    .action(async (folder: string) => {
      const { videos } = await describeTopic(folder);
      process.stdout.write(videos.map(({ path }) => `${printable(path)}\n`).join(''));
      end(EXIT.done);
    });

  topic
    .command('status')
    .description('Show the state of a topic: its options, its files and its last summaries.')
    .argument('<folder>', 'the folder of the topic')
    .option('--json', 'Print it as JSON.')
    .exitOverride()
    .action(async (folder: string, flags: { json?: boolean }) => {
      const status = await describeTopic(folder);
      process.stdout.write(flags.json ? `${JSON.stringify(status, null, 2)}\n` : statusText(status));
      end(status.videos.every(({ state }) => state === 'ready') ? EXIT.done : EXIT.someSkipped);
    });
}

async function grow(command: Command, work: (hooks: RunHooks) => Promise<Growth<Outcome>>): Promise<number> {
  return withReporter(
    command.opts<OutputOptions>(),
    (onEvent, signal) => work({ onEvent, signal }),
    (growth, isShown) => {
      if (isShown) process.stdout.write(growthText(growth));
      return (growth.outcome?.document.skipped.length ?? 0) > 0 ? EXIT.someSkipped : EXIT.done;
    },
  );
}

/** What changed in the topic: videos added and removed, and summaries that are different now. */
function growthText({ project, added, removed, known, changes, outcome }: Growth<Outcome>): string {
  const lines: string[] = [];
  for (const path of added) lines.push(pc.green(`added   ${printable(path)}`));
  for (const path of removed) lines.push(pc.yellow(`removed ${printable(path)}`));
  for (const path of known) lines.push(`already in the topic: ${printable(path)}`);
  const moved = (changes ?? []).filter(({ kind }) => kind === 'moved');
  const same = (changes ?? []).filter(({ kind }) => kind === 'same');
  for (const change of moved) lines.push(changeText(change, outcome!.document));
  if (same.length > 0)
    lines.push(same.length === 1 ? '1 summary is unchanged' : `${same.length} summaries are unchanged`);
  for (const skipped of outcome?.document.skipped ?? []) lines.push(pc.yellow(printable(skipped.message)));
  lines.push(`The topic "${printable(project.name)}" has ${counted(project.videos.length, 'video')}.`);
  if (outcome) lines.push(`Open ${pc.bold(printable(outcome.report))} in a browser to see the result.`);
  return `${lines.join('\n')}\n`;
}

function changeText({ video, came, went, kept }: SummaryChange, document: SummaryDocument): string {
  const start = document.videos.find(({ path }) => path === video)!.range.start;
  const times = (shots: readonly SummaryShot[]): string =>
    shots
      .map(({ range }) =>
        [range.start, range.end].map((tick) => formatClock(toSeconds(tick - start, range.base))).join('–'),
      )
      .join(', ');
  const parts = [
    ...(came.length > 0 ? [`new ${times(came)}`] : []),
    ...(went.length > 0 ? [`gone ${times(went)}`] : []),
  ];
  return `changed ${printable(video)}: ${parts.join('; ')}; ${kept} kept`;
}

function statusText({ project, videos, summary }: Awaited<ReturnType<typeof describeTopic>>): string {
  const lines = [`${pc.bold(printable(project.name))}: ${counted(videos.length, 'video')}`];
  for (const [name, value] of Object.entries(project.options)) lines.push(`  ${name}: ${String(value)}`);
  for (const video of videos) {
    const found = summary?.videos.find(({ sha256 }) => sha256 === video.sha256);
    const film = found?.clips.reduce((sum, clip) => sum + lengthInSeconds(clip.range), 0);
    const said = {
      ready: film === undefined ? 'not summarised yet' : `summary of ${formatClock(film)}`,
      missing: pc.yellow('the file is gone'),
      changed: pc.yellow('the file has changed since it was added'),
    };
    lines.push(`  ${printable(video.path)}  ${video.leftOut ? 'left out' : said[video.state]}`);
  }
  return `${lines.join('\n')}\n`;
}

/** The options that the topics of a folder depend on: how many are wanted, and how videos are analysed. */
const OPTIONS = [
  ...(['groups', 'out', 'recursive', 'segmenter', 'shotsBy', 'minShot', 'maxShot', 'shots'] as const),
  ...(['features', 'model', 'layer', 'input', 'mean', 'std', 'vectors', 'vectorsEvery'] as const),
  ...(['fast', 'device', 'normalise', 'jobs', 'cache'] as const),
];

const dialect: Dialect = {
  called: {
    out: {
      name: 'out',
      description: 'Folder for topics.json. Default: next to the folder given, with "-topics" added to its name.',
    },
  },
};

/** Adds `topics`. `end` is called with the exit code. */
export function addTopics(program: Command, end: (code: number) => void): void {
  addRunOptions(
    program
      .command('topics')
      .description('Sort a folder of mixed videos into topics, by what they show.')
      .argument('<videos...>', 'a folder of videos, or video files'),
    OPTIONS,
    dialect,
  )
    .addHelpText(
      'after',
      '\nWrites topics.json. "throughline summarize FOLDER --auto-topics" also summarises each topic.',
    )
    .action(async (videos: string[], _flags: unknown, command: Command) =>
      end(
        await withReporter(
          command.opts<OutputOptions>(),
          async (onEvent, signal) => findTopics(videos, await optionsOf(command, dialect), { onEvent, signal }),
          (found, isShown) => {
            const code = finishTopics(found, isShown);
            if (isShown && found.record.topics.length > 1) process.stdout.write(nextStep(videos));
            return code;
          },
        ),
      ),
    );
}

function nextStep(videos: readonly string[]): string {
  const given = videos.map((each) => (/^[\w./-]+$/.test(each) ? each : `"${printable(each)}"`)).join(' ');
  return `To summarise each of them: throughline summarize ${given} --auto-topics\n`;
}

/** Shows which topics were found. */
export function finishTopics({ record, path }: TopicsOutcome, isShown: boolean): number {
  if (isShown) {
    process.stdout.write(`${topicsTable(record)}\nWritten to ${show(path)}\n`);
  }
  return record.skipped.length > 0 ? EXIT.someSkipped : EXIT.done;
}

/** The topics with their videos, then the videos in no topic. */
function topicsTable({ topics, alone, concordance, skipped }: TopicsDocument): string {
  const lines: string[] = [];
  const shown = (value: number | null): string => (value === null ? '–' : value.toFixed(2).replace(/^-(0.00)$/, '$1'));
  for (const { name, centre, inside, outside, videos } of topics) {
    const facts = `similarity within ${shown(inside)}, to the others ${shown(outside)}`;
    lines.push(`${pc.bold(name)}  ${counted(videos.length, 'video')}  ${pc.dim(facts)}`);
    for (const { id, path } of videos) {
      lines.push(`  ${printable(path)}${id === centre && videos.length > 2 ? pc.dim('  (most typical)') : ''}`);
    }
    lines.push('');
  }
  if (alone.length > 0) {
    lines.push(pc.bold('in no topic'));
    for (const { path, nearest, likeness } of alone) {
      lines.push(`  ${printable(path)}${nearest === null ? '' : pc.dim(`  nearest: ${nearest}, ${shown(likeness)}`)}`);
    }
    lines.push('');
  }
  if (concordance !== null) {
    const often = `${(100 * concordance).toFixed(1)} %`;
    lines.push(`Two videos of one topic are more similar than two of different topics in ${often} of all cases.`);
  } else if (alone.length === 0) lines.push('No separate topics were found: all videos are taken as one topic.');
  for (const { message } of skipped) lines.push(pc.yellow(`skipped: ${printable(message)}`));
  return `${lines.join('\n')}\n`;
}
