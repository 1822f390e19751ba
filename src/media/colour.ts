import { sdrFilters } from './hdr.js';
import { SCALER } from './normalise.js';
import type { Colour, VideoInfo } from './types.js';

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
