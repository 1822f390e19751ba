import type { Analysis } from './analysis/record.js';
import { UsageError, type Matrix } from '../base/index.js';
import {
  openGiven,
  openTable,
  parseRowStep,
  placeRows,
  poolRows,
  type ChosenExtractor,
  sourceOf,
  type FeatureMatrix,
  type FeatureSource,
} from '../features/index.js';
import type { Run } from './run.js';
import type { Video } from './admit.js';
import { keptMatrix } from './kept.js';
import { note } from './limits.js';
import type { ShotPlan } from './shot-plan.js';

/** Raise this when the same rows would give different vectors of shots. */
const POOLING = 2;

/** Vectors made elsewhere, for the videos of a run. */
type VectorSource = {
  /** What the record of a run says about them. */
  readonly source: Pick<ChosenExtractor, 'name' | 'version' | 'dim' | 'sha256' | 'layer'>;
  /** Throws if the vectors of a video cannot be used, as far as that is known before the video is read. */
  check(video: Video): void;
  /** The vectors of a video's shots. */
  vectorsOf(video: Video, analysis: Analysis, plan: Pick<ShotPlan, 'identity' | 'listed'>): Promise<FeatureSource>;
};

/** Opens what `--vectors` names; `null` if vectors are to be computed. */
export async function openVectors(videos: readonly Video[], run: Run): Promise<VectorSource | null> {
  const { vectors: path, vectorsEvery } = run.options;
  if (path === undefined) {
    if (vectorsEvery === undefined) return null;
    throw new UsageError(
      'bad-option',
      'Expected --vectors with --vectors-every, found none. Add it, or leave --vectors-every out.',
    );
  }
  refuseMaking(run);
  const given = await openGiven(path, videos, (file) => run.workspace.hash(file, run.signal));
  const step = vectorsEvery === undefined ? undefined : parseRowStep(vectorsEvery)!;
  return {
    source: {
      name: given.name,
      version: `${given.sha256.slice(0, 16)}.${POOLING}`,
      dim: given.dim,
      sha256: given.sha256,
      layer: null,
    },
    check({ id }) {
      const problem = given.refused.get(id);
      if (problem) throw problem;
    },
    async vectorsOf(video, analysis, { identity, listed }) {
      const place = given.places.get(video.id)!;
      const { frameCount, start, end, timeBase, shots } = analysis;
      const record = {
        stage: 'vectors',
        version: POOLING,
        content: video.sha256,
        shots: identity,
        vectors: [place.sha256, place.dataset, step ?? null],
      };
      const pooled = await keptMatrix(run, record, shots.length, async () => {
        const cut = { id: video.name, frameCount, shots, range: { start, end, base: timeBase } };
        const { table, picks } = await openTable(video.name, place);
        try {
          const places = placeRows(cut, table.rows, { picks, step, listed });
          const { vectors, bare } = await poolRows(video.name, table, shots.length, places);
          const sentence = `${bare} of ${shots.length} shots hold no row of the vectors given and take the nearest one.`;
          return { ...atMostOne(vectors), note: bare > 0 ? sentence : null };
        } finally {
          await table.close();
        }
      });
      if (pooled.note !== null) note(run, 'sparse-vectors', `"${video.name}": ${pooled.note}`);
      return sourceOf(pooled);
    },
  };
}

/** Refuses options that say how vectors are computed: these were made elsewhere. */
function refuseMaking({ options }: Run): void {
  const { features, device } = options;
  const asked = (['model', 'layer', 'input', 'mean', 'std'] as const).find((name) => options[name] !== undefined);
  const wrong = asked ?? (features === 'default' ? (device === 'cpu' ? null : 'device') : 'features');
  if (wrong === null) return;
  throw new UsageError(
    'bad-option',
    `Expected --vectors without --${wrong}, which is for vectors computed here, found both. Leave one of them out.`,
  );
}

/** The vectors divided by a power of two, so that no entry is above one: numbers from elsewhere may have any size. */
function atMostOne({ rows: shotCount, cols: dim, data }: Matrix): FeatureMatrix {
  const largest = data.reduce((size, value) => Math.max(size, Math.abs(value)), 0);
  const scale = largest === 0 ? 1 : 2 ** Math.ceil(Math.log2(largest));
  return { shotCount, dim, data: Float32Array.from(data, (value) => value / scale) };
}
