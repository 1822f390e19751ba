import { createHash } from 'node:crypto';
import { resolve } from 'node:path';

import { inMemory, type Matrix, UsageError } from '../base/index.js';
import { normaliseShots, type Normalisation } from '../features/index.js';
import {
  type Run,
  admitVideos,
  analyseVideos,
  type AnalysedVideo,
  BACKGROUND_SHOTS,
  backgroundFrom,
  pictureVectors,
  readBackground,
  requireSome,
  sampleBackground,
  shotVectors,
  skip,
  weigherAgainst,
} from '../pipeline/index.js';
import { shotsFromStarts } from '../shots/index.js';
import type { FeatureFacts } from './benchmark.js';
import {
  type FileRecord,
  type FrameLabelledDataset,
  findVideos,
  fitsLabels,
  judgeShots,
  readFeatures,
} from './datasets/source.js';
import type { DescribedVideo } from './rank-all.js';
import type { Dataset, LabelledVideo } from './types.js';

/** Labelled videos with their vectors, and where these are from. */
export type Description = {
  readonly videos: readonly DescribedVideo[];
  readonly features: FeatureFacts;
  readonly inputs: readonly { readonly video: string; readonly sha256: string }[];
  readonly notes: readonly string[];
  /** Reads the JPEG of a shot; `null` if there is none. */
  picture(video: string, shot: number): Promise<Buffer | null>;
};

/** Labelled videos with vectors made elsewhere, from an `.h5` file or a folder of `.npy` files. */
export async function describeFromVectors(
  path: string,
  videos: readonly LabelledVideo[],
  normalisation: Normalisation,
): Promise<Description> {
  const { features, notes, files } = await readFeatures(path, videos);
  const dim = features.values().next().value?.cols ?? 0;
  return {
    videos: videos.map((video) => {
      return { video, features: normalised(features.get(video.id)!, normalisation), weigh: null };
    }),
    features: { name: 'given', version: versionOf(files), dim },
    inputs: files.map((file) => ({ video: file.path, sha256: file.sha256 })),
    notes: [...notes, 'Vectors were given without the times of shots: cvs ranks without evidence.'],
    picture: () => Promise.resolve(null),
  };
}

/** Changes when any of the files does. */
function versionOf(files: readonly FileRecord[]): string {
  const hashes = files.map(({ sha256 }) => sha256).join(' ');
  return createHash('sha256').update(hashes).digest('hex').slice(0, 16);
}

/** A video of a data set, cut into the shots of its labels. */
export type AnalysedLabelled = AnalysedVideo & { readonly video: LabelledVideo };

/**
 * Analyses the videos of a data set that are in a folder, cut into the shots of the data set. Missing ones, and those of
 * another length than their labels, are left out and named.
 */
export async function analyseLabelled(
  folder: string,
  dataset: Dataset,
  run: Run,
): Promise<{ kept: AnalysedLabelled[]; analysed: AnalysedVideo[]; notes: string[] }> {
  const { found, missing } = await findVideos(
    folder,
    dataset.videos.map(({ id }) => id),
  );
  if (found.size === 0) {
    throw new UsageError(
      'no-videos',
      `Expected videos named by their id in "${folder}", such as "${missing[0]}.mp4", found none of ${missing.length}.`,
    );
  }
  const byId = new Map(dataset.videos.map((video) => [video.id, video]));
  const notes = missing.length > 0 ? [`${missing.length} of ${byId.size} labelled videos were not found.`] : [];
  const inputs = [...found].map(([id, path]) => ({ id, name: id, path: resolve(path) }));
  const admitted = await admitVideos(inputs, run);
  const analysed = await analyseVideos(admitted, run, ({ id }) => {
    const starts = byId.get(id)!.shots.map(({ startFrame }) => startFrame);
    return {
      identity: ['starts', starts],
      listed: true,
      newFinder: () => ({
        push: () => undefined,
        end: (clock) =>
          shotsFromStarts(
            starts.filter((start) => start < clock.frameTicks.length),
            clock,
          ),
      }),
    };
  });
  const kept = analysed.flatMap((video) => {
    const fitted = fitLabels(video, byId.get(video.id)!, dataset, notes);
    if (fitted === null) {
      const { frameCount } = byId.get(video.id)!;
      const found = `${video.analysis.frameCount} in the file, ${frameCount} in the labels`;
      skip(run, video.name, 'other-length', `"${video.name}" has another number of frames than its labels: ${found}.`);
      return [];
    }
    return [{ ...video, video: fitted }];
  });
  return { kept: requireSome(kept, run), analysed, notes };
}

/** Labelled videos with vectors of their shots. */
export async function describeFromVideos(folder: string, dataset: Dataset, run: Run): Promise<Description> {
  const { kept, analysed, notes } = await analyseLabelled(folder, dataset, run);
  const pictures = new Map(analysed.map(({ id, analysis }) => [id, analysis.picture]));
  return {
    videos: await describeByTopic(kept, run, notes),
    features: analysed[0]!.extractor,
    inputs: analysed.map(({ id, sha256 }) => ({ video: id, sha256 })),
    notes,
    picture: async (video, shot) => (await pictures.get(video)?.(shot)) ?? null,
  };
}

/**
 * Each topic by itself, like one run of the product. Rows of the background that come from the topic itself are left out:
 * a topic must not be compared with its own footage. Features without a background get one from the other topics.
 */
async function describeByTopic(
  videos: readonly AnalysedLabelled[],
  run: Run,
  notes: string[],
): Promise<DescribedVideo[]> {
  const described = new Map<string, DescribedVideo>();
  const { extractor } = videos[0]!;
  const topics = new Set(videos.map(({ video }) => video.topic));
  const made = await readBackground(extractor, run.options);
  const file = made ?? (await sampleBackground(videos));
  if (made === null) {
    const instead =
      topics.size > 1
        ? `each topic is compared with ${BACKGROUND_SHOTS} shots of each video of the other topics`
        : 'with one topic there is no likeness to the other videos in the evidence';
    notes.push(`Without --background for the features "${extractor.name}", ${instead}.`);
  }
  for (const topic of topics) {
    const own = videos.filter(({ video }) => video.topic === topic);
    const background = backgroundFrom(file, run.options, new Set(own.map(({ sha256 }) => sha256)));
    const looks = await pictureVectors(own, run.options, run);
    const vectors = await shotVectors(own, run.options, run);
    for (const [index, each] of own.entries()) {
      const weigh = await weigherAgainst(background, each, looks[index]!, run.options);
      described.set(each.id, { video: each.video, features: inMemory(vectors[index]!), weigh });
    }
  }
  return videos.map(({ id }) => described.get(id)!);
}

/** The labels for the shots that the file really has; `null` if it is another video. */
function fitLabels(
  { analysis, id }: AnalysedVideo,
  labelled: LabelledVideo,
  dataset: Dataset,
  notes: string[],
): LabelledVideo | null {
  const { frameCount } = analysis;
  if (!fitsLabels(frameCount, labelled.frameCount)) return null;
  const shots = analysis.shots.map(({ startFrame, endFrame }) => ({ startFrame, endFrame }));
  const scores = (dataset as Partial<FrameLabelledDataset>).frameScores?.get(id);
  if (scores) {
    const judged = judgeShots(scores, shots, frameCount);
    notes.push(...judged.notes);
    return { ...labelled, frameCount, shots, judgements: judged.judgements };
  }
  return shots.length === labelled.shots.length ? { ...labelled, frameCount, shots } : null;
}

function normalised({ rows, cols, data }: Matrix, how: Normalisation): Matrix {
  return normaliseShots({ shotCount: rows, dim: cols, data: Float32Array.from(data) }, how);
}
