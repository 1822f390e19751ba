import { join } from 'node:path';
import { stat } from 'node:fs/promises';

import { mapLimited } from '../base/index.js';
import { FILM_VERSION, filmFrames, renderFilm } from '../export/index.js';
import { locateFfmpeg } from '../media/index.js';
import type { Run } from '../run.js';
import { keepGoing } from './admit.js';
import { drawPictures } from './pictures.js';
import type { RankedVideo } from './rank.js';

export type RenderedVideo = RankedVideo & {
  /** File names beside the record; `null` when not made. */
  readonly film: string | null;
  readonly storyboard: string | null;
  readonly pictures: readonly string[];
};

/** Makes each video's storyboard and film. A film that stands there unchanged from an earlier run is left alone. */
export async function renderVideos(videos: readonly RankedVideo[], run: Run): Promise<RenderedVideo[]> {
  run.tell({ type: 'stage-started', stage: 'render', total: videos.length });
  const totals = videos.map((video) => filmFrames(video.clips));
  const total = totals.reduce((sum, frames) => sum + frames, 0);
  const done = videos.map(() => 0);
  const rendered = await mapLimited(videos, run.jobs, async (video, place) => {
    const progress = (frames: number): void => {
      done[place] = frames;
      const seen = done.reduce((sum, count) => sum + count, 0);
      run.tell({ type: 'progress', stage: 'render', fraction: seen / total, item: video.name, frames: seen });
    };
    const drawn = await drawPictures(video, run);
    const film = run.options.films ? await keepGoing(run, video, () => filmOf(video, run, progress)) : null;
    progress(totals[place] ?? 0);
    return { ...video, ...drawn, film };
  });
  run.tell({ type: 'stage-done', stage: 'render' });
  return rendered;
}

async function filmOf(video: RankedVideo, run: Run, onFrames: (frames: number) => void): Promise<string> {
  const name = `${video.id}.mp4`;
  const path = join(run.out, name);
  const { timeBase } = video.analysis;
  const film = {
    info: video.info,
    timeBase,
    clips: video.clips,
    sound: run.options.sound,
    isDamaged: video.analysis.isDamaged,
  };
  const key = run.shelf.keyOf({
    stage: 'film',
    version: FILM_VERSION,
    content: video.sha256,
    clips: video.clips,
    sound: film.sound,
    isDamaged: film.isDamaged,
    encoder: (await locateFfmpeg()).version,
  });
  const receipt = (await run.shelf.find(key))?.header as { sha256?: string } | undefined;
  const standing = receipt && (await stat(path).catch(() => null)) ? await run.shelf.hash(path, run.signal) : null;
  const cached = standing !== null && standing.sha256 === receipt?.sha256;
  if (!cached) {
    await run.shelf.writeWhole(path, (draft) => renderFilm(film, draft, { signal: run.signal, onFrames }));
    const { sha256 } = await run.shelf.hash(path, run.signal);
    await (await run.shelf.draft(key)).commit({ sha256 }, []);
  }
  run.tell({ type: 'item-done', stage: 'render', item: video.name, cached });
  return name;
}
