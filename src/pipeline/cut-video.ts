import { clockOf, pausesOf } from './analysis/record.js';
import { formatClock, toSeconds, type TimeRange } from '../base/index.js';
import type { Evidence } from '../topic/index.js';
import { filmSeconds, type Film } from '../render/index.js';
import { findFlaws, pictureQuality, refusedShots, type Flaw, type FrameClock, type Shot } from '../shots/index.js';
import type { Run } from './run.js';
import type { Ranking } from '../select/index.js';
import {
  arrange,
  budgetTicks,
  clipsOf,
  cutToLength,
  editClips,
  fitClips,
  partsFor,
  pauseFinder,
  planClips,
  preferBetterPictures,
  rankShots,
  sayFlaws,
  type Clip,
  type ClipRules,
  type CutWishes,
  type EditableClips,
  type EditRules,
  type Footage,
  type SummaryShot,
  type Support,
  largestPart,
  type VideoWishes,
} from '../summary/index.js';
import type { OutlinedVideo } from './analyse-videos.js';
import { LONG_S, READABLE_S, TOLERANCE_S, VISIBLE_S, note } from './limits.js';
import type { ShownOf } from './supporters.js';
import type { Related } from './relate.js';

/** A video whose shots are ranked and cut to the length. */
export type RankedVideo = OutlinedVideo &
  Related & {
    readonly shots: readonly SummaryShot[];
    readonly clips: readonly Clip[];
    /** How long its film plays, fades counted. */
    readonly seconds: number;
    /** The videos that support a shot, strongest first; worked out when asked for. */
    supportOf(shot: number): Support[];
    /** Who else shows some shots; worked out when asked for. */
    readonly shownOf: ShownOf;
    readonly solver: { readonly iterations: number; readonly converged: boolean; readonly residual: number };
    /** Shots by index, with their places in the order made by hand for the film of the topic. */
    readonly topicPlaces: VideoWishes['topicPlaces'];
    /** The view that each shot shows, as a number. */
    readonly views: readonly number[];
    /** What a film of many videos may play of a shot: at most the longest clip, nothing vetoed; `null` if nothing is left. */
    plays(shot: number): Play | null;
    /** Clips of such a film, all of this video, with edges that can move; `null` if they play as found. Together at most `seconds` long. */
    edit(plays: readonly Clip[], seconds: number | null): Promise<EditableClips | null>;
  };

/** A stretch that a film of many videos may play: as found, at least, and as long as its clip may become. In ticks. */
export type Play = { readonly clip: Clip; readonly least: number; readonly most: number };

/** Cuts a ranking to the length asked for: the shots and clips of the summary, with notes for the reader. */
export async function cutVideo(
  video: OutlinedVideo & Related,
  ranking: Pick<Ranking, 'order' | 'places' | 'scores' | 'own' | 'shared' | 'certificate'> & {
    readonly evidence: Evidence | null;
    /** The view that each shot shows, as a number. */
    readonly views: readonly number[];
  },
  { supportOf, shownOf }: Pick<RankedVideo, 'supportOf' | 'shownOf'>,
  wishes: VideoWishes,
  given: Run,
): Promise<RankedVideo> {
  // A video may have a length of its own; with none it has no film.
  const run = { ...given, budget: video.budget ?? given.budget };
  const hasFilm = video.budget !== null;
  const { shots, start, end, timeBase } = video.analysis;
  const { iterations, converged, residual } = ranking.certificate;
  const total = { start, end, base: timeBase };
  const measures = await video.analysis.measures();
  const flaws = findFlaws(shots, measures);
  const flawed = run.options.allowBad ? [] : refusedShots(flaws);
  const order = rankShots(ranking, shots, { ...wishes, flawed });
  const rankOf = new Map(order.map((shot, rank) => [shot, rank]));
  const maker = await clipMaker(video, wishes, flawed, total, run);
  const { views } = ranking;
  const held = new Set([...wishes.pinned, ...wishes.vetoed, ...flawed]);
  const qualityOf = (shot: number): number => (held.has(shot) ? 0 : pictureQuality(shots[shot]!, measures));
  const better = preferBetterPictures(order, views, ranking.scores, qualityOf);
  const cut = hasFilm
    ? cutToLength(better, shots, run.budget, total, ranking.scores, { ...wishes, flawed, views, ...maker.how })
    : { chosen: [] };
  const clips = maker.clipsFor(cut.chosen);
  if (!run.options.allowBad) noteFlaws(video, cut.chosen, flaws, wishes, run);
  if (!converged) {
    note(
      run,
      'not-converged',
      `The solver stopped before "${video.name}" was solved to its tolerance (residual ${residual.toExponential(1)}).`,
    );
  }
  const [chosen, pinned, vetoed] = [new Set(cut.chosen), new Set(wishes.pinned), new Set(wishes.vetoed)];
  const support: Support[][] = [];
  const shownBy = new Map<number, number>();
  for (const shot of order) if (chosen.has(shot) && !shownBy.has(views[shot]!)) shownBy.set(views[shot]!, shot);
  const twinOf = (shot: number): Pick<SummaryShot, 'twin'> => {
    const twin = chosen.has(shot) || vetoed.has(shot) ? undefined : shownBy.get(views[shot]!);
    return twin === undefined ? {} : { twin: { video: video.id, shot: twin } };
  };
  const shown = once(() => new Map(shownOf(cut.chosen).map((each, at) => [cut.chosen[at]!, each])));
  const bestRank = (clip: Clip): number => order.findIndex((shot) => chosen.has(shot) && isIn(clip, shots[shot]!));
  const played = inOrder(
    run.options.order !== 'importance' ? clips : clips.toSorted((a, b) => bestRank(a) - bestRank(b)),
    wishes.sequence.map((shot) => shots[shot]!),
  );
  const seconds = filmSeconds(filmOf({ ...video, clips: played }, run.options));
  if (hasFilm) noteLength(video, seconds, wishes, run);
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
      ...(flaws[index]!.length > 0 ? { flaws: flaws[index]! } : {}),
      ...twinOf(index),
      // Worked out when it is read: it costs far more than the choice itself.
      get support() {
        return (support[index] ??= chosen.has(index) ? supportOf(index) : []);
      },
      get shown() {
        return shown().get(index);
      },
    })),
    clips: played,
    seconds,
    topicPlaces: wishes.topicPlaces,
    supportOf,
    shownOf,
    solver: { iterations, converged, residual },
    views,
    plays: await playMaker(video, wishes, total, run),
    // The clock and the sound are read again: a film shows few of the videos of a large topic.
    edit: async (plays, seconds) => (await clipMaker(video, wishes, flawed, total, run)).edit(plays, seconds),
  };
}

/** Notes chosen shots whose pictures are bad, and why they are in. */
function noteFlaws(
  { name }: OutlinedVideo,
  chosen: readonly number[],
  flaws: readonly (readonly Flaw[])[],
  { pinned }: VideoWishes,
  run: Run,
): void {
  const bad = chosen.filter((shot) => flaws[shot]!.length > 0);
  if (bad.length === 0) return;
  const kinds = [...new Set(bad.flatMap((shot) => sayFlaws(flaws[shot]!)))].join(', ');
  const why = bad.every((shot) => pinned.includes(shot)) ? 'they are pinned' : 'it has no others';
  note(run, 'bad-pictures', `The summary of "${name}" shows bad pictures (${kinds}): ${why}.`);
}

/** The film of a video's clips. */
export function filmOf(
  { info, name, clips, analysis }: OutlinedVideo & Pick<RankedVideo, 'clips'>,
  { format, fade, sound, burnIn, loudness = 'keep' }: Run['options'],
): Film {
  const { timeBase, frameRate, isDamaged, start } = analysis;
  const titles = clips.map((clip) => chapterTitle({ name, analysis }, clip));
  const burned = { burnIn: burnIn ? { name, startTick: start } : undefined };
  return { info, timeBase, frameRate, clips, titles, format, fade, sound, loudness, isDamaged, ...burned };
}

/** What the chapter of a clip is called: its video, and where it begins there. */
export function chapterTitle(
  { name, analysis: { start, timeBase } }: Pick<OutlinedVideo, 'name' | 'analysis'>,
  { range }: Clip,
): string {
  const seconds = Math.floor(toSeconds(range.start - start, timeBase));
  return `${name.replace(/^.*[\\/]|\.[^.\\/]*$/g, '')} ${formatClock(seconds).replace(/\.\d+$/, '')}`;
}

/** Makes something when it is first asked for. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** The evidence for one shot, by terms. */
function evidenceAt({ total, terms }: Evidence, index: number): SummaryShot['evidence'] {
  return { total: total[index]!, ...Object.fromEntries(Object.entries(terms).map(([name, of]) => [name, of[index]!])) };
}

/** A video longer than this is covered: there it costs least (bench/coverage). */
const COVERED_S = 300;

/** The limits of the clips of a video, in ticks. */
function clipLimits(
  { shots, takes, frameCount }: OutlinedVideo['analysis'],
  { exact, barred, pinned }: VideoWishes,
  total: TimeRange,
  { minClip, maxClip, handles, cutAt }: Run['options'],
) {
  const ticks = (seconds: number): number => budgetTicks({ kind: 'seconds', seconds }, total);
  const bare: ClipRules = {
    minTicks: minClip === undefined ? 0 : ticks(minClip),
    maxTicks: maxClip === undefined ? null : ticks(maxClip),
    handles,
  };
  // A clip widened to a length may have a frame more, which must not exceed the longest allowed.
  const frame = Math.ceil((total.end - total.start) / frameCount);
  const readable = Math.max(bare.minTicks, Math.min(ticks(READABLE_S), (bare.maxTicks ?? Infinity) - frame));
  const visible = Math.min(ticks(VISIBLE_S), total.end - total.start);
  const takeOf = (index: number): TimeRange => (takes[shots[index]!.take] ?? shots[index]!).range;
  const takeTicks = (index: number): number => takeOf(index).end - takeOf(index).start;
  return {
    ...{ ticks, bare, readable, visible, takeTicks },
    longest: Math.min(ticks(LONG_S), bare.maxTicks ?? Infinity),
    /** Whether clips play as found: nothing is trimmed, widened or left out. */
    isFree: minClip === undefined && maxClip === undefined && handles === 0 && exact.length + barred.length === 0,
    /** Whether a clip begins and ends where its shot does. */
    isAsFound: (index: number) => cutAt === 'exact' || pinned.includes(index),
    leastOf: (index: number) => {
      const { startFrame, endFrame, range } = shots[index]!;
      const own = range.end - range.start;
      // A clip plays whole frames, which may be hours long.
      const ownFrame = Math.ceil(own / (endFrame - startFrame));
      return pinned.includes(index) ? own : Math.max(visible, ownFrame, Math.min(readable, takeTicks(index)));
    },
  };
}

/** Makes the clips of chosen shots, and says what the cut has to know about them. */
async function clipMaker(
  { analysis }: OutlinedVideo,
  wishes: VideoWishes,
  flawed: readonly number[],
  total: TimeRange,
  { options, budget }: Pick<Run, 'options' | 'budget'>,
): Promise<{
  readonly how: Pick<CutWishes, 'overlap' | 'leastOf' | 'ticksOf' | 'mayJoin' | 'parts' | 'continues'>;
  clipsFor(chosen: readonly number[]): Clip[];
  edit(plays: readonly Clip[], seconds: number | null): EditableClips | null;
}> {
  const { shots, takes } = analysis;
  const { partly, exact, barred, pinned } = wishes;
  const { handles, cutAt } = options;
  const { ticks, bare, readable, visible, longest, isFree, leastOf } = clipLimits(analysis, wishes, total, options);
  if (isFree && cutAt === 'exact')
    return { how: {}, clipsFor: (chosen) => clipsOf(chosen.map((index) => shots[index]!)), edit: () => null };
  const fade = ticks(options.fade);
  const clock = await clockOf(analysis);
  // A shot pinned by a stretch of time plays that stretch, not the whole of itself.
  const whole = pinned.map((index) => shots[index]!);
  const footageOf = (chosen: readonly number[]): Footage => ({
    shots: chosen.flatMap((index) => (partly.includes(index) ? [] : [shots[index]!])),
    ...{ exact, barred, whole },
  });
  const target = budget.kind === 'shots' ? null : budgetTicks(budget, total);
  const edit = cutAt === 'exact' ? undefined : await editRules();
  const rules: ClipRules = { ...bare, edit };
  const planned = (chosen: readonly number[]): Clip[] => planClips(footageOf(chosen), bare, clock);
  const isTooLong = ({ startFrame, endFrame }: Clip): boolean =>
    bare.maxTicks !== null && ticksBetween(startFrame + handles, endFrame - handles, clock) > bare.maxTicks;
  const mayJoin = (chosen: readonly number[], place: number): boolean =>
    bare.maxTicks === null ||
    planned([...chosen, place]).every((clip) => !isTooLong(clip) || !isIn(clip, shots[place]!));
  const lengths = shots.map(({ range: { start, end } }, index) =>
    Math.max(leastOf(index), Math.min(longest, end - start)),
  );
  const isLong = total.end - total.start > ticks(COVERED_S);
  const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  return {
    how: {
      mayJoin,
      parts: target === null || edit === undefined || !isLong ? 0 : partsFor(target, mean),
      ...(isFree
        ? { leastOf, overlap: Math.min(fade, readable / 2) }
        : { ticksOf: (chosen) => sumOf(planned(chosen)) }),
      continues: (chosen, place) => runThrough(place, chosen, shots) <= longest,
    },
    clipsFor: (chosen) => planClips(footageOf(chosen), rules, clock),
    edit(played, seconds) {
      if (edit === undefined) return null;
      const bounds = { fixed: [...exact, ...whole], walls: barred };
      const most = seconds === null ? Infinity : ticks(seconds);
      const clips = editClips(clipsOf(played), bounds, bare, edit, clock, most);
      const length = (): number => clips.pieces.reduce((sum, { startFrame, endFrame }) => sum + ticksBetween(startFrame, endFrame, clock), 0); // prettier-ignore
      fitClips([clips], { target: most, tolerance: Infinity, length, unitOf: () => 1, isHard: true });
      return clips;
    },
  };

  async function editRules(): Promise<EditRules> {
    const [{ speech, gaps }, { motion }] = await Promise.all([pausesOf(analysis), analysis.measures()]);
    const cuts = new Set(takes.flatMap(({ startFrame, endFrame }) => [startFrame, endFrame]));
    return {
      takes,
      avoid: flawed.map((index) => shots[index]!),
      findPause: pauseFinder({ speech, gaps, motion }, clock, (frame) => cuts.has(frame)),
      ...{ readable, visible, longest, target, fade },
      tolerance: ticks(TOLERANCE_S),
    };
  }
}

/** Ticks of the chosen shots of one take that would follow each other if `place` were chosen; infinite if none would. */
function runThrough(place: number, chosen: ReadonlySet<number>, shots: readonly Shot[]): number {
  const belongs = (index: number): boolean => chosen.has(index) && shots[index]!.take === shots[place]!.take;
  let [first, last] = [place, place];
  while (belongs(first - 1)) first--;
  while (belongs(last + 1)) last++;
  return first === last ? Infinity : shots[last]!.range.end - shots[first]!.range.start;
}

const sumOf = (clips: readonly Clip[]): number => clips.reduce((sum, clip) => sum + lengthOf(clip), 0);

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

/** What a film of many videos may play of single shots. If a veto leaves pieces of one, it is the longest. */
async function playMaker(
  { analysis }: OutlinedVideo,
  wishes: VideoWishes,
  total: TimeRange,
  { options }: Run,
): Promise<RankedVideo['plays']> {
  const { shots } = analysis;
  const { partly, exact, barred } = wishes;
  const { bare, longest, leastOf, takeTicks, isAsFound } = clipLimits(analysis, wishes, total, options);
  const { maxTicks } = bare;
  const clock = maxTicks === null && exact.length + barred.length === 0 ? null : await clockOf(analysis);
  const foundAt = (index: number): Clip | null => {
    const { startFrame, endFrame } = shots[index]!;
    if (clock === null) return clipsOf([shots[index]!])[0]!;
    // A pinned stretch plays whole with the shot that has most of it, also where it runs into the next shot.
    const asked = exact.filter((range) => largestPart(range, shots).includes(index));
    const footage = partly.includes(index)
      ? { shots: [], exact: asked, barred: [] }
      : {
          shots: [{ startFrame, endFrame }],
          exact: [],
          barred: [...barred, ...exact.filter((range) => !asked.includes(range))],
        };
    const pieces = planClips(footage, { minTicks: 0, maxTicks, handles: 0 }, clock);
    return pieces.toSorted((a, b) => lengthOf(b) - lengthOf(a))[0] ?? null;
  };
  return (index) => {
    const clip = foundAt(index);
    if (clip === null) return null;
    const own = lengthOf(clip);
    if (isAsFound(index)) return { clip, least: own, most: own };
    return { clip, least: leastOf(index), most: Math.max(own, Math.min(longest, takeTicks(index))) };
  };
}

const lengthOf = ({ range }: Clip): number => range.end - range.start;

/** Notes a film that is longer or shorter than asked for, and why. */
function noteLength(
  { name, analysis }: OutlinedVideo,
  seconds: number,
  { pinned, exact }: VideoWishes,
  run: Run,
): void {
  const { budget, options } = run;
  const { shots, start, end, timeBase: base } = analysis;
  if (budget.kind === 'shots' || shots.length === 1) return;
  const asked = toSeconds(budgetTicks(budget, { start, end, base }), base);
  const length = `The film of "${name}" is ${seconds.toFixed(1)} s long (asked for: ${options.length})`;
  if (seconds > asked + TOLERANCE_S) {
    const why =
      pinned.length + exact.length > 0
        ? 'the pinned parts are longer, and were taken whole'
        : 'its best clip is that long, and no shorter one is nearly as good';
    note(run, 'over-length', `${length}: ${why}.`);
  } else if (seconds < asked - TOLERANCE_S && options.cutAt !== 'exact') {
    note(run, 'under-length', `${length}: no other clip fits.`);
  }
}
