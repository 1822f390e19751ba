import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';

import { CancelledError, messageOf, ThroughlineError, UsageError, type Listener } from '../base/index.js';
import { optionFacts, type OptionsInput } from '../options.js';
import { drawDemo, summarizeTopic, VERSION, type Outcome } from '../index.js';
import { readConfig } from './config.js';
import { doctor } from './doctor.js';
import { printOutcome } from './outcome.js';
import { printable } from './printable.js';
import { jsonReporter, lineReporter, quietReporter, terminalReporter, type Reporter } from './reporters.js';

/** What the numbers mean that a run ends with. */
export const EXIT = { done: 0, nothingDone: 1, usage: 2, someSkipped: 3, interrupted: 130 } as const;

/** The demo's videos are short; at the usual share only one or two shots of each would fit. */
const DEMO_LENGTH = '30%';

type OutputOptions = { json?: boolean; quiet?: boolean; config?: string };

/** Runs one command line and returns its exit code. Only this file and `main.ts` decide how a process ends. */
export async function runCli(args: readonly string[]): Promise<number> {
  let code: number = EXIT.done;
  const program = new Command('throughline')
    .description('Summaries of videos that share a topic: each judged by itself and by what the others show.')
    .version(VERSION)
    .exitOverride()
    .configureHelp({ helpWidth: Math.min(process.stdout.columns ?? 100, 110) })
    .addHelpText(
      'after',
      '\nExit codes: 0 all done, 1 nothing could be done, 2 wrong usage, 3 some inputs were skipped.',
    );

  addRunOptions(
    program
      .command('summarize')
      .description('Summarise each video of a topic: a film, a storyboard and a report to look at.')
      .argument('<videos...>', 'a folder of videos, or video files'),
  )
    .addHelpText(
      'after',
      '\nExamples:\n  throughline summarize ./paris\n  throughline summarize ./paris --length 30s\n  throughline summarize a.mp4 b.mov c.mkv --out ./out --length "12 shots"',
    )
    .action(async (videos: string[], _flags: unknown, command: Command) => {
      code = await runTopic(videos, command);
    });

  addRunOptions(
    program
      .command('demo')
      .description(
        'Draw a small topic (videos with shared and private scenes, and sound) and summarise it, to 30% unless told otherwise.',
      )
      .argument('[folder]', 'where to put it', 'throughline-demo'),
  ).action(async (folder: string, _flags: unknown, command: Command) => {
    code = await runDemo(folder, command);
  });

  program
    .command('doctor')
    .description('Tell what was found: decoder, codecs, network, cores, cache; and what to do if something is missing.')
    .addOption(new Option('--json', 'print the findings as JSON'))
    .action(async (flags: { json?: boolean }) => {
      code = (await doctor(flags)) ? EXIT.done : EXIT.nothingDone;
    });

  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    return endWith(error);
  }
}

function addRunOptions(command: Command): Command {
  for (const fact of optionFacts) {
    const name = fact.name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const shown =
      fact.defaultValue === undefined || typeof fact.defaultValue === 'boolean'
        ? ''
        : ` (default: ${String(fact.defaultValue)})`;
    const flag =
      fact.placeholder === undefined
        ? fact.defaultValue === true
          ? `--no-${name}`
          : `--${name}`
        : `--${name} <${fact.placeholder}>`;
    const description =
      fact.defaultValue === true
        ? `Do not ${fact.description.charAt(0).toLowerCase()}${fact.description.slice(1)}`
        : fact.description;
    const option = new Option(flag, description + shown);
    if (fact.placeholder !== undefined) option.argParser((text: string) => readValue(fact, text));
    command.addOption(option);
  }
  return command
    .addOption(
      new Option(
        '--config <FILE>',
        'read options from this file (default: throughline.config.json, where there is one)',
      ),
    )
    .addOption(new Option('--json', 'print one JSON event a line, for programs').conflicts('quiet'))
    .addOption(new Option('--quiet', 'print nothing but errors'))
    .exitOverride();
}

/** Text as number where the option wants one; the schema has the last word. */
function readValue(fact: (typeof optionFacts)[number], text: string): unknown {
  const asNumber = text.trim() === '' ? NaN : Number(text);
  for (const candidate of [text, ...(Number.isFinite(asNumber) ? [asNumber] : [])]) {
    if (fact.schema.safeParse(candidate).success) return candidate;
  }
  const problem =
    fact.schema.safeParse(Number.isFinite(asNumber) ? asNumber : text).error?.issues[0]?.message ?? 'not understood';
  throw new InvalidArgumentError(`${problem}.`);
}

function runTopic(videos: readonly string[], command: Command): Promise<number> {
  return withReporter(command.opts<OutputOptions>(), async (onEvent, signal) =>
    summarizeTopic(videos, await optionsOf(command), { onEvent, signal }),
  );
}

function runDemo(folder: string, command: Command): Promise<number> {
  return withReporter(command.opts<OutputOptions>(), async (onEvent, signal) => {
    const options = await optionsOf(command);
    await drawDemo(folder, { onEvent, signal });
    return summarizeTopic(folder, { length: DEMO_LENGTH, ...options }, { onEvent, signal });
  });
}

/** What the configuration file says, outranked by what was typed. */
async function optionsOf(command: Command): Promise<OptionsInput> {
  const typed = optionFacts.filter(({ name }) => command.getOptionValueSource(name) === 'cli');
  const given = Object.fromEntries(typed.map(({ name }) => [name, command.getOptionValue(name) as unknown]));
  return { ...(await readConfig(command.getOptionValue('config') as string | undefined)), ...given };
}

async function withReporter(
  { json, quiet }: OutputOptions,
  work: (onEvent: Listener, signal: AbortSignal) => Promise<Outcome>,
): Promise<number> {
  const reporter = chooseReporter({ json, quiet });
  const stop = new AbortController();
  const interrupt = (): void => {
    // A second Ctrl-C does not wait.
    if (stop.signal.aborted) process.exit(EXIT.interrupted);
    stop.abort();
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    const outcome = await work(reporter.onEvent, stop.signal);
    reporter.end();
    if (!json && !quiet) printOutcome(outcome);
    return outcome.document.skipped.length > 0 ? EXIT.someSkipped : EXIT.done;
  } catch (error) {
    reporter.end();
    if (json) {
      const code = error instanceof ThroughlineError ? error.code : 'fault';
      process.stdout.write(`${JSON.stringify({ type: 'failed', code, message: messageOf(error) })}\n`);
    }
    throw error;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

function chooseReporter({ json, quiet }: OutputOptions): Reporter {
  if (json) return jsonReporter(process.stdout);
  if (quiet) return quietReporter(process.stderr);
  return process.stderr.isTTY ? terminalReporter(process.stderr) : lineReporter(process.stderr);
}

function endWith(error: unknown): number {
  // commander has already printed help, version or its own sentence.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  process.stderr.write(`throughline: ${printable(messageOf(error))}\n`);
  if (error instanceof CancelledError) return EXIT.interrupted;
  if (error instanceof UsageError) return EXIT.usage;
  if (!(error instanceof ThroughlineError))
    process.stderr.write(
      `${error instanceof Error ? error.stack : ''}\nThis is a fault in Throughline; please report it with the lines above.\n`,
    );
  return EXIT.nothingDone;
}
