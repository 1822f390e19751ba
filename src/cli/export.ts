import { existsSync } from 'node:fs';
import { readFile, readlink, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';

import { messageOf, UsageError, whyUnreadable } from '../base/index.js';
import {
  CAPTION_FORMATS,
  captionsOf,
  type Caption,
  type CaptionFormat,
  type Comment,
  type Counting,
  endingFor,
  fileUrls,
  importTimeline,
  MARKS,
  type MarkKind,
  parseCaptions,
  parseComments,
  parseRate,
  RATE_NAMES,
  relativeUrls,
  rootUrls,
  type Target,
  TARGETS,
  timelineFormats,
  type Timeline,
  type TimelineFormatName,
  timelineOfConcept,
  timelineOfSelects,
  timelineOfStringout,
  timelineOfTopic,
  timelineOfVideo,
  writeCaptions,
} from '../timeline/index.js';
import { writeParts } from '../storage/index.js';
import { parseSummary, serialiseSummary } from '../summary/index.js';
import { findMedia, findProxies } from './find-media.js';
import { printable, EXIT } from './reporters.js';
import { readCount } from './run-options.js';

type ExportFlags = {
  format?: TimelineFormatName;
  for: Target;
  video?: string;
  topic?: boolean;
  concept?: boolean;
  stringout?: boolean;
  selects?: boolean;
  markers: readonly MarkKind[];
  comments?: string;
  captions?: CaptionFormat;
  out?: string;
  rate?: Counting;
  handles?: number;
  media?: string;
  mediaRoot?: string;
  paths: 'absolute' | 'relative';
};
type ImportFlags = { summary: string; out: string; film?: boolean; rate?: Counting };

/** Files are read whole; a summary of this size needs about 1 GB of memory. */
const MAX_BYTES = 256 * 2 ** 20;

/** Adds `export` and `import`. `end` is called with the exit code. */
export function addExport(program: Command, end: (code: number) => void): void {
  program
    .command('export')
    .description('Write a summary as a cut list for an editing system, or as chapters of its film.')
    .argument('<summary>', 'a summary.json')
    .addOption(formatOption())
    .addOption(
      new Option(
        '--for <PROGRAM>',
        'Program that will open the list, where programs disagree; it also has a usual format.',
      )
        .choices(['generic', ...Object.keys(TARGETS)])
        .default('generic'),
    )
    .addOption(new Option('--video <ID>', 'Export the summary of this video.').conflicts(['topic', 'concept']))
    .addOption(
      new Option('--concept', 'Export the film of the whole topic (the default if there is one).').conflicts('topic'),
    )
    .addOption(
      new Option(
        '--topic',
        'Export the summaries of all videos, one after the other (otherwise the default if there are several).',
      ),
    )
    .addOption(
      new Option(
        '--selects',
        'Export what was chosen, with runners-up as disabled clips; with --video, of that video.',
      ).conflicts(['topic', 'concept', 'stringout']),
    )
    .addOption(
      new Option(
        '--stringout',
        'Export every good take of every video, or of the one named by --video, in film order.',
      ).conflicts(['topic', 'concept']),
    )
    .addOption(
      new Option('--markers <NAMES>', `Markers besides the reasons: some of ${MARKS.join(', ')}, or none.`)
        .argParser(readMarks)
        .default(['comments'], 'comments'),
    )
    .addOption(
      new Option('--comments <FILE>', 'Comments of a review in the studio. Default: comments.json near the summary.'),
    )
    .addOption(
      new Option(
        '--captions <KIND>',
        'Also write captions of the timeline, from NAME.srt or NAME.vtt beside each video.',
      ).choices(CAPTION_FORMATS),
    )
    .addOption(new Option('--out <FILE>', 'File to write. Default: next to the summary.'))
    .addOption(rateOption('Frame rate of the timeline'))
    .addOption(
      new Option('--handles <FRAMES>', 'Frames kept available on both sides of each clip.').argParser(
        readCount(0, 999_999),
      ),
    )
    .addOption(new Option('--media <FOLDER>', 'Folder with the videos. Default: searched for near the summary.'))
    .addOption(
      new Option('--media-root <FOLDER>', 'Folder of the videos on the machine that will open the list.').conflicts(
        'paths',
      ),
    )
    .addOption(
      new Option('--paths <KIND>', 'How the file refers to the videos.')
        .choices(['absolute', 'relative'])
        .default('absolute'),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  throughline export paris-summary/summary.json --format fcpxml\n  throughline export paris-summary/summary.json --format edl --video aiko --rate 29.97df\n  throughline export paris-summary/summary.json --for premiere --media-root "D:\\footage"',
    )
    .exitOverride()
    .action(async (path: string, flags: ExportFlags) => end(await runExport(path, flags)));

  program
    .command('import')
    .description(
      'Read a cut list back (EDL, OTIO, timeline JSON, summary.json) as a summary that can be rendered or scored.',
    )
    .argument('<file>', 'the cut list')
    .requiredOption('--summary <FILE>', 'The summary.json it was made from.')
    .requiredOption('--out <FILE>', 'File for the new summary, or for the options of the new film.')
    .option('--film', 'Read the list as the film of the topic: --out gets options for --config, which make that film.')
    .addOption(rateOption('Frame rate of an EDL that does not state one'))
    .addHelpText(
      'after',
      '\nExamples:\n  throughline import paris.edl --summary paris-summary/summary.json --out paris-summary/edited.json\n  throughline import film.otio --summary paris-summary/summary.json --film --out film.json\n  throughline summarize paris --config film.json',
    )
    .exitOverride()
    .action(async (path: string, flags: ImportFlags) => end(await runImport(path, flags)));
}

function formatOption(): Option {
  const option = new Option('--format <NAME>', 'Format to write.').choices(Object.keys(timelineFormats));
  const parse = option.parseArg!;
  return option.argParser((text: string, before: string) => {
    if (text.toLowerCase() === 'aaf') {
      throw new UsageError(
        'no-aaf',
        'Expected a format that is written as text, found AAF, a binary format of Avid, which Throughline does not write. Import an EDL in Media Composer (--format edl), or open --format xmeml in DaVinci Resolve or Premiere Pro and export an AAF there.',
      );
    }
    return parse(text, before);
  });
}

function readMarks(text: string): readonly MarkKind[] {
  if (text === 'none') return [];
  const names = text.split(',').map((name) => name.trim());
  if (names.every((name) => (MARKS as readonly string[]).includes(name))) return names as MarkKind[];
  throw new InvalidArgumentError(`Expected some of ${MARKS.join(', ')}, separated by commas, or none.`);
}

/** The comments asked for, or those of the topic whose summary this is. */
async function findComments({ comments: file, markers }: ExportFlags, summary: string): Promise<Comment[]> {
  if (file !== undefined) return parseComments(await readText(file), file);
  if (!markers.includes('comments')) return [];
  const beside = dirname(resolve(summary));
  const near = [beside, dirname(beside)]
    .map((folder) => join(folder, 'comments.json'))
    .find((path) => existsSync(path));
  return near === undefined ? [] : parseComments(await readText(near), near);
}

/** The format asked for, or the one that the program opens best. */
function formatFor({ format, for: target }: ExportFlags): TimelineFormatName {
  if (target === 'generic') {
    if (format !== undefined) return format;
    const names = Object.keys(timelineFormats).join(', ');
    throw new UsageError(
      'no-format',
      `Expected --format, found none. Choose one of ${names}, or name a program with --for.`,
    );
  }
  const { title, formats } = TARGETS[target];
  const names: readonly TimelineFormatName[] = formats;
  if (format === undefined) return names[0]!;
  if (names.includes(format)) return format;
  throw new UsageError(
    'no-format',
    `Expected a format that ${title} opens (${names.join(', ')}), found "${format}". Leave out --format or --for.`,
  );
}

function rateOption(description: string): Option {
  return new Option('--rate <RATE>', `${description}: ${RATE_NAMES.join(', ')}.`).argParser((text: string) => {
    try {
      return parseRate(text);
    } catch (error) {
      throw new InvalidArgumentError(messageOf(error));
    }
  });
}

async function runExport(path: string, flags: ExportFlags): Promise<number> {
  const format = timelineFormats[formatFor(flags)];
  const ending = endingFor(format, flags.for);
  const document = parseSummary(await readText(path), path);
  const only = document.videos.length === 1 ? document.videos[0]?.id : undefined;
  const isRaw = flags.selects ?? flags.stringout ?? false;
  const isConcept =
    flags.concept ?? (document.concept !== undefined && !flags.topic && !isRaw && flags.video === undefined);
  const video = flags.video ?? (flags.topic || isConcept || isRaw ? undefined : only);
  const stem = isConcept ? `${document.topic}-concept` : (video ?? document.topic);
  const name = `${stem}${flags.selects ? '-selects' : flags.stringout ? '-stringout' : ''}`;
  const out = resolve(flags.out ?? join(dirname(path), `${fileNameOf(name)}${ending}`));
  const inFilm = new Set(isConcept ? document.concept?.shots.map((shot) => shot.video) : undefined);
  const isUsed = (id: string): boolean => (isConcept ? inFilm.has(id) : video === undefined || id === video);
  const used = document.videos.filter(({ id }) => isUsed(id)).map((each) => each.path);
  const { folder, folderOf, missing } = await findMedia(path, document.topic, used, flags.media);
  refuseOverwriting(out, [path, ...used.map((name) => resolve(folderOf(name), name))]);
  await requireFile(out);
  const options = {
    // Elsewhere there are no proxies of the studio.
    proxies: flags.mediaRoot === undefined ? await findProxies(path, used, folderOf, dirname(out), flags.paths) : undefined, // prettier-ignore
    counting: flags.rate,
    handles: flags.handles,
    marks: flags.markers,
    comments: await findComments(flags, path),
    locate: (name: string): string => {
      if (flags.mediaRoot !== undefined) return rootUrls(flags.mediaRoot)(name);
      return (flags.paths === 'absolute' ? fileUrls(folderOf(name)) : relativeUrls(folderOf(name), dirname(out)))(name);
    },
  };
  const timeline = flags.selects
    ? timelineOfSelects(document, options, video)
    : flags.stringout
      ? timelineOfStringout(document, options, video)
      : isConcept
        ? timelineOfConcept(document, options)
        : video === undefined
          ? timelineOfTopic(document, undefined, options)
          : timelineOfVideo(document, video, options);
  const { text, notes } = format.write(timeline, flags.for);
  const beside = flags.captions === undefined ? null : `${withoutEnding(out, ending)}.${flags.captions}`;
  const captions = beside === null ? null : await findCaptions(timeline, (name) => resolve(folderOf(name), name));
  if (beside !== null) {
    refuseOverwriting(beside, used.flatMap((name) => captionFiles(resolve(folderOf(name), name)))); // prettier-ignore
    await requireFile(beside);
  }
  await writeParts(out, [text]);
  const lost =
    missing.length > 0 && flags.mediaRoot === undefined
      ? [
          `Not found in "${folder}": ${missing.join(', ')}. The exported file refers to them there; give their folder with --media.`,
        ]
      : [];
  emit(out, [...timeline.notes, ...notes, ...lost]);
  if (beside !== null && captions !== null) {
    await writeParts(beside, [writeCaptions(captionsOf(timeline, captions), flags.captions!)]);
    emit(beside, []);
  }
  return EXIT.done;
}

function withoutEnding(path: string, ending: string): string {
  return path.endsWith(ending) ? path.slice(0, -ending.length) : path;
}

/** Where the captions of a video may be. */
function captionFiles(video: string): string[] {
  return CAPTION_FORMATS.map((ending) => `${video.replace(/\.[^./\\]*$/, '')}.${ending}`);
}

/** The captions of the sources that have some beside them. */
async function findCaptions(timeline: Timeline, pathOf: (name: string) => string): Promise<Map<string, Caption[]>> {
  const found = new Map<string, Caption[]>();
  for (const { id, path } of timeline.sources) {
    const file = captionFiles(pathOf(path)).find((candidate) => existsSync(candidate));
    if (file !== undefined) found.set(id, parseCaptions(await readText(file), file));
  }
  if (found.size > 0) return found;
  throw new UsageError(
    'no-captions',
    'Expected captions beside the videos (NAME.srt or NAME.vtt), found none. Put them there, or leave out --captions.',
  );
}

async function runImport(path: string, flags: ImportFlags): Promise<number> {
  const document = parseSummary(await readText(flags.summary), flags.summary);
  refuseOverwriting(resolve(flags.out), [path, ...document.videos.map((video) => video.path)]);
  await requireFile(flags.out);
  const imported = importTimeline(await readText(path), document, { file: basename(path), counting: flags.rate });
  const text = flags.film ? `${JSON.stringify(imported.film, null, 2)}\n` : serialiseSummary(imported.document);
  await writeParts(flags.out, [text]);
  const notes = flags.film ? imported.filmNotes : imported.notes;
  emit(flags.out, [...notes, ...imported.leftOut.map((problem) => `Left out: ${problem}.`)]);
  return imported.leftOut.length > 0 ? EXIT.someSkipped : EXIT.done;
}

function emit(out: string, notes: readonly string[]): void {
  for (const note of notes) process.stderr.write(`${printable(note)}\n`);
  process.stdout.write(`Wrote ${printable(out)}\n`);
}

/** A name that is safe as a file name. */
function fileNameOf(text: string): string {
  return (
    text
      .normalize('NFC')
      .replace(/[\p{Cc}\p{Cs}<>:"/\\|?*]+/gu, '-')
      .replace(/^\.+/, '') || 'timeline'
  );
}

/** Refuses to overwrite a file that was read, or a video. */
export function refuseOverwriting(out: string, inputs: readonly string[], flag = '--out'): void {
  if (!inputs.some((input) => resolve(input) === out)) return;
  throw new UsageError(
    'would-overwrite',
    `Expected a new file for ${flag}, found "${out}", which is an input. Choose another.`,
  );
}

/** Refuses a device or a pipe, such as /dev/stdout: the finished file would take its place. */
export async function requireFile(out: string, flag = '--out'): Promise<void> {
  const facts = await stat(out).catch(() => null);
  const leadsToOutput = (await readlink(out).catch(() => '')).startsWith('/proc/');
  if (!leadsToOutput && (facts === null || facts.isFile() || facts.isDirectory())) return;
  throw new UsageError(
    'not-a-file',
    `Expected a plain file for ${flag}, found a device or a pipe at "${out}". Choose a file.`,
  );
}

async function readText(path: string): Promise<string> {
  const problem = (found: string, advice = 'Check the path.'): UsageError =>
    new UsageError('unreadable', `Expected a file to read at "${path}", found ${found}. ${advice}`);
  const refuse = (error: NodeJS.ErrnoException): never => {
    throw problem(error.code === 'ENOENT' ? 'nothing' : `a problem (${whyUnreadable(error)})`);
  };
  const facts = await stat(path).catch(refuse);
  if (facts.isDirectory()) {
    const inside = join(path, 'summary.json');
    throw problem('a folder', `Name a file in it${existsSync(inside) ? `: "${inside}"` : ''}.`);
  }
  if (!facts.isFile()) throw problem('something else');
  if (facts.size > MAX_BYTES) {
    const [found, most] = [facts.size, MAX_BYTES].map((bytes) => `${Math.ceil(bytes / 2 ** 20)} MiB`);
    throw new UsageError(
      'too-large',
      `Expected at most ${most} in "${path}", because it is read whole, found ${found}. Summarise the videos as several smaller topics.`,
    );
  }
  return readFile(path, 'utf8').catch(refuse);
}
