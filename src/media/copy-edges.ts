import { type Rational, CancelledError } from '../base/index.js';
import type { Timing } from './copy-plan.js';
import { plainPicture, type PictureSize } from './blend.js';
import { tagColours } from './colour.js';
import type { Colour } from './types.js';
import { writeTo } from './encoder.js';
import { X264_THREADS } from './film-encoder.js';
import { pipeInput, startFfmpeg } from './process.js';

/** One H.264 track as fragmented MP4 (ISO 14496-12 and -15) for a pipe: unlike a byte stream, it carries both times. */
export type Track = {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly sampleAspect: Rational;
  readonly rotationDeg: 0 | 90 | 180 | 270;
  readonly timescale: number;
  readonly sets: ParameterSets;
};

/** The bytes before the first picture. */
export function trackHeader(track: Track): Buffer {
  const { widthPx, heightPx, timescale } = track;
  const entry = box(
    'avc1',
    ...[bytes('000000000000', '0001', '00'.repeat(16)), u16(widthPx), u16(heightPx)],
    ...[bytes('0048000000480000', '00000000', '0001', '00'.repeat(32), '0018', 'ffff'), configuration(track.sets)],
    box('pasp', u32(track.sampleAspect.num), u32(track.sampleAspect.den)),
  );
  const tables = ['stts', 'stsc', 'stco'].map((name) => box(name, u32(0), u32(0)));
  const media = box(
    'mdia',
    box('mdhd', u32(0), u32(0), u32(0), u32(timescale), u32(0), bytes('55c4', '0000')),
    box('hdlr', u32(0), u32(0), Buffer.from('vide'), bytes('00'.repeat(13))),
    box(
      'minf',
      box('vmhd', u32(1), bytes('0000000000000000')),
      box('dinf', box('dref', u32(0), u32(1), box('url ', u32(1)))),
      box('stbl', box('stsd', u32(0), u32(1), entry), ...tables, box('stsz', u32(0), u32(0), u32(0))),
    ),
  );
  const shown = [fixed(widthPx), fixed(heightPx)];
  const ids = [u32(7), u32(0), u32(0), u32(1), u32(0), u32(0)];
  const head = box('tkhd', ...ids, bytes('00'.repeat(16)), turn(track), ...shown);
  const movie = box('mvhd', u32(0), u32(0), u32(0), u32(1000), u32(0), bytes('00010000', '0100', '00'.repeat(10)), turn(null), bytes('00'.repeat(24)), u32(2)); // prettier-ignore
  const defaults = box('mvex', box('trex', u32(0), u32(1), u32(1), u32(0), u32(0), u32(0)));
  return Buffer.concat([
    box('ftyp', Buffer.from('iso5'), u32(512), Buffer.from('iso5iso6mp41')),
    box('moov', movie, box('trak', head, media), defaults),
  ]);
}

/** The bytes before each picture, which is a fragment of its own. */
export function pictureHeader(sequence: number, timing: Timing, isKey: boolean, length: number): Buffer {
  const decodeTime = Buffer.alloc(8);
  decodeTime.writeBigUInt64BE(BigInt(timing.decodeTicks));
  const offset = u32(timing.showTicks - timing.decodeTicks);
  const flags = u32(isKey ? 0x02000000 : 0x01010000);
  const fragment = (dataOffset: number): Buffer =>
    box(
      'moof',
      box('mfhd', u32(0), u32(sequence)),
      box(
        'traf',
        box('tfhd', u32(0x020000), u32(1)),
        box('tfdt', u32(0x01000000), decodeTime),
        box('trun', u32(0xf01), u32(1), u32(dataOffset), u32(timing.durationTicks), u32(length), flags, offset),
      ),
    );
  const size = fragment(0).length;
  return Buffer.concat([fragment(size + 8), u32(length + 8), Buffer.from('mdat')]);
}

/** The decoder's configuration (ISO 14496-15, 5.3.3.1): the parameter sets of all parts. */
function configuration({ sps, pps }: ParameterSets): Buffer {
  const list = (sets: readonly Buffer[]): Buffer[] => sets.flatMap((set) => [u16(set.length), set]);
  const [profile, compatibility] = [sps[0]![1]!, sps[0]![2]!];
  const level = Math.max(...sps.map((set) => set[3]!));
  const head = Buffer.from([1, profile, compatibility, level, 0xff, 0xe0 | sps.length]);
  // From High profile on, the form of the samples follows: 4:2:0, 8 bits.
  const tail = profile >= 100 ? [bytes('fdf8f800')] : [];
  return box('avcC', head, ...list(sps), Buffer.from([pps.length]), ...list(pps), ...tail);
}

/** The matrix that turns a track clockwise, and moves it back into view. */
function turn(track: Track | null): Buffer {
  const one = 0x10000;
  const { widthPx = 0, heightPx = 0, rotationDeg = 0 } = track ?? {};
  const cases = {
    0: [one, 0, 0, one, 0, 0],
    90: [0, one, -one, 0, heightPx * one, 0],
    180: [-one, 0, 0, -one, widthPx * one, heightPx * one],
    270: [0, -one, one, 0, 0, widthPx * one],
  };
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = cases[rotationDeg];
  return Buffer.concat([a, b, 0, c, d, 0, x, y, 0x40000000].map(u32));
}

function box(name: string, ...parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 8);
  return Buffer.concat([u32(length), Buffer.from(name), ...parts]);
}

function u32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(value | 0);
  return buffer;
}

function u16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeUInt16BE(value);
  return buffer;
}

function fixed(value: number): Buffer {
  return u32(value * 0x10000);
}

function bytes(...hex: readonly string[]): Buffer {
  return Buffer.from(hex.join(''), 'hex');
}

/** Kinds of units in an H.264 stream (ITU-T H.264, table 7-1). */
export const NAL = { slice: 1, idr: 5, sps: 7, pps: 8, delimiter: 9 } as const;

/** The kind of a unit, one of `NAL` or another. */
export function nalType(unit: Uint8Array): number {
  return (unit[0] ?? 0) & 31;
}

/** The units of a byte stream (annex B of the standard), without start codes and the zeros before them. */
export function splitUnits(stream: Buffer): Buffer[] {
  const units: Buffer[] = [];
  let from = -1;
  for (let at = stream.indexOf(START); at !== -1; at = stream.indexOf(START, at + 3)) {
    if (from >= 0) units.push(trimZeros(stream.subarray(from, at)));
    from = at + 3;
  }
  if (from >= 0) units.push(trimZeros(stream.subarray(from)));
  return units;
}

const START = Buffer.from([0, 0, 1]);

/** Zeros after a unit belong to the next start code; a unit itself never ends with one. */
function trimZeros(unit: Buffer): Buffer {
  let end = unit.length;
  while (end > 0 && unit[end - 1] === 0) end--;
  return unit.subarray(0, end);
}

/** Units as MP4 stores them: each with its length before it. */
export function joinUnits(units: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    units.flatMap((unit) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(unit.length);
      return [length, unit];
    }),
  );
}

/** Parameter sets of a stream: sequence sets (profile, size, clock) and picture sets (how slices are coded). */
export type ParameterSets = { readonly sps: readonly Buffer[]; readonly pps: readonly Buffer[] };

/** The parameter sets among units, each once. */
export function parameterSets(units: readonly Buffer[]): ParameterSets {
  const ofType = (type: number): Buffer[] => {
    const found = new Map(units.filter((unit) => nalType(unit) === type).map((unit) => [unit.toString('hex'), unit]));
    return [...found.values()];
  };
  return { sps: ofType(NAL.sps), pps: ofType(NAL.pps) };
}

/** The numbers of parameter sets. They begin in byte 4 of a sequence set, and in byte 1 of a picture set. */
export function setIds({ sps, pps }: ParameterSets): Set<number> {
  return new Set([
    ...sps.map((unit) => firstNumber(unit.subarray(4))),
    ...pps.map((unit) => firstNumber(unit.subarray(1))),
  ]);
}

/** The first Exp-Golomb number of some bytes: n zeros, a one and n bits x mean 2ⁿ − 1 + x. */
function firstNumber(bytes: Uint8Array): number {
  const bit = (at: number): number => ((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1;
  let zeros = 0;
  while (zeros < 16 && bit(zeros) === 0) zeros++;
  let value = 0;
  for (let at = zeros; at <= 2 * zeros; at++) value = 2 * value + bit(at);
  return value - 1;
}

/** How the pictures next to copied ones are encoded, so that both play in one track. */
export type EdgeStyle = PictureSize & {
  readonly sampleAspect: { readonly num: number; readonly den: number };
  readonly colour: Colour;
  readonly framesASecond: number;
  readonly profile: string;
  /** Number of the parameter sets; the source must not use it. */
  readonly setId: number;
};

/** Encodes raw pictures in the order given; each becomes the units of one stored picture that needs no later one. */
export async function* encodeEdges(
  frames: AsyncIterable<{ pixels: Uint8Array; ticks: number }>,
  style: EdgeStyle,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ ticks: number; units: Buffer[] }> {
  const running = await startFfmpeg(edgeArguments(style), { stdin: true, signal });
  const ticks: number[] = [];
  const sink = running.input(0);
  const written = (async () => {
    for await (const frame of frames) {
      ticks.push(frame.ticks);
      await writeTo(sink, frame.pixels);
    }
  })().finally(() => sink.end());
  written.catch(() => running.kill());
  try {
    let held: Buffer = Buffer.alloc(0);
    let given = 0;
    const unitsOf = (picture: Buffer): { ticks: number; units: Buffer[] } => ({
      ticks: ticks[given++]!,
      units: splitUnits(picture).filter((unit) => nalType(unit) !== NAL.delimiter),
    });
    for await (const chunk of running.output(1) as AsyncIterable<Buffer>) {
      held = Buffer.concat([held, chunk]);
      // A picture is whole when the delimiter of the next one is here.
      for (let next; (next = held.indexOf(DELIMITER, DELIMITER.length)) >= 0; held = held.subarray(next)) {
        yield unitsOf(held.subarray(0, next));
      }
    }
    await written;
    if (held.length > 0) yield unitsOf(held);
    if (signal?.aborted) throw new CancelledError();
  } finally {
    running.kill();
    await written.catch(() => undefined);
  }
}

/** The parameter sets that edges of this style will have. */
export async function edgeSets(style: EdgeStyle, signal: AbortSignal | undefined): Promise<ParameterSets> {
  async function* one(): AsyncGenerator<{ pixels: Uint8Array; ticks: number }> {
    yield { pixels: plainPicture(style, 16), ticks: 0 };
  }
  for await (const { units } of encodeEdges(one(), style, signal)) return parameterSets(units);
  return { sps: [], pps: [] };
}

const DELIMITER = Buffer.from([0, 0, 0, 1, NAL.delimiter]);

function edgeArguments(style: EdgeStyle): string[] {
  const { colour, sampleAspect } = style;
  return [
    ...['-loglevel', 'error', '-pix_fmt', 'yuv420p', '-s', `${style.widthPx}x${style.heightPx}`],
    ...['-framerate', style.framesASecond.toFixed(3), ...pipeInput('rawvideo', 0)],
    ...['-vf', `setsar=${sampleAspect.num}/${sampleAspect.den},${tagColours(colour)}`],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '18', '-profile:v', style.profile],
    ...['-x264-params', `bframes=0:aud=1:sps-id=${style.setId}`, ...X264_THREADS],
    ...['-flags:v', '+bitexact', '-f', 'h264', 'pipe:1'],
  ];
}
