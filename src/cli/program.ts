import { Command, CommanderError, Option } from 'commander';

import { asExhausted, CancelledError, messageOf, ThroughlineError, UsageError, type Listener } from '../base/index.js';
import { drawDemo, summarizeTopic, summarizeTopics, VERSION, type Outcome, type TopicsOutcome } from '../index.js';
import { defaultOutFolder } from '../pipeline/index.js';
import { addBackground, addModels } from './models.js';
import { addBench } from './bench.js';
import { doctor } from './doctor.js';
import { addExport } from './export.js';
import { addFetch, addSubmit } from './fleet.js';
import { addJobs } from './jobs.js';
import { addMcp } from './mcp.js';
import { printOutcome, printable, EXIT, type OutputOptions, withReporter } from './reporters.js';
import { refusalOf, addRunOptions, optionsOf, type Dialect, inFlags } from './run-options.js';
import { addScore } from './score.js';
import { addServe } from './serve.js';
import { addStore } from './store.js';
import { addStudio } from './studio.js';
import { addTopic, addTopics, finishTopics } from './topic.js';
import { addWorker } from './worker.js';

/** The videos of the demo are short: at the default length, only one or two shots of each would fit. */
const DEMO: Dialect = { preset: { length: '30%', concept: '14s' } };

/** For `concept`, the length is that of the film of the topic, films of single videos are optional, and results have their own folder. */
const CONCEPT: Dialect = {
  called: {
    out: {
      name: 'out',
      description:
        'Folder for the film, its storyboard, summary.json and report.html. Default: next to the topic folder, with "-concept" added to its name.',
    },
    concept: {
      name: 'length',
      description: 'Length of the film: a time (60s), a share of all footage (5%) or a number of shots (20 shots).',
    },
    length: {
      name: 'each',
      description:
        'Length of the summary of each video; the film is chosen from these. If they are too short for the film, more shots are considered.',
    },
  },
  preset: { concept: '60s', films: false },
};

/** Runs one command line and returns its exit code. Only this file and `main.ts` decide how a process ends. */
export async function runCli(args: readonly string[]): Promise<number> {
  let code: number = EXIT.done;
  const program = createProgram((ended) => (code = ended));
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    // commander has printed the help or the version, but none of its errors.
    if (!(error instanceof CommanderError)) return endWith(error);
    if (error.exitCode === 0) return EXIT.done;
    if (error.code !== 'commander.help')
      process.stderr.write(`throughline: ${printable(refusalOf(error, program, args))}\n`);
    return EXIT.usage;
  }
}

/** The commands and what each takes. `end` is called with the exit code. */
export function createProgram(end: (code: number) => void): Command {
  const program = new Command('throughline')
    .description('Summarise videos that share a topic. Each is judged by itself and by what the other videos show.')
    .version(VERSION, '-V, --version', 'Print the version.')
    .helpOption('-h, --help', 'Show this help.')
    .helpCommand('help [command]', 'Show the help of a command.')
    .exitOverride()
    .configureHelp({ helpWidth: Math.min(process.stdout.columns ?? 100, 110) })
    .configureOutput({ outputError: () => undefined })
    .addHelpText(
      'after',
      '\nExamples:\n  throughline demo                               try it on videos that it draws itself\n  throughline summarize ./paris --length 30s     a film of each video, and a report\n  throughline studio ./paris                     the same in the browser\n  throughline summarize --help                   the options of a command\n\nExit codes: 0 all done, 1 nothing could be done, 2 wrong usage, 3 some inputs were skipped, 130 interrupted.',
    );

  program.commandsGroup('Summaries:');
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
      end(await runTopic(videos, command));
    });

  addRunOptions(
    program
      .command('concept')
      .description('Make one film of the whole topic: the best of all videos, nothing shown twice.')
      .argument('<videos...>', 'a folder of videos, or video files'),
    undefined,
    CONCEPT,
  )
    .addHelpText(
      'after',
      '\nExamples:\n  throughline concept ./paris\n  throughline concept ./paris --length 90s --per-source 10\n  throughline concept ./paris --method cosum --out ./paris-cosum\n\nThe results go into ./paris-concept, next to those of summarize in ./paris-summary.',
    )
    .action(async (videos: string[], _flags: unknown, command: Command) => {
      end(await runTopic(videos, command, CONCEPT, 'concept'));
    });

  addStudio(program, end);
  addTopic(program, end);
  addTopics(program, end);

  program.commandsGroup('First steps:');
  addRunOptions(
    program
      .command('demo')
      .description(
        'Draw seven short videos that share some scenes, one with bad pictures, and summarise them: a film of each and one film of the whole topic.',
      )
      .argument('[folder]', 'where to put the videos', 'throughline-demo'),
    undefined,
    DEMO,
  ).action(async (folder: string, _flags: unknown, command: Command) => {
    end(await runDemo(folder, command));
  });

  program
    .command('doctor')
    .description(
      'Check this machine: decoder, codecs, network, cores and cache, and what to do if something is missing.',
    )
    .addOption(new Option('--json', 'Print the findings as JSON.'))
    .action(async (flags: { json?: boolean }) => {
      end((await doctor(flags)) ? EXIT.done : EXIT.nothingDone);
    });

  addMcp(program.commandsGroup('Agents and other programs:'), end);
  addScore(program, end);
  addExport(program.commandsGroup('Editing systems:'), end);
  addBench(program.commandsGroup('Research:'), end);
  addModels(program, end);
  addBackground(program, end);
  addSubmit(program.commandsGroup('Many machines:'), end);
  addWorker(program, end);
  addJobs(program, end);
  addFetch(program, end);
  addStore(program, end);
  addServe(program, end);
  return program.commandsGroup('First steps:').helpCommand('help [command]', 'Show the help of a command.');
}

/** Summarises a topic; `what` ends the name of the folder for the results, unless one is given. */
function runTopic(
  videos: readonly string[],
  command: Command,
  dialect: Dialect = {},
  what = 'summary',
): Promise<number> {
  return withReporter(
    command.opts<OutputOptions>(),
    async (onEvent, signal) => {
      const options = { out: defaultOutFolder(videos, what), ...(await optionsOf(command, dialect)) };
      const work = options.autoTopics ? summarizeTopics : summarizeTopic;
      return work(videos, options, { onEvent, signal });
    },
    (result, isShown) => ('outcomes' in result ? finishAll(result, isShown) : finish(result, isShown)),
  );
}

function runDemo(folder: string, command: Command): Promise<number> {
  const work = async (onEvent: Listener, signal: AbortSignal): Promise<Outcome> => {
    const options = await optionsOf(command, DEMO);
    await drawDemo(folder, { onEvent, signal });
    return summarizeTopic(folder, options, { onEvent, signal });
  };
  return withReporter(command.opts<OutputOptions>(), work, (outcome, isShown) => {
    const code = finish(outcome, isShown);
    if (isShown) process.stdout.write(demoEnd(folder));
    return code;
  });
}

/** What to do after the demo. Inside a clone, npx finds the program. */
function demoEnd(folder: string): string {
  const studio = `npx throughline studio ${printable(folder)}`;
  const summarize = 'npx throughline summarize FOLDER';
  const width = Math.max(studio.length, summarize.length);
  return `
Next:
  ${studio.padEnd(width)}    the same topic in the browser, with sliders, pins and vetoes
  ${summarize.padEnd(width)}    your own videos about one topic
`;
}

function finish(outcome: Outcome, isShown: boolean): number {
  if (isShown) printOutcome(outcome);
  return outcome.document.skipped.length > 0 ? EXIT.someSkipped : EXIT.done;
}

/** Shows which topics were found, then the result of each. */
function finishAll(result: TopicsOutcome, isShown: boolean): number {
  const code = finishTopics(result, isShown);
  return Math.max(code, ...result.outcomes.map((outcome) => finish(outcome, isShown)));
}

function endWith(thrown: unknown): number {
  const error = asExhausted(thrown) ?? thrown;
  const isOption = error instanceof UsageError && error.code === 'bad-option';
  process.stderr.write(`throughline: ${printable(isOption ? inFlags(error.message) : messageOf(error))}\n`);
  if (error instanceof CancelledError) return EXIT.interrupted;
  if (error instanceof UsageError) return EXIT.usage;
  if (!(error instanceof ThroughlineError))
    process.stderr.write(
      `${error instanceof Error ? error.stack : ''}\nThis is a bug in Throughline. Please report it with the lines above.\n`,
    );
  return EXIT.nothingDone;
}
