import { clockOf } from '../analyse/index.js';
import { lengthInSeconds, type TimeRange } from '../base/index.js';
import type { Evidence } from '../evidence/index.js';
import type { Run } from '../run.js';
import type { Ranking } from '../select/index.js';
import type { FrameClock, Shot } from '../shots/index.js';
import {
  arrange,
  budgetTicks,
  clipsOf,
  cutToLength,
  planClips,
  rankShots,
  type Clip,
  type ClipRules,
  type SummaryShot,
  type Support,
} from '../summary/index.js';
import type { VideoWishes } from '../wishes/index.js';
import type { OutlinedVideo } from './analyse-videos.js';
import { note } from './note.js';
import type { Related } from './relate.js';

/** A video whose shots are ranked and cut to the length. */
export type RankedVideo = OutlinedVideo &
  Related & {
    readonly shots: readonly SummaryShot[];
    readonly clips: readonly Clip[];
    /** The videos that support a shot, strongest first; worked out when asked for. */
    supportOf(shot: number): Support[];
    readonly solver: { readonly iterations: number; readonly converged: boolean; readonly residual: number };
    /** Shots by index, with their places in the order made by hand for the film of the topic. */
    readonly topicPlaces: VideoWishes['topicPlaces'];
    /** What a film of many videos plays of a shot: at most the longest clip, nothing vetoed; `null` if nothing is left. */
    plays(shot: number): Clip | null;
  };

/** Cuts a ranking to the length asked for: the shots and clips of the summary, with notes for the reader. */
export async function cutVideo(
  video: OutlinedVideo & Related,
  ranking: Pick<Ranking, 'order' | 'places' | 'scores' | 'own' | 'shared' | 'certificate'> & {
    readonly evidence: Evidence | null;
  },
  supportOf: (shot: number) => Support[],
  wishes: VideoWishes,
  run: Run,
): Promise<RankedVideo> {
  const { shots, start, end, timeBase } = video.analysis;
  const { iterations, converged, residual } = ranking.certificate;
  const total = { start, end, base: timeBase };
  const order = rankShots(ranking, shots, wishes);
  const rankOf = new Map(order.map((shot, rank) => [shot, rank]));
  const { areWhole, clipsFor, mayJoin } = await clipMaker(video, wishes, total, run);
  const ticksOf = (chosen: readonly number[]): number =>
    clipsFor(chosen).reduce((sum, { range }) => sum + range.end - range.start, 0);
  const how = { ...wishes, mayJoin, ...(areWhole ? {} : { ticksOf }) };
  const cut = cutToLength(order, shots, run.budget, total, ranking.scores, how);
  const clips = clipsFor(cut.chosen);
  if (cut.overBudget && shots.length > 1) note(run, 'over-length', overLength(video, clips, wishes, run));
  if (!converged) {
    note(
      run,
      'not-converged',
      `The solver stopped before "${video.name}" was solved to its tolerance (residual ${residual.toExponential(1)}).`,
    );
  }
  const [chosen, pinned, vetoed] = [new Set(cut.chosen), new Set(wishes.pinned), new Set(wishes.vetoed)];
  const support: Support[][] = [];
  const bestRank = (clip: Clip): number => order.findIndex((shot) => chosen.has(shot) && isIn(clip, shots[shot]!));
  return {
    ...video,
    shots: shots.map((shot, index) => ({
      ...shot,
      rank: rankOf.get(index)!,
      score: ranking.scores[index]!,
      own: ranking.own[index]!,
      shared: ranking.shared[index]!,
      evidence: ranking.evidence && evidenceAt(ranking.evidence, index),
      chosen: chosen.has(index),
      ...(pinned.has(index) ? { pinned: true } : {}),
      ...(vetoed.has(index) ? { vetoed: true } : {}),
      // Worked out when it is read: it costs far more than the choice itself.
      get support() {
        return (support[index] ??= chosen.has(index) ? supportOf(index) : []);
      },
    })),
    clips: inOrder(
      run.options.order !== 'importance' ? clips : clips.toSorted((a, b) => bestRank(a) - bestRank(b)),
      wishes.sequence.map((shot) => shots[shot]!),
    ),
    topicPlaces: wishes.topicPlaces,
    supportOf,
    solver: { iterations, converged, residual },
    plays: await playMaker(video, wishes, total, run),
  };
}

/** The evidence for one shot, by terms. */
function evidenceAt({ total, terms }: Evidence, index: number): SummaryShot['evidence'] {
  const values = Object.entries(terms).map(([name, values]) => [name, values[index]!]);
  return { total: total[index]!, ...Object.fromEntries(values) };
}

/**
 * Makes the clips of chosen shots; if only whole shots are asked for, without reading the times of all frames. A shot that
 * would make a clip longer than the longest allowed may not join.
 */
async function clipMaker(
  { analysis }: OutlinedVideo,
  { partly, exact, barred }: VideoWishes,
  total: TimeRange,
  { options }: Run,
): Promise<{
  /** Only whole shots play, so that the length of a film is the sum of theirs. */
  readonly areWhole: boolean;
  clipsFor(chosen: readonly number[]): Clip[];
  mayJoin(chosen: readonly number[], place: number): boolean;
}> {
  const { shots } = analysis;
  const { minClip, maxClip, handles } = options;
  const isPlain = minClip === undefined && maxClip === undefined && handles === 0;
  if (isPlain && exact.length + barred.length === 0)
    return {
      areWhole: true,
      clipsFor: (chosen) => clipsOf(chosen.map((index) => shots[index]!)),
      mayJoin: () => true,
    };
  const ticks = (seconds: number): number => budgetTicks({ kind: 'seconds', seconds }, total);
  const rules: ClipRules = {
    minTicks: minClip === undefined ? 0 : ticks(minClip),
    maxTicks: maxClip === undefined ? null : ticks(maxClip),
    handles,
  };
  const clock = await clockOf(analysis);
  // A shot pinned by a stretch of time plays that stretch, not the whole of itself.
  const whole = (chosen: readonly number[]): Shot[] =>
    chosen.flatMap((index) => (partly.includes(index) ? [] : [shots[index]!]));
  const clipsFor = (chosen: readonly number[]): Clip[] =>
    planClips({ shots: whole(chosen), exact, barred }, rules, clock);
  const isTooLong = ({ startFrame, endFrame }: Clip): boolean =>
    rules.maxTicks !== null && ticksBetween(startFrame + handles, endFrame - handles, clock) > rules.maxTicks;
  const mayJoin = (chosen: readonly number[], place: number): boolean =>
    rules.maxTicks === null ||
    clipsFor([...chosen, place]).every((clip) => !isTooLong(clip) || !isIn(clip, shots[place]!));
  return { areWhole: false, clipsFor, mayJoin };
}

/** Clips in the order made by hand, if there is one: a clip goes where the first of its shots is listed. */
function inOrder(clips: readonly Clip[], sequence: readonly Shot[]): Clip[] {
  const listed = sequence.map((shot) => clips.findIndex((clip) => isIn(clip, shot)));
  return arrange([...clips.keys()], listed).map((place) => clips[place]!);
}

function isIn(clip: Clip, { startFrame, endFrame }: Shot): boolean {
  return startFrame < clip.endFrame && endFrame > clip.startFrame;
}

/** Ticks from one frame to another; one frame is never too long. */
function ticksBetween(from: number, to: number, { frameTicks, endTicks }: FrameClock): number {
  return to - from <= 1 ? 0 : (frameTicks[to] ?? endTicks) - frameTicks[from]!;
}

/** Like `clipMaker`, for single shots: nothing is joined or widened. If a veto leaves pieces, the longest one plays. */
async function playMaker(
  { analysis }: OutlinedVideo,
  { partly, exact, barred }: VideoWishes,
  total: TimeRange,
  { options: { maxClip } }: Run,
): Promise<RankedVideo['plays']> {
  const { shots } = analysis;
  if (maxClip === undefined && exact.length + barred.length === 0) return (index) => clipsOf([shots[index]!])[0]!;
  const clock = await clockOf(analysis);
  const maxTicks = maxClip === undefined ? null : budgetTicks({ kind: 'seconds', seconds: maxClip }, total);
  return (index) => {
    const { startFrame, endFrame } = shots[index]!;
    const asked = exact.flatMap((range) => {
      const inside = {
        startFrame: Math.max(startFrame, range.startFrame),
        endFrame: Math.min(endFrame, range.endFrame),
      };
      return inside.startFrame < inside.endFrame ? [inside] : [];
    });
    const footage = partly.includes(index)
      ? { shots: [], exact: asked, barred: [] }
      : { shots: [{ startFrame, endFrame }], exact: [], barred };
    const pieces = planClips(footage, { minTicks: 0, maxTicks, handles: 0 }, clock);
    return pieces.reduce<Clip | null>(
      (best, piece) => (best && lengthOf(best) >= lengthOf(piece) ? best : piece),
      null,
    );
  };
}

const lengthOf = ({ range }: Clip): number => range.end - range.start;

function overLength({ name }: OutlinedVideo, clips: readonly Clip[], { pinned, exact }: VideoWishes, run: Run): string {
  const seconds = clips.reduce((sum, { range }) => sum + lengthInSeconds(range), 0).toFixed(1);
  const { length } = run.options;
  if (pinned.length + exact.length > 0)
    return `The pinned parts of "${name}" (${seconds} s) are longer than the summary should be (${length}): they were taken whole, and nothing else.`;
  return `The best shot of "${name}" (${seconds} s) is longer than the summary should be (${length}), and no shorter shot is nearly as good: it was taken anyway.`;
}
