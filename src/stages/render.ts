import { join } from 'node:path';
import { z } from 'zod';

import { mapLimited } from '../base/index.js';
import { FILM_FORMATS, FILM_VERSION, filmFrames, PREVIEW_VERSION, renderFilm, renderPreview } from '../export/index.js';
import { locateFfmpeg } from '../media/index.js';
import type { Run } from '../run.js';
import { keepGoing, requireUnchanged } from './admit.js';
import { filmOf, type RankedVideo } from './cut-video.js';
import { keepForLater } from './keep.js';
import { note } from './note.js';
import { drawPictures } from './pictures.js';

/** A video whose film and pictures are in the folder of results. */
export type RenderedVideo = RankedVideo & {
  /** File names next to the record; `null` if not made. */
  readonly film: string | null;
  readonly storyboard: string | null;
  readonly pictures: readonly string[];
};

/** Makes the pictures and the film of each video. A film that an earlier run made is left alone if nothing changed. */
export async function renderVideos(videos: readonly RankedVideo[], run: Run): Promise<RenderedVideo[]> {
  run.tell({ type: 'stage-started', stage: 'render', total: videos.length });
  const totals = videos.map((video) => filmFrames(video.clips));
  const total = totals.reduce((sum, frames) => sum + frames, 0);
  const done = videos.map(() => 0);
  const rendered = await mapLimited(videos, run.jobs, async (video, place) => {
    const progress = (frames: number): void => {
      done[place] = frames;
      const seen = done.reduce((sum, count) => sum + count, 0);
      const ofItem = frames / (totals[place] || 1);
      run.tell({ type: 'progress', stage: 'render', fraction: seen / total, item: video.name, ofItem, frames: seen });
    };
    const drawn = (await keepGoing(run, video, () => drawPictures(video, run))) ?? { storyboard: null, pictures: [] };
    const film =
      run.options.films && video.clips.length > 0
        ? await keepGoing(run, video, () => makeFilm(video, run, progress))
        : null;
    const preview = await keepGoing(run, video, () => previewOf(video, run));
    progress(totals[place] ?? 0);
    return { ...video, ...drawn, pictures: [...drawn.pictures, ...(preview === null ? [] : [preview])], film };
  });
  run.tell({ type: 'stage-done', stage: 'render' });
  return rendered;
}

async function makeFilm(video: RankedVideo, run: Run, onFrames: (frames: number) => void): Promise<string> {
  const film = filmOf(video, run.options);
  const { clips, format, fade, sound, loudness, isDamaged } = film;
  const how = { clips, format, fade, sound, loudness, isDamaged };
  const name = `${video.id}.${FILM_FORMATS[format]}`;
  const identity = { stage: 'film', version: FILM_VERSION, ...how, content: video.sha256 };
  const { cached, remark } = await makeUnlessThere(identity, name, run, async (draft) => {
    const remark = await renderFilm(film, draft, { signal: run.signal, onFrames });
    await requireUnchanged(video, run);
    return remark;
  });
  if (remark !== null) note(run, 'not-copied', `The film of "${video.name}" was encoded, not copied: ${remark}.`);
  run.tell({ type: 'item-done', stage: 'render', item: video.name, cached });
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
  const key = run.shelf.keyOf({ ...how, encoder: (await locateFfmpeg()).version });
  const { data: receipt } = receiptSchema.safeParse((await run.shelf.find(key))?.header);
  const there = receipt ? await run.shelf.standing(path, run.signal) : null;
  if (there !== null && there.sha256 === receipt?.sha256) return { cached: true, remark: receipt.remark };
  let remark: string | null = null;
  await run.shelf.writeWhole(path, async (draft) => {
    remark = await make(draft);
  });
  const made = await run.shelf.standing(path, run.signal);
  await keepForLater(run, key, { sha256: made?.sha256, remark });
  return { cached: false, remark };
}
