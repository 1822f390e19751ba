import { linkSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

import { locateFfmpeg } from '../../src/media/index.js';
import { parseSummary } from '../../src/summary/index.js';
import { measure, type Cost } from '../measure.js';
import { drawMaterial, loop } from './material.js';

/** One run of `summarize --no-films` on an empty cache: what the analyses took, then all the rest, and what it left. */
export type Load = {
  /** Hours of one video, or videos of a topic. */
  readonly size: number;
  readonly shots: number;
  readonly analysis: Cost;
  readonly rest: Cost;
  readonly wall: number;
  readonly recordBytes: number;
  readonly reportBytes: number;
};

/** Where the material is drawn and the runs are made, and of how many drawn videos it is. */
export type Place = { readonly folder: string; readonly drawn: number };

/** One video of so many hours: the drawn ones in a row, over and over. */
export async function measureHours(hours: number, { folder, drawn }: Place): Promise<Load> {
  const { path: ffmpeg } = await locateFfmpeg();
  const { film } = await drawMaterial(folder, ffmpeg, drawn);
  const video = join(folder, 'long.mp4');
  loop(film, hours * 3600, video, ffmpeg);
  return summarize(hours, video, folder);
}

/** A topic of so many videos of ten seconds. */
export async function measureTopic(count: number, { folder, drawn }: Place): Promise<Load> {
  const { path: ffmpeg } = await locateFfmpeg();
  const { videos } = await drawMaterial(folder, ffmpeg, drawn);
  const topic = join(folder, 'topic');
  rmSync(topic, { recursive: true, force: true });
  mkdirSync(topic);
  for (const video of videos.slice(0, count)) linkSync(video, join(topic, basename(video)));
  return summarize(count, topic, folder);
}

async function summarize(size: number, given: string, folder: string): Promise<Load> {
  const cli = resolve(import.meta.dirname, '../../dist/cli/main.js');
  const [out, cache] = [join(folder, 'out'), join(folder, 'cache')];
  for (const old of [out, cache]) rmSync(old, { recursive: true, force: true });
  const args = [cli, 'summarize', given, '--no-films', '--cache', cache, '--out', out];
  const { before, after, wall } = await measure(process.execPath, args, /^analysed: /);
  rmSync(given, { recursive: true });
  rmSync(cache, { recursive: true });
  const [record, report] = [join(out, 'summary.json'), join(out, 'report.html')];
  return {
    size,
    shots: parseSummary(readFileSync(record, 'utf8')).videos.reduce((sum, { shots }) => sum + shots.length, 0),
    analysis: before,
    rest: after,
    wall,
    recordBytes: statSync(record).size,
    reportBytes: statSync(report).size,
  };
}
