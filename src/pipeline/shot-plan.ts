import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Matrix, UsageError, whyUnreadable } from '../base/index.js';
import {
  BLOCK_VERSIONS,
  type BlockName,
  type ChosenExtractor,
  type FeatureMatrix,
  type FeatureSource,
  MOTION_DIM,
  motionMeter,
  type MotionMeter,
  openGiven,
  openTable,
  parseBlocks,
  parseRowStep,
  placeRows,
  poolRows,
  type ShotBlock,
  SOUND_DIM,
  SOUND_RATE,
  soundMeter,
  sourceOf,
} from '../features/index.js';
import { decode, listen, locateFfmpeg, playedTrack, soundClockFilters, type VideoInfo } from '../media/index.js';
import {
  createSegmenter,
  readShotList,
  type Segmenter,
  shortestFrames,
  type ShotList,
  shotsFromList,
} from '../shots/index.js';
import { type Video, asRead } from './admit.js';
import { ANALYSIS_VERSION, type ShotFinder, SIGNAL_SIZE } from './analysis/analyse.js';
import type { Analysis } from './analysis/record.js';
import { keptMatrix, type NotedMatrix, type Run } from './run.js';
import { note } from './limits.js';

/** What the record of a run says about a block. */
export type BlockFacts = { name: string; version: string; dim: number; weight: number };

/** What blocks need of a plan for shots. */
type Plan = Pick<ShotPlan, 'newFinder' | 'identity'>;

/** The blocks of one video. Analyse it with `plan`, so that its pictures need not be decoded again. */
type Watch<P extends Plan> = {
  readonly plan: P;
  blocksOf(analysis: Analysis, threads: number): Promise<ShotBlock[]>;
};

type Blocks = {
  readonly facts: BlockFacts[];
  watch<P extends Plan>(video: Video, plan: P): Watch<P>;
};

const DIMS: Readonly<Record<BlockName, number>> = { motion: MOTION_DIM, sound: SOUND_DIM };

/** Opens the blocks that `--blocks` names; `null` if it names none. */
export function openBlocks(run: Run): Blocks | null {
  if (run.options.blocks === undefined) return null;
  const choices = parseBlocks(run.options.blocks)!;
  return {
    facts: choices.map(({ name, weight }) => ({ name, version: BLOCK_VERSIONS[name], dim: DIMS[name], weight })),
    watch(video, plan) {
      const seesMotion = choices.some(({ name }) => name === 'motion');
      let motion: FeatureMatrix | null = null;
      const watched = watchMotion(plan, video.info, (rows) => (motion = rows));
      return {
        plan: seesMotion ? { ...plan, newFinder: watched } : plan,
        async blocksOf(analysis, threads) {
          const blocks: ShotBlock[] = [];
          for (const { name, weight } of choices) {
            const record = {
              stage: 'block',
              block: BLOCK_VERSIONS[name],
              analysis: ANALYSIS_VERSION,
              content: video.sha256,
              shots: plan.identity,
              decoder: (await locateFfmpeg()).version,
            };
            const make = (): Promise<NotedMatrix> =>
              name === 'motion'
                ? measureMotion(motion, asRead(video, analysis), analysis, threads, run)
                : measureSound(asRead(video, analysis), analysis, run);
            const rows = await keptMatrix(run, record, analysis.shots.length, make);
            if (rows.note !== null) note(run, `no-${name}`, `"${video.name}" ${rows.note}`);
            blocks.push({ name, weight, rows });
          }
          return blocks;
        },
      };
    },
  };
}

/** Finders that pass their pictures to a meter too, and report what it measured once they have found the shots. */
function watchMotion(plan: Plan, info: VideoInfo, emit: (rows: FeatureMatrix) => void): () => ShotFinder {
  return () => {
    const finder = plan.newFinder();
    const meter = meterFor(info);
    return {
      push(picture, seconds) {
        finder.push(picture, seconds);
        meter.push(picture);
      },
      end(clock) {
        const found = finder.end(clock);
        emit(meter.end(found.shots));
        return found;
      },
    };
  };
}

function meterFor({ frameRate }: VideoInfo): MotionMeter {
  return motionMeter(SIGNAL_SIZE, frameRate && frameRate.num / frameRate.den);
}

/** What was measured while the video was analysed; if the analysis came from the cache, its pictures are decoded again. */
async function measureMotion(
  seen: FeatureMatrix | null,
  { info }: Video,
  { shots, isDamaged }: Analysis,
  threads: number,
  run: Run,
): Promise<NotedMatrix> {
  if (seen) return { ...seen, note: null };
  const meter = meterFor(info);
  const { frames } = decode(info, [{ name: 'signal', ...SIGNAL_SIZE, every: 1 }], {
    signal: run.signal,
    threads: isDamaged ? 1 : threads,
  });
  for await (const { pictures } of frames) meter.push(pictures['signal']!);
  return { ...meter.end(shots), note: null };
}

/** The track a player would play, from the first picture on. */
async function measureSound({ info }: Video, { shots, start, timeBase }: Analysis, run: Run): Promise<NotedMatrix> {
  const meter = soundMeter();
  const track = playedTrack(info);
  if (track === undefined) return { ...meter.end(shots, start), note: 'has no sound and counts as silent.' };
  const source = {
    path: info.path,
    track: track.position,
    from: start,
    base: timeBase,
    clock: soundClockFilters(info),
  };
  const listening = listen(source, SOUND_RATE, run.signal);
  for await (const samples of listening.samples) meter.push(samples);
  const complaint = listening.complaint();
  const sentence = `has sound that could not be read to its end (${complaint}); what is missing counts as silent.`;
  return { ...meter.end(shots, start), note: complaint === null ? null : sentence };
}

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

/** How the shots of a video are found. */
export type ShotPlan = {
  newFinder(): ShotFinder;
  /** Identifies the way in which they are found: part of the cache key. */
  readonly identity: unknown;
  /** The caller knows the shots already; they are not found in the pictures. */
  readonly listed: boolean;
  /** Frames of the shortest shot that may be chosen, as far as the rate is known. */
  readonly shortest?: number;
};

/** How the shots of each video are found under the options of a run: by a list of shots, else by a segmenter. */
export async function planFromOptions(run: Run): Promise<(video: Video) => ShotPlan> {
  const list = await openShotList(run);
  if (list !== null) {
    return (video) => ({
      newFinder: () => ({ push: () => undefined, end: (clock) => shotsFromList(list.shots, video.name, clock) }),
      identity: ['list', video.name, list.text],
      listed: true,
    });
  }
  const { segmenter: name, shotsBy: by, minShot: min, maxShot: max } = run.options;
  return ({ info: { frameRate } }) => {
    const rate = frameRate ? frameRate.num / frameRate.den : undefined;
    const newFinder = (): Segmenter => createSegmenter(name, { ...SIGNAL_SIZE, by, min, max, rate });
    const shortest = shortestFrames({ by, min, max }, rate);
    return { newFinder, identity: [name, newFinder().version], listed: false, ...(shortest ? { shortest } : {}) };
  };
}

/** A shot list as read, and its text, which identifies it. */
type GivenShots = { readonly text: string; readonly shots: ShotList };

async function openShotList({ options }: Run): Promise<GivenShots | null> {
  if (options.shots === undefined) return null;
  const text = await readFile(options.shots, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      'bad-shot-list',
      `Could not read the shot list "${options.shots}" (${whyUnreadable(error)}). Check the path.`,
    );
  });
  return { text, shots: readShotList(text, basename(options.shots)) };
}
