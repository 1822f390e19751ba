import { join, relative } from 'node:path';
import sharp from 'sharp';

import { formatClock, toSeconds } from '../base/index.js';
import {
  drawLinkedStoryboard,
  drawStoryboard,
  parsePictures,
  strongestOf,
  STORYBOARD_LIMIT,
  type LinkedShot,
} from '../export/index.js';
import { readStill } from '../media/index.js';
import type { Run } from '../run.js';
import { wishOf, type SummaryShot } from '../summary/index.js';
import { keepGoing } from './admit.js';
import type { RankedVideo } from './cut-video.js';
import { noteMissingGlyphs } from './note.js';

/** JPEG quality of stills: sharp enough for small prints, a tenth of the size of raw pixels. */
const STILL_QUALITY = 90;
const SHEET_COLUMNS = 10;

/** Draws the pictures of a video that were asked for; gives their file names next to the record. */
export async function drawPictures(
  video: RankedVideo,
  run: Run,
): Promise<{ storyboard: string | null; pictures: readonly string[] }> {
  const asked = parsePictures(run.options.pictures)!;
  const shots = shotsOf(video);
  if (asked.has('storyboard') || asked.has('sheet')) await noteMissingGlyphs([video.name], run);
  const storyboard = asked.has('storyboard') ? `${video.id}.storyboard.png` : null;
  if (storyboard !== null) {
    await run.shelf.writeParts(join(run.out, storyboard), [await drawStoryboard({ title: video.name, shots })]);
  }
  const pictures: string[] = [];
  if (asked.has('svg')) {
    const name = `${video.id}.storyboard.svg`;
    const source = relative(run.out, video.info.path);
    const drawing = drawLinkedStoryboard({ title: video.name, video: source, shots });
    await run.shelf.writeParts(join(run.out, name), drawing);
    pictures.push(name);
  }
  if (asked.has('stills')) {
    for (const shot of video.shots.filter(({ chosen }) => chosen)) {
      const name = await keepGoing(run, video, () => writeStill(video, shot, run));
      if (name !== null) pictures.push(name);
    }
  }
  return { storyboard, pictures };
}

/** Draws contact sheets of all shots of the topic, video by video, on as many pages as needed; gives their file names. */
export async function drawContactSheets(topic: string, videos: readonly RankedVideo[], run: Run): Promise<string[]> {
  if (!parsePictures(run.options.pictures)!.has('sheet')) return [];
  const shots = videos.flatMap((video) =>
    shotsOf(video).map((shot) => ({ ...shot, label: `${shot.label} ${video.name}` })),
  );
  await noteMissingGlyphs([topic], run);
  const pages = Math.max(1, Math.ceil(shots.length / STORYBOARD_LIMIT));
  const names: string[] = [];
  for (let page = 0; page < pages; page++) {
    const title = pages === 1 ? topic : `${topic}, page ${page + 1} of ${pages}`;
    const sheet = await drawStoryboard({
      title,
      shots: shots.slice(page * STORYBOARD_LIMIT, (page + 1) * STORYBOARD_LIMIT),
      columns: SHEET_COLUMNS,
    });
    const name = pages === 1 ? 'contact-sheet.png' : `contact-sheet-${page + 1}.png`;
    await run.shelf.writeParts(join(run.out, name), [sheet]);
    names.push(name);
  }
  return names;
}

/** Writes the middle frame of a shot at full size, named by its time from the first frame. */
async function writeStill({ id, info, analysis }: RankedVideo, shot: SummaryShot, run: Run): Promise<string> {
  const { timeBase, isDamaged, start } = analysis;
  const still = await readStill({ info, timeBase, isDamaged }, shot.range, run.signal);
  const raw = { width: still.widthPx, height: still.heightPx, channels: 3 as const };
  const jpeg = await sharp(still.pixels, { raw }).jpeg({ quality: STILL_QUALITY }).toBuffer();
  const name = `${id}.stills/${timeName(toSeconds(still.ticks - start, timeBase))}.jpg`;
  await run.shelf.writeParts(join(run.out, name), [jpeg]);
  return name;
}

function shotsOf({ analysis, shots }: RankedVideo): LinkedShot[] {
  const strongest = strongestOf(shots) || 1;
  const seconds = (tick: number): number => toSeconds(tick - analysis.start, analysis.timeBase);
  return shots.map((shot) => ({
    picture: () => analysis.picture(shot.index),
    label: [shot.index + 1, formatClock(seconds(shot.range.start)), wishOf(shot)].filter(Boolean).join(' · '),
    chosen: shot.chosen,
    wish: wishOf(shot) ?? undefined,
    score01: shot.score / strongest,
    own01: shot.own / strongest,
    shared01: shot.shared / strongest,
    from: seconds(shot.range.start),
    to: seconds(shot.range.end),
  }));
}

/** A time as a file name, `00h01m02.500s`; names sort like times. */
function timeName(seconds: number): string {
  const millis = Math.round(seconds * 1000);
  const part = (value: number, width: number): string => String(Math.floor(value)).padStart(width, '0');
  const [hours, minutes] = [millis / 3_600_000, (millis / 60_000) % 60];
  return `${part(hours, 2)}h${part(minutes, 2)}m${part((millis / 1000) % 60, 2)}.${part(millis % 1000, 3)}s`;
}
