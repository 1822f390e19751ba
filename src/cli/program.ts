import { Command, CommanderError, Option } from 'commander';

import { CancelledError, messageOf, ThroughlineError, UsageError, type Listener } from '../base/index.js';
import { drawDemo, summarizeTopic, summarizeTopics, VERSION, type Outcome, type TopicsOutcome } from '../index.js';
import { addBench } from './bench.js';
import { doctor } from './doctor.js';
import { addExport } from './export.js';
import { addFetch } from './fetch.js';
import { addJobs } from './jobs.js';
import { addModels } from './models.js';
import { printOutcome } from './outcome.js';
import { printable } from './printable.js';
import { addRunOptions, optionsOf, type Dialect } from './run-options.js';
import { addStudio } from './studio.js';
import { addSubmit } from './submit.js';
import { addTopic } from './topic.js';
import { addTopics, finishTopics } from './topics.js';
import { addWorker } from './worker.js';
import { EXIT, type OutputOptions, withReporter } from './running.js';

/** The demo's videos are short; at the usual share only one or two shots of each would fit. */
const DEMO_LENGTH = '30%';
const DEMO_CONCEPT = '20s';

/** To `concept` the length is that of the film of the topic, and films of single videos are extra. */
const CONCEPT: Dialect = {
  called: {
    concept: {
      name: 'length',
      description: 'Length of the film: a time (60s), a share of all footage (5%) or a number of shots (20 shots).',
    },
    length: {
      name: 'each',
      description:
        'Length of each video’s summary, from which the film is chosen. Where they hold too little for the film, more is looked at.',
    },
  },
  preset: { concept: '60s', films: false },
};

/** Runs one command line and returns its exit code. Only this file and `main.ts` decide how a process ends. */
export async function runCli(args: readonly string[]): Promise<number> {
  let code: number = EXIT.done;
  try {
    await createProgram((ended) => (code = ended)).parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    return endWith(error);
  }
}

/** The commands and what each takes. `end` is told how one ended. */
export function createProgram(end: (code: number) => void): Command {
  const program = new Command('throughline')
    .description('Summaries of videos that share a topic: each judged by itself and by what the others show.')
    .version(VERSION)
    .exitOverride()
    .configureHelp({ helpWidth: Math.min(process.stdout.columns ?? 100, 110) })
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'throughline: ')) })
    .showHelpAfterError('Add --help to see what it takes.')
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
      '\nExamples:\n  throughline concept ./paris\n  throughline concept ./paris --length 90s --per-source 10\n  throughline concept ./paris --method cosum --out ./paris-cosum',
    )
    .action(async (videos: string[], _flags: unknown, command: Command) => {
      end(await runTopic(videos, command, CONCEPT));
    });

  addRunOptions(
    program
      .command('demo')
      .description(
        'Draw a small topic (videos with shared and private scenes, and sound) and summarise it, to 30% unless told otherwise, with one film of the whole.',
      )
      .argument('[folder]', 'where to put it', 'throughline-demo'),
  ).action(async (folder: string, _flags: unknown, command: Command) => {
    end(await runDemo(folder, command));
  });

  program
    .command('doctor')
    .description('Tell what was found: decoder, codecs, network, cores, cache; and what to do if something is missing.')
    .addOption(new Option('--json', 'print the findings as JSON'))
    .action(async (flags: { json?: boolean }) => {
      end((await doctor(flags)) ? EXIT.done : EXIT.nothingDone);
    });

  addStudio(program, end);
  addTopic(program, end);
  addTopics(program, end);
  addExport(program, end);
  addBench(program, end);
  addModels(program, end);
  addSubmit(program, end);
  addFetch(program, end);
  addJobs(program, end);
  addWorker(program, end);
  return program;
}

function runTopic(videos: readonly string[], command: Command, dialect?: Dialect): Promise<number> {
  return withReporter(
    command.opts<OutputOptions>(),
    async (onEvent, signal) => {
      const options = await optionsOf(command, dialect);
      const work = options.autoTopics ? summarizeTopics : summarizeTopic;
      return work(videos, options, { onEvent, signal });
    },
    (result, isShown) => ('outcomes' in result ? finishAll(result, isShown) : finish(result, isShown)),
  );
}

function runDemo(folder: string, command: Command): Promise<number> {
  const work = async (onEvent: Listener, signal: AbortSignal): Promise<Outcome> => {
    const options = await optionsOf(command);
    await drawDemo(folder, { onEvent, signal });
    return summarizeTopic(folder, { length: DEMO_LENGTH, concept: DEMO_CONCEPT, ...options }, { onEvent, signal });
  };
  return withReporter(command.opts<OutputOptions>(), work, (outcome, isShown) => {
    const code = finish(outcome, isShown);
    if (isShown) process.stdout.write(demoEnd(folder));
    return code;
  });
}

/** What someone who has seen the demo may want to do next; inside a clone, npx finds the program. */
function demoEnd(folder: string): string {
  return `
Next:
  npx throughline studio ${printable(folder)}    the same topic in the browser: sliders, pins, vetoes
  npx throughline summarize FOLDER           your own videos about one thing
`;
}

function finish(outcome: Outcome, isShown: boolean): number {
  if (isShown) printOutcome(outcome);
  return outcome.document.skipped.length > 0 ? EXIT.someSkipped : EXIT.done;
}

/** Several topics: what was found, then what became of each. */
function finishAll(result: TopicsOutcome, isShown: boolean): number {
  const code = finishTopics(result, isShown);
  return Math.max(code, ...result.outcomes.map((outcome) => finish(outcome, isShown)));
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
