import type { Command } from 'commander';
import pc from 'picocolors';

import { findTopics, type TopicsDocument, type TopicsOutcome } from '../index.js';
import { counted, show } from './outcome.js';
import { printable } from './printable.js';
import { addRunOptions, type Dialect, optionsOf } from './run-options.js';
import { EXIT, type OutputOptions, withReporter } from './running.js';

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
  const shown = (value: number | null): string => (value === null ? '–' : value.toFixed(2));
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
