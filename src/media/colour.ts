import { CancelledError } from '../base/index.js';
import { inputOf, requireOwnEnd, startFfmpeg, workLimitMs } from './process.js';
import { hasFilters } from './tools.js';
import type { SdrPlan, VideoInfo, Colour } from './types.js';
import { SCALER } from './normalise.js';

/** Transfer functions of high dynamic range, with the light of a signal from 0 to 1, in cd/m². */
const HDR: Readonly<Record<string, (signal: number) => number>> = {
  'arib-std-b67': hlgLight,
  smpte2084: pqLight,
};
/** Primaries that enclose those of BT.709. */
const WIDE = new Set(['bt2020', 'smpte431', 'smpte432']);
const NEEDED = ['zscale', 'tonemap'];

/** The light of diffuse white: at least that of ordinary video, at most that of ITU-R BT.2408. */
const [DIMMEST_WHITE, BRIGHTEST_WHITE] = [100, 203];
/** Displays for which HDR is graded; what is brighter becomes white. */
const MAX_LIGHT = 1000;
/** The brightest part of a key picture, a little blurred, is darker than the brightest pixel between key pictures. */
const MARGIN = 1.25;
const PROBE_SIZE = { widthPx: 64, heightPx: 36 };

/** What kind of colours a file has that ordinary screens cannot show; `null` for ordinary ones. */
export function wideColours({ colour }: Pick<VideoInfo, 'colour'>): 'HLG' | 'PQ' | 'wide gamut' | null {
  if (colour?.transfer === 'arib-std-b67') return 'HLG';
  if (colour?.transfer === 'smpte2084') return 'PQ';
  return WIDE.has(colour?.primaries ?? '') ? 'wide gamut' : null;
}

/** Whether the colours of a file are to be converted, and the decoder can. */
export async function willConvert(info: Pick<VideoInfo, 'colour'>): Promise<boolean> {
  return wideColours(info) !== null && hasFilters(NEEDED);
}

/**
 * Decides how the colours of a file become ordinary ones. The brightest key picture tells what white is: a video that never
 * exceeds ordinary light keeps its brightness. `null` if nothing is to be done, or the decoder cannot.
 */
export async function planSdr(info: VideoInfo, signal?: AbortSignal): Promise<SdrPlan | null> {
  if (!(await willConvert(info))) return null;
  const light = HDR[info.colour?.transfer ?? ''];
  if (light === undefined) return { white: DIMMEST_WHITE, peak: DIMMEST_WHITE };
  const brightest = Math.min(MAX_LIGHT, light(await brightestSignal(info, signal)));
  const white = Math.round(Math.min(BRIGHTEST_WHITE, Math.max(DIMMEST_WHITE, brightest)));
  const peak = brightest <= white ? white : Math.round(Math.min(MAX_LIGHT, MARGIN * brightest));
  return { white, peak };
}

/** The brightest luma of the key pictures, 0 to 1. */
async function brightestSignal(info: VideoInfo, abort?: AbortSignal): Promise<number> {
  const { widthPx, heightPx } = PROBE_SIZE;
  const running = await startFfmpeg(
    [
      ...['-loglevel', 'error', '-skip_frame', 'nokey', ...inputOf(info.path), '-map', '0:V:0', '-an'],
      ...[
        '-vf',
        `scale=${widthPx}:${heightPx}:flags=area+accurate_rnd+bitexact:in_range=full:out_range=full,format=gray16le`,
      ],
      ...['-f', 'rawvideo', 'pipe:1'],
    ],
    { signal: abort, workMs: workLimitMs(info) },
  );
  let brightest = 0;
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of running.output(1) as AsyncIterable<Buffer>) {
      const bytes = Buffer.concat([rest, chunk]);
      const whole = bytes.length - (bytes.length % 2);
      for (let at = 0; at < whole; at += 2) brightest = Math.max(brightest, bytes.readUInt16LE(at));
      rest = bytes.subarray(whole);
    }
    const exit = await running.exited;
    if (abort?.aborted) throw new CancelledError();
    requireOwnEnd(exit, running, info.path);
  } finally {
    running.kill();
  }
  const code = brightest / 65_535;
  return Math.min(1, Math.max(0, info.colour?.isFullRange ? code : (code * 255 - 16) / 219));
}

/** ITU-R BT.2100 HLG on a display of 1000 cd/m², for grey. */
function hlgLight(signal: number): number {
  const [a, b, c] = [0.17883277, 0.28466892, 0.55991073];
  const scene = signal <= 0.5 ? signal ** 2 / 3 : (Math.exp((signal - c) / a) + b) / 12;
  return MAX_LIGHT * scene ** 1.2;
}

/** SMPTE ST 2084. */
function pqLight(signal: number): number {
  const [m1, m2, c1, c2, c3] = [2610 / 16384, (2523 / 4096) * 128, 3424 / 4096, (2413 / 4096) * 32, (2392 / 4096) * 32];
  const power = signal ** (1 / m2);
  return 10_000 * (Math.max(0, power - c1) / (c2 - c3 * power)) ** (1 / m1);
}

/** Below this share of white, light is kept as it is; above, it is bent to fit. */
const KNEE = 0.8;

/**
 * Filters that convert the colours of a file to those of ordinary screens, BT.709: as RGB in full range for pictures, else for
 * films. None if that was not planned.
 */
export function sdrFilters({ colour, sdr, pixelFormat }: VideoInfo, to: 'rgb' | 'film'): string[] {
  if (!sdr) return [];
  const isRgb = pixelFormat.startsWith('gbr') || pixelFormat.startsWith('rgb');
  const input = [
    `tin=${colour?.transfer ?? 'bt709'}`,
    `pin=${colour?.primaries ?? 'bt2020'}`,
    `min=${isRgb ? 'gbr' : (colour?.matrix ?? 'bt2020nc')}`,
    `rin=${colour?.isFullRange || isRgb ? 'full' : 'limited'}`,
  ].join(':');
  const output = to === 'rgb' ? 't=bt709:m=gbr:r=full' : 't=bt709:m=bt709:r=limited';
  const depth = isRgb ? 'format=gbrp10le' : 'format=yuv444p10le';
  const curve = sdr.peak > sdr.white ? [`tonemap=mobius:param=${KNEE}:desat=0:peak=${sdr.peak / sdr.white}`] : [];
  return [
    ...[depth, `zscale=${input}:t=linear:npl=${sdr.white}`, 'format=gbrpf32le', 'zscale=p=bt709', ...curve],
    ...[`zscale=${output}`, to === 'rgb' ? 'format=gbrp' : 'format=yuv420p'],
  ];
}

/** Words of the decoder that an encoder's filter accepts too. A film does not state any others. */
const MATRICES = new Set(['bt709', 'bt470bg', 'smpte170m', 'smpte240m', 'bt2020nc']);
const PRIMARIES = new Set(['bt709', 'bt470bg', 'smpte170m', 'smpte240m', 'bt2020', 'smpte432']);
const TRANSFERS = new Set(
  'bt709 smpte170m smpte240m bt470bg bt470m iec61966-2-1 bt2020-10 bt2020-12 smpte2084 arib-std-b67'.split(' '),
);

const BT709: Colour = { matrix: 'bt709', primaries: 'bt709', transfer: 'bt709', isFullRange: false };

function isRgb({ pixelFormat }: VideoInfo): boolean {
  return /^(?:rgb|bgr|gbr|argb|abgr|pal8|0rgb|0bgr|x2rgb)/.test(pixelFormat);
}

/** The colours of a film of one source: those of the source, in the range that players expect. */
export function filmColour(info: VideoInfo): Colour {
  if (isRgb(info) || info.sdr) return BT709;
  const ifKnown = (word: string | null | undefined, known: ReadonlySet<string>): string | null =>
    word && known.has(word) ? word : null;
  return {
    matrix: ifKnown(info.colour?.matrix, MATRICES),
    primaries: ifKnown(info.colour?.primaries, PRIMARIES),
    transfer: ifKnown(info.colour?.transfer, TRANSFERS),
    isFullRange: false,
  };
}

/** The filter that states the colours of pictures without changing them. */
export function tagColours({ isFullRange, matrix, primaries, transfer }: Colour): string {
  const tags = {
    range: isFullRange ? 'pc' : 'tv',
    colorspace: matrix,
    color_primaries: primaries,
    color_trc: transfer,
  };
  const stated = Object.entries(tags).flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`]));
  return `setparams=${stated.join(':')}`;
}

/** Filters that bring a source's frames to the colours of `filmColour`. */
export function colourFilters(info: VideoInfo): string[] {
  if (info.sdr) return sdrFilters(info, 'film');
  if (isRgb(info)) return [`scale=${SCALER}:out_color_matrix=bt709:out_range=tv`, 'format=yuv420p'];
  return info.colour?.isFullRange ? [`scale=${SCALER}:out_range=tv`, 'format=yuv420p'] : ['format=yuv420p'];
}

/** The colours of a film of many sources. */
export const REEL_COLOUR = BT709;

/** Options of the scaler that convert the colours of a source to those of a reel. */
export function reelColourOptions(info: VideoInfo): string[] {
  // If a file does not say, players assume BT.601 for small pictures and BT.709 for large ones.
  const guessed = info.heightPx >= 720 || info.widthPx > 1024 ? 'bt709' : 'bt601';
  const isUnknown = !isRgb(info) && !info.colour?.matrix;
  return [...(isUnknown ? [`in_color_matrix=${guessed}`] : []), 'out_color_matrix=bt709', 'out_range=tv'];
}
