import { ANALYSIS_VERSION, SIGNAL_SIZE, type ShotFinder } from './analysis/analyse.js';
import type { Analysis } from './analysis/record.js';
import {
  BLOCK_VERSIONS,
  MOTION_DIM,
  motionMeter,
  parseBlocks,
  SOUND_DIM,
  SOUND_RATE,
  soundMeter,
  type BlockName,
  type FeatureMatrix,
  type MotionMeter,
  type ShotBlock,
} from '../features/index.js';
import { decode, listen, locateFfmpeg, playedTrack, soundClockFilters, type VideoInfo } from '../media/index.js';
import type { Run } from './run.js';
import type { Video } from './admit.js';
import { keptMatrix, type NotedMatrix } from './kept.js';
import { asRead } from './normalised.js';
import { note } from './limits.js';
import type { ShotPlan } from './shot-plan.js';

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
