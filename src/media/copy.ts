import { CancelledError } from '../base/index.js';
import { pictureBytes } from './blend.js';
import { chapterFeed, chapterInput } from './chapters.js';
import { filmColour } from './colour.js';
import { chaptersOf, filmClock, writeCutSound, type CutRequest, readFrames, readTogether } from './cut.js';
import { pipeInput } from './process.js';
import { runEncoder, writeTo, type Feed, type FilmHooks } from './encoder.js';
import { isSeekable, SeekMissed } from './stretch.js';
import { SOUND_INPUT, soundCodec } from './film-encoder.js';
import {
  edgeSets,
  encodeEdges,
  type EdgeStyle,
  pictureHeader,
  trackHeader,
  type Track,
  joinUnits,
  NAL,
  nalType,
  parameterSets,
  setIds,
  splitUnits,
  type ParameterSets,
} from './copy-edges.js';
import { readPictures, scanPictures } from './packets.js';
import { planCopy, timePictures, type Run, refuse } from './copy-plan.js';

/** H.264 profiles whose pictures an encoder can continue: their numbers in a sequence set, their names. */
const PROFILES: Record<number, string> = { 66: 'baseline', 77: 'main', 100: 'high' };

const OPEN_GROUPS = 'its groups of pictures depend on each other (open GOP)';
const CHANGED = 'its pictures came out otherwise when they were read again';

/** The runs of a film with the film times of their pictures in storing order, and the parameter sets of all. */
type Plan = {
  readonly runs: readonly (Run & { readonly shown: readonly number[] })[];
  readonly sets: ParameterSets;
  readonly sourceSets: ParameterSets;
  readonly style: EdgeStyle;
  readonly copied: number;
};

/**
 * Makes a film of one source without encoding all of it again: whole groups of pictures are copied byte for byte, and only the
 * pictures between the ends of a stretch and the nearest key pictures are encoded. Sound is cut to the sample and encoded.
 * Gives the number of copied pictures. If the result would not be exact, throws `CopyRefused` and writes nothing.
 */
export async function copyCuts(request: Omit<CutRequest, 'format'>, hooks: FilmHooks = {}): Promise<number> {
  refuseSource(request);
  const plan = await makePlan(request, hooks.signal);
  const { num, den } = request.timeBase;
  const shown = plan.runs.flatMap((run) => run.shown).map((ticks) => ticks * num);
  const ticks = request.stretches.reduce((sum, { start, end }) => sum + (end - start) * num, 0);
  if (filmClock(ticks, request.timeBase) !== request.timeBase) throw refuse('its clock is too fine for its length');
  const { timings, delay } = timePictures(shown, ticks);
  const track: Track = {
    ...plan.style,
    ...{ rotationDeg: request.info.rotationDeg, timescale: den, sets: plan.sets },
  };
  const pictures: Feed = async (sink, signal) => {
    await writeTo(sink, trackHeader(track));
    let place = 0;
    for await (const units of unitsOf(request, plan, signal)) {
      const data = joinUnits(units);
      const isKey = units.some((unit) => nalType(unit) === NAL.idr);
      await writeTo(sink, pictureHeader(place + 1, timings[place]!, isKey, data.length));
      await writeTo(sink, data);
      place++;
      hooks.onFrames?.(place);
    }
    if (place !== request.frameCount) throw refuse(CHANGED);
  };
  const sound = writeCutSound(request, true);
  const titled = chaptersOf(request);
  const chapters = chapterInput(titled, sound ? { fd: 5, input: 2 } : { fd: 4, input: 1 });
  const args = [
    ...['-copyts', ...pipeInput('mov', 3), ...(sound ? SOUND_INPUT : []), ...chapters.input],
    ...['-map', '0:v', '-c:v', 'copy', '-bsf:v', `setts=pts=PTS-${delay}:dts=DTS-${delay}`],
    ...(sound ? ['-map', '1:a', ...soundCodec('mp4')] : []),
    ...[...chapters.output, '-video_track_timescale', String(den), '-movflags', '+faststart', '-f', 'mp4'],
  ];
  const length = request.stretches.reduce((sum, { start, end }) => sum + end - start, 0);
  const marks = chapterFeed(titled, length, request.timeBase);
  // ffmpeg does not report how many frames it copied; they were counted on their way to it.
  const film = { output: request.output, frames: null };
  await runEncoder(args, [pictures, ...(sound ? [sound] : []), ...marks], film, { signal: hooks.signal }).catch(
    (error: unknown) => {
      throw error instanceof SeekMissed ? refuse('a jump into it missed') : error;
    },
  );
  return plan.copied;
}

/** Throws for sources that cannot be copied, as far as that is known before anything is read. */
function refuseSource(request: Omit<CutRequest, 'format'>): void {
  const { info } = request;
  if (info.codec !== 'h264') throw refuse(`it is ${info.codec.toUpperCase()}, and only H.264 can be copied`);
  if (request.isDamaged) throw refuse('it is damaged');
  if (!isSeekable(request)) throw refuse('its container does not say where its pictures are');
  if (info.clock !== undefined) throw refuse('its clock restarts');
  if (info.resizes) throw refuse('its pictures change their size or format');
  if (info.sdr) throw refuse('its colours are converted for ordinary screens');
  if (info.interlaced) throw refuse('it is interlaced');
  if (!/^yuvj?420p$/.test(info.pixelFormat)) throw refuse(`its pictures are ${info.pixelFormat}, not 8-bit 4:2:0`);
}

async function makePlan(request: Omit<CutRequest, 'format'>, signal: AbortSignal | undefined): Promise<Plan> {
  const { info, timeBase, stretches } = request;
  const source = { path: info.path, timeBase };
  const runs: Plan['runs'][number][] = [];
  let before = 0;
  for (const group of readTogether(request, true)) {
    const [from, to] = [group[0]!.start, group.at(-1)!.end];
    const { pictures, isWhole } = await scanPictures(source, { from, to }, signal);
    for (const run of planCopy(pictures, group, isWhole)) {
      const filmTicks = run.filmTicks + before;
      const inside = pictures.filter(({ ticks }) => ticks >= run.stretch.start && ticks < run.stretch.end);
      const shown = inside.map(({ ticks }) => filmTicks + ticks - run.stretch.start);
      runs.push({ ...run, filmTicks, shown: run.kind === 'copy' ? shown : shown.toSorted((a, b) => a - b) });
    }
    before += group.reduce((sum, { start, end }) => sum + end - start, 0);
  }
  const found = runs.reduce((sum, run) => sum + run.shown.length, 0);
  if (found !== request.frameCount) throw refuse('its stored pictures are not those that are shown');
  const copies = runs.filter((run) => run.kind === 'copy');
  if (!copies[0]) throw refuse('no whole group of pictures lies within its clips');

  const sourceSets = await firstSets(source, copies[0], signal);
  const profile = PROFILES[sourceSets.sps[0]?.[1] ?? 0];
  if (sourceSets.sps.length !== 1 || profile === undefined) throw refuse('its H.264 profile cannot be continued');
  const taken = setIds(sourceSets);
  const setId = Array.from({ length: 32 }, (_, id) => id).find((id) => !taken.has(id)) ?? 31;
  const isTurned = info.rotationDeg % 180 !== 0;
  const seconds = (stretches.reduce((sum, { start, end }) => sum + end - start, 0) * timeBase.num) / timeBase.den;
  const style: EdgeStyle = {
    widthPx: isTurned ? info.heightPx : info.widthPx,
    heightPx: isTurned ? info.widthPx : info.heightPx,
    sampleAspect: isTurned ? { num: info.sampleAspect.den, den: info.sampleAspect.num } : info.sampleAspect,
    colour: { ...filmColour(info), isFullRange: info.colour?.isFullRange ?? false },
    framesASecond: request.frameCount / seconds,
    ...{ profile, setId },
  };
  const ours = copies.length < runs.length ? await edgeSets(style, signal) : { sps: [], pps: [] };
  const sets = { sps: [...sourceSets.sps, ...ours.sps], pps: [...sourceSets.pps, ...ours.pps] };
  const copied = copies.reduce((sum, run) => sum + run.shown.length, 0);
  return { runs, sets, sourceSets, style, copied };
}

async function firstSets(
  source: { path: string; timeBase: CutRequest['timeBase'] },
  run: Run,
  signal: AbortSignal | undefined,
): Promise<ParameterSets> {
  for await (const { data } of readPictures(source, run.stretch.start, 1, signal)) {
    const units = splitUnits(data);
    if (!units.some((unit) => nalType(unit) === NAL.idr)) throw refuse(OPEN_GROUPS);
    return parameterSets(units);
  }
  return { sps: [], pps: [] };
}

/** The units of each picture of the film, in storing order. Adjacent runs of encoded pictures are encoded together. */
async function* unitsOf(
  request: Omit<CutRequest, 'format'>,
  plan: Plan,
  signal: AbortSignal,
): AsyncGenerator<readonly Buffer[]> {
  for (let at = 0; at < plan.runs.length;) {
    if (plan.runs[at]!.kind === 'copy') {
      yield* copiedUnits(request, plan, plan.runs[at++]!, signal);
      continue;
    }
    const first = at;
    while (plan.runs[at]?.kind === 'encode') at++;
    yield* encodedUnits(request, plan, plan.runs.slice(first, at), signal);
  }
}

async function* copiedUnits(
  { info, timeBase }: Omit<CutRequest, 'format'>,
  { sourceSets }: Plan,
  run: Plan['runs'][number],
  signal: AbortSignal,
): AsyncGenerator<readonly Buffer[]> {
  const known = new Set([...sourceSets.sps, ...sourceSets.pps].map((set) => set.toString('hex')));
  const isSet = (unit: Buffer): boolean => nalType(unit) === NAL.sps || nalType(unit) === NAL.pps;
  let place = 0;
  for await (const picture of readPictures(
    { path: info.path, timeBase },
    run.stretch.start,
    run.shown.length,
    signal,
  )) {
    const units = splitUnits(picture.data);
    const isWanted = run.filmTicks + picture.ticks - run.stretch.start === run.shown[place];
    if (!isWanted) throw refuse(CHANGED);
    if (place++ === 0 && !units.some((unit) => nalType(unit) === NAL.idr)) {
      throw refuse(OPEN_GROUPS);
    }
    if (units.some((unit) => isSet(unit) && !known.has(unit.toString('hex')))) {
      throw refuse('its settings change on the way');
    }
    yield units.filter((unit) => !isSet(unit));
  }
}

async function* encodedUnits(
  request: Omit<CutRequest, 'format'>,
  { style }: Plan,
  runs: readonly Plan['runs'][number][],
  signal: AbortSignal,
): AsyncGenerator<readonly Buffer[]> {
  const how = {
    filters: [style.colour.isFullRange ? 'format=yuvj420p' : 'format=yuv420p'],
    ...{ frameBytes: pictureBytes(style), maySeek: true, asStored: true },
  };
  const frames = readFrames(request, runs.map((run) => run.stretch), how, signal); // prettier-ignore
  const expected = runs.reduce((sum, run) => sum + run.shown.length, 0);
  let given = 0;
  for await (const { units } of encodeEdges(frames, style, signal)) {
    given++;
    yield units.filter((unit) => nalType(unit) !== NAL.sps && nalType(unit) !== NAL.pps);
  }
  if (signal.aborted) throw new CancelledError();
  if (given !== expected) throw refuse(CHANGED);
}
