import { existsSync } from 'node:fs';
import { join } from 'node:path';
import h5wasm, { type Dataset, type Group } from 'h5wasm/node';

import { type Matrix } from '../../src/base/index.js';
import { openPictureNetwork, poolPictures, type Extractor } from '../../src/features/index.js';
import { decode, probe } from '../../src/media/index.js';

/** One TVSum video: a unit vector for each two-second shot, and what each annotator gave each shot on average. */
export type Labelled = {
  readonly id: string;
  readonly topic: string;
  readonly features: Matrix;
  readonly marks: number[][];
};

/** Reads the videos of a TVSum folder (`ydata-tvsum50.mat`, `videos/ID.mp4`) that are there; shots are 2·round(fps) frames. */
export async function readTvsum(folder: string): Promise<Labelled[]> {
  await h5wasm.ready;
  const file = new h5wasm.File(join(folder, 'ydata-tvsum50.mat'), 'r');
  const table = file.get('tvsum50') as Group;
  const column = (name: string): Dataset[] =>
    [...((table.get(name) as Dataset).value as Iterable<unknown>)]
      .flat()
      .map((reference) => file.dereference(reference as never) as unknown as Dataset);
  const text = (cell: Dataset): string => String.fromCharCode(...(cell.value as Uint16Array));
  const [ids, topics, annotations] = [column('video').map(text), column('category').map(text), column('user_anno')];

  const extractor = await openPictureNetwork({ workers: 2 });
  try {
    const videos: Labelled[] = [];
    for (const [place, id] of ids.entries()) {
      const path = join(folder, 'videos', `${id}.mp4`);
      if (!existsSync(path)) continue;
      const { features, shotFrames } = await embedShots(path, extractor);
      videos.push({
        id,
        topic: topics[place]!,
        features,
        marks: averageMarks(annotations[place]!, features.rows, shotFrames),
      });
    }
    return videos;
  } finally {
    await extractor.close();
  }
}

async function embedShots(path: string, extractor: Extractor): Promise<{ features: Matrix; shotFrames: number }> {
  const info = await probe(path);
  const shotFrames = 2 * Math.round(info.frameRate!.num / info.frameRate!.den);
  const { widthPx, heightPx } = extractor.sample;
  const { frames } = decode(info, [
    { name: 'clock', widthPx: 2, heightPx: 2, every: 1 },
    { name: 'network', widthPx, heightPx, every: shotFrames },
  ]);
  const vectors: Promise<Float32Array>[] = [];
  for await (const frame of frames) {
    if (frame.pictures['network']) vectors.push(extractor.embed(frame.pictures['network']));
  }
  const rows = (await Promise.all(vectors)).map((vector) => poolPictures([vector], extractor.dim));
  const data = Float64Array.from(rows.flatMap((row) => [...row]));
  return { features: { rows: rows.length, cols: extractor.dim, data }, shotFrames };
}

/** Frame scores of each annotator averaged over each shot; frames past the last shot belong to it. */
function averageMarks(cell: Dataset, shots: number, shotFrames: number): number[][] {
  const [annotators = 0, frames = 0] = cell.shape ?? [];
  const values = cell.value as ArrayLike<number | bigint>;
  return Array.from({ length: annotators }, (_, annotator) => {
    const sums = new Float64Array(shots);
    const counts = new Float64Array(shots);
    for (let frame = 0; frame < frames; frame++) {
      const shot = Math.min(shots - 1, Math.floor(frame / shotFrames));
      sums[shot]! += Number(values[annotator * frames + frame]);
      counts[shot]!++;
    }
    return Array.from(sums, (sum, shot) => sum / counts[shot]!);
  });
}
