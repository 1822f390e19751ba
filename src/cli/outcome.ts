import { join, relative } from 'node:path';
import pc from 'picocolors';

import { formatClock, lengthInSeconds, toSeconds } from '../base/index.js';
import type { Outcome } from '../index.js';
import { leastAlike } from '../summary/index.js';

const TOPIC = 'the whole topic';
/** Longer names of videos are cut off. */
const MAX_NAME = 40;

/** Prints the result of a run: one line per video, one per shot of the topic's film, what was skipped, and where the report is. */
export function printOutcome({ document, folder, report }: Outcome): void {
  const lines: string[] = [];
  const widest = Math.min(
    MAX_NAME,
    Math.max(document.concept ? TOPIC.length : 0, ...document.videos.map((video) => video.path.length)),
  );
  for (const video of document.videos) {
    const chosen = video.shots.filter((shot) => shot.chosen).length;
    const film = video.seconds ?? video.clips.reduce((sum, clip) => sum + lengthInSeconds(clip.range), 0);
    const name = printable(video.path).slice(0, widest).padEnd(widest);
    lines.push(
      `  ${name}  ${short(lengthInSeconds(video.range))} → ${short(film)}  ${chosen} of ${counted(video.shots.length, 'shot')}`,
    );
  }
  const { concept } = document;
  if (concept) {
    const { rate } = concept.frame;
    const film = toSeconds(concept.frames, { num: rate.den, den: rate.num });
    const sources = new Set(concept.shots.map((shot) => shot.video)).size;
    const footage = document.videos.reduce((sum, video) => sum + lengthInSeconds(video.range), 0);
    lines.push(
      `  ${TOPIC.padEnd(widest)}  ${short(footage)} → ${short(film)}  ${counted(concept.shots.length, 'shot')} of ${counted(sources, 'video')}`,
    );
  }
  if (concept) lines.push('', ...filmLines(document));
  lines.push('');
  lines.push(pc.green(`${counted(document.videos.length, 'video')} summarised`) + ` in ${show(folder)}`);
  if (concept?.film) lines.push(`The film of the topic is ${show(join(folder, concept.film))}`);
  const least = leastAlike(document.videos).map(
    ({ path, belonging }) => `${printable(path)} (${belonging!.likeness.toFixed(2)})`,
  );
  if (least.length > 0) lines.push(`Least like the others, look at ${least.length === 1 ? 'it' : 'these'} first: ${least.join(', ')}`); // prettier-ignore
  if (document.skipped.length > 0) {
    lines.push(pc.yellow(`${document.skipped.length} skipped:`));
    for (const skipped of document.skipped) lines.push(`  ${printable(skipped.message)}`);
  }
  lines.push(`Open ${pc.bold(show(report))} in a browser to see the result.`);
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** The film of the topic, one line a shot: when it plays, its video, where in it, and why it is there. */
function filmLines({ concept, videos }: Outcome['document']): string[] {
  const { shots, frame } = concept!;
  const byId = new Map(videos.map((video) => [video.id, video]));
  const rows = shots.map(({ video, range, filmFrame, reason }) => {
    const { path, range: whole } = byId.get(video)!;
    const inFilm = (filmFrame * frame.rate.den) / frame.rate.num;
    return [short(inFilm), printable(path).slice(0, MAX_NAME), short(toSeconds(range.start - whole.start, range.base)), printable(reason)]; // prettier-ignore
  });
  const widest = Math.max(0, ...rows.map(([, name]) => name!.length));
  const head = ['in film'.padStart(7), 'video'.padEnd(widest), 'at'.padStart(7), 'why'].join('  ');
  return [pc.dim(`  ${head}`), ...rows.map(([at, name, from, why]) => `  ${at}  ${name!.padEnd(widest)}  ${from}  ${why}`)]; // prettier-ignore
}

/** `1 video`, `2 videos`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** A length, to the nearest tenth of a second. */
function short(seconds: number): string {
  return formatClock(Math.round(10 * seconds) / 10)
    .replace(/\d\d$/, '')
    .padStart(7);
}

/** A path relative to the current folder if it is inside it. */
export function show(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near || '.';
}

/** Replaces control characters, so that a file name cannot move the cursor or fake a line of output. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, '?');
}
