import type { Rational } from '../../base/index.js';
import type { ParameterSets } from './nal.js';
import type { Timing } from './plan.js';

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
