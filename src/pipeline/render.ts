import { open, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import sharp from 'sharp';
import { z } from 'zod';
import { formatClock, mapLimited, StoreError, toSeconds } from '../base/index.js';
import { type FilmHooks, locateFfmpeg, PART_VERSION, type PartStore, readStill } from '../media/index.js';
import {
  drawLinkedStoryboard,
  drawPdf,
  drawStoryboard,
  FILM_FORMATS,
  FILM_VERSION,
  filmFrames,
  type LinkedShot,
  parsePictures,
  type PictureKind,
  PREVIEW_VERSION,
  renderFilm,
  renderPreview,
  STORYBOARD_LIMIT,
  strongestOf,
} from '../render/index.js';
import { type SummaryShot, wishOf } from '../summary/index.js';
import { keepGoing, requireUnchanged, type Video } from './admit.js';
import type { Scratch } from './analysis/record.js';
import { filmOf, type RankedVideo } from './cut-video.js';
import { keepForLater, type Run } from './run.js';
import { note, noteMissingGlyphs } from './limits.js';

/** A video whose film and pictures are in the folder of results. */
export type RenderedVideo = RankedVideo & {
  /** File names next to the record; `null` if not made. */
  readonly film: string | null;
  readonly storyboard: string | null;
  readonly pictures: readonly string[];
};

/** Makes the pictures and the film of each video. A film that an earlier run made is left alone if nothing changed. */
export async function renderVideos(videos: readonly RankedVideo[], run: Run): Promise<RenderedVideo[]> {
  run.emit({ type: 'stage-started', stage: 'render', total: videos.length });
  const totals = videos.map((video) => filmFrames(video.clips));
  const total = totals.reduce((sum, frames) => sum + frames, 0);
  const done = videos.map(() => 0);
  // Few films at a time have several encoders each.
  const workers = Math.ceil(run.jobs / Math.max(1, Math.min(run.jobs, videos.length)));
  const rendered = await mapLimited(videos, run.jobs, async (video, place) => {
    const progress = (frames: number): void => {
      done[place] = frames;
      const seen = done.reduce((sum, count) => sum + count, 0);
      const ofItem = frames / (totals[place] || 1);
      run.emit({ type: 'progress', stage: 'render', fraction: seen / total, item: video.name, ofItem, frames: seen });
    };
    const drawn = (await keepGoing(run, video, () => drawPictures(video, run))) ?? { storyboard: null, pictures: [] };
    const film =
      run.options.films && video.clips.length > 0
        ? await keepGoing(run, video, () => makeFilm(video, run, workers, progress))
        : null;
    const preview = await keepGoing(run, video, () => previewOf(video, run));
    progress(totals[place] ?? 0);
    return { ...video, ...drawn, pictures: [...drawn.pictures, ...(preview === null ? [] : [preview])], film };
  });
  await run.workspace.filmParts?.trim();
  run.emit({ type: 'stage-done', stage: 'render' });
  return rendered;
}

async function makeFilm(
  video: RankedVideo,
  run: Run,
  workers: number,
  onFrames: (frames: number) => void,
): Promise<string> {
  const film = filmOf(video, run.options);
  const { clips, titles, format, fade, sound, loudness, isDamaged, burnIn } = film;
  const how = { clips, titles, format, fade, sound, loudness, isDamaged, burnIn };
  if (burnIn) await noteMissingGlyphs([burnIn.name], run);
  const name = `${video.id}.${FILM_FORMATS[format]}`;
  const identity = { stage: 'film', version: FILM_VERSION, ...how, content: video.sha256 };
  const { cached, remark } = await makeUnlessThere(identity, name, run, async (draft) => {
    const remark = await renderFilm(film, draft, await filmHooks([video], run, { workers, onFrames }));
    await requireUnchanged(video, run);
    return remark;
  });
  if (remark !== null) note(run, 'not-copied', `The film of "${video.name}" was encoded, not copied: ${remark}.`);
  run.emit({ type: 'item-done', stage: 'render', item: video.name, cached });
  return name;
}

async function previewOf(video: RankedVideo, run: Run): Promise<string | null> {
  const format = run.options.preview;
  if (format === 'none' || video.clips.length === 0) return null;
  const name = `${video.id}.preview.${format}`;
  const { isDamaged } = video.analysis;
  const clips = video.clips.map((clip) => ({ info: video.info, clip, isDamaged }));
  const content = video.sha256;
  const how = { stage: 'preview', version: PREVIEW_VERSION, clips: video.clips, format, isDamaged, content };
  await makeUnlessThere(how, name, run, async (draft) => {
    await renderPreview({ clips, format }, draft, run);
    await requireUnchanged(video, run);
    return null;
  });
  return name;
}

/** What is kept of a file that was made. */
const receiptSchema = z.object({ sha256: z.string(), remark: z.string().nullable() });

/**
 * Makes a file, unless an earlier run made the same one and it is still there; a remark made then is given again. `how`
 * is everything that decides its bytes, with sources by their content.
 */
export async function makeUnlessThere(
  how: Record<string, unknown>,
  name: string,
  run: Run,
  make: (draft: string) => Promise<string | null>,
): Promise<{ cached: boolean; remark: string | null }> {
  const path = join(run.out, name);
  const key = run.workspace.keyOf({ ...how, encoder: (await locateFfmpeg()).version });
  const { data: receipt } = receiptSchema.safeParse((await run.workspace.find(key))?.header);
  const there = receipt ? await run.workspace.existing(path, run.signal) : null;
  if (there !== null && there.sha256 === receipt?.sha256) return { cached: true, remark: receipt.remark };
  let remark: string | null = null;
  await run.workspace.writeWhole(path, async (draft) => {
    remark = await make(draft);
  });
  const made = await run.workspace.existing(path, run.signal);
  await keepForLater(run, key, { sha256: made?.sha256, remark });
  return { cached: false, remark };
}

/** JPEG quality of stills: sharp enough for small prints, a tenth of the size of raw pixels. */
const STILL_QUALITY = 90;
const SHEET_COLUMNS = 10;
/** On a page of A4: pictures four centimetres wide. */
const PRINTED = { shots: 24, columns: 6 } as const;

/** Draws the pictures of a video that were asked for; gives their file names next to the record. */
async function drawPictures(
  video: RankedVideo,
  run: Run,
): Promise<{ storyboard: string | null; pictures: readonly string[] }> {
  const asked = parsePictures(run.options.pictures)!;
  const shots = shotsOf(video);
  if (['storyboard', 'sheet', 'pdf'].some((kind) => asked.has(kind as PictureKind)))
    await noteMissingGlyphs([video.name], run);
  const storyboard = asked.has('storyboard') ? `${video.id}.storyboard.png` : null;
  if (storyboard !== null) {
    await run.workspace.writeParts(join(run.out, storyboard), [await drawStoryboard({ title: video.name, shots })]);
  }
  const pictures: string[] = [];
  if (asked.has('svg')) {
    const name = `${video.id}.storyboard.svg`;
    const source = relative(run.out, video.info.path);
    const drawing = drawLinkedStoryboard({ title: video.name, video: source, shots });
    await run.workspace.writeParts(join(run.out, name), drawing);
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
  const asked = parsePictures(run.options.pictures)!;
  if (!asked.has('sheet') && !asked.has('pdf')) return [];
  const shots = videos.flatMap((video) =>
    shotsOf(video).map((shot) => ({ ...shot, label: `${shot.label} ${video.name}` })),
  );
  await noteMissingGlyphs([topic], run);
  const drawPages = async function* (most: number, columns: number): AsyncGenerator<Buffer> {
    const pages = Math.max(1, Math.ceil(shots.length / most));
    for (let page = 0; page < pages; page++) {
      const title = pages === 1 ? topic : `${topic}, page ${page + 1} of ${pages}`;
      yield drawStoryboard({ title, shots: shots.slice(page * most, (page + 1) * most), columns });
    }
  };
  const names: string[] = [];
  if (asked.has('sheet')) {
    for await (const sheet of drawPages(STORYBOARD_LIMIT, SHEET_COLUMNS)) {
      const isOnly = shots.length <= STORYBOARD_LIMIT;
      const name = isOnly ? 'contact-sheet.png' : `contact-sheet-${names.length + 1}.png`;
      await run.workspace.writeParts(join(run.out, name), [sheet]);
      names.push(name);
    }
  }
  if (asked.has('pdf')) {
    const name = 'contact-sheet.pdf';
    await run.workspace.writeParts(join(run.out, name), [await drawPdf(drawPages(PRINTED.shots, PRINTED.columns))]);
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
  await run.workspace.writeParts(join(run.out, name), [jpeg]);
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

const headerSchema = z.object({ frames: z.int().nonnegative(), bytes: z.int().positive() });

/** Bytes that are copied at once. */
const COPY_BYTES = 1 << 22;

/** How a film of these videos is written: parts that an earlier film has are not encoded again. */
export async function filmHooks(
  videos: readonly Video[],
  run: Run,
  { workers, onFrames }: Pick<FilmHooks, 'onFrames'> & { workers: number },
): Promise<FilmHooks> {
  const { filmParts } = run.workspace;
  const hooks = { signal: run.signal, onFrames, workers };
  return filmParts ? { ...hooks, parts: await openParts(videos, filmParts, run) } : hooks;
}

async function openParts(
  videos: readonly Video[],
  { find, draft }: NonNullable<Run['workspace']['filmParts']>,
  run: Run,
): Promise<PartStore> {
  const contents = new Map(videos.map(({ info, sha256 }) => [info.path, sha256]));
  const encoder = (await locateFfmpeg()).version;
  const keyFor = (identity: unknown): string =>
    run.workspace.keyOf({ stage: 'film-part', version: PART_VERSION, encoder, identity });
  return {
    contentOf: (path) => {
      const content = contents.get(path);
      if (content === undefined) throw new Error(`A film of other sources than said: ${path}`);
      return content;
    },
    recall: (identity, file) =>
      unlessUnkept(async () => {
        const entry = await find(keyFor(identity));
        const { data: header } = headerSchema.safeParse(entry?.header);
        if (!entry || !header) return null;
        await writeFile(file, '');
        for (let at = 0; at < header.bytes; at += COPY_BYTES) {
          await writeFile(file, await entry.read('pictures', at, COPY_BYTES), { flag: 'a' });
        }
        return header.frames;
      }),
    keep: (identity, file, frames) =>
      unlessUnkept(async () => {
        for (const video of videos) await requireUnchanged(video, run);
        const entry = await draft(keyFor(identity));
        try {
          const bytes = await copyInto(entry, file);
          await entry.commit({ frames, bytes }, ['pictures']);
        } finally {
          await entry.discard();
        }
        return null;
      }).then(() => undefined),
  };
}

async function copyInto(entry: Scratch, path: string): Promise<number> {
  const file = await open(path, 'r');
  let bytes = 0;
  try {
    for await (const chunk of file.createReadStream({ highWaterMark: COPY_BYTES, autoClose: false })) {
      await entry.append('pictures', chunk as Buffer);
      bytes += (chunk as Buffer).length;
    }
  } finally {
    await file.close();
  }
  return bytes;
}

/** What is kept only saves time: where the cache fails, a part is encoded again. */
async function unlessUnkept<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}
