import { type Command } from 'commander';
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
} from '../index.js';
import { optionFacts } from '../options/index.js';
import type { SummaryChange, SummaryDocument, SummaryShot } from '../summary/index.js';
import { counted } from './outcome.js';
import { printable } from './printable.js';
import { addRunOptions, optionsOf } from './run-options.js';
import { EXIT, type OutputOptions, withReporter } from './running.js';

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
