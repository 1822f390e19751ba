/**
 * Raw pictures with exact times on a pipe, as the smallest Matroska (RFC 9559) that a decoder accepts: plain rawvideo has no
 * times. Its clock counts seconds, and one second means one tick; a filter of the reader (`takeTicks`) undoes that.
 */
const NANOSECONDS_A_TICK = 1_000_000_000;

/** The bytes before the first picture: one track of yuv420p pictures. */
export function framesHeader(widthPx: number, heightPx: number): Buffer {
  return Buffer.concat([
    element(0x1a45dfa3, element(0x4282, Buffer.from('matroska'))),
    // A segment of unknown length: it ends with the pipe.
    Buffer.from('1853806701ffffffffffffff', 'hex'),
    element(0x1549a966, element(0x2ad7b1, uint(NANOSECONDS_A_TICK))),
    element(
      0x1654ae6b,
      element(
        0xae,
        ...[element(0xd7, uint(1)), element(0x73c5, uint(1)), element(0x83, uint(1))],
        element(0x86, Buffer.from('V_UNCOMPRESSED')),
        element(
          0xe0,
          ...[element(0xb0, uint(widthPx)), element(0xba, uint(heightPx)), element(0x2eb524, Buffer.from('I420'))],
        ),
      ),
    ),
  ]);
}

/** The bytes before each picture, which is a cluster of its own with its time. */
export function frameHeader(ticks: number, bytes: number): Buffer {
  const block = Buffer.from([0x81, 0, 0, 0x80]);
  const time = element(0xe7, uint(ticks));
  const opening = opened(0xa3, block.length + bytes);
  return Buffer.concat([opened(0x1f43b675, time.length + opening.length + block.length + bytes), time, opening, block]);
}

/** Filters that convert the times of such a pipe to ticks of `num/den` seconds, exact below 2⁵² ticks. */
export function takeTicks({ num, den }: { num: number; den: number }): string[] {
  return [`settb=${num}/${den}`, `setpts='floor(PTS*${num}/${den}+0.5)'`];
}

function element(id: number, ...parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([opened(id, length), ...parts]);
}

/** The id and length of an element; lengths take eight bytes. */
function opened(id: number, length: number): Buffer {
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE((1n << 56n) | BigInt(length));
  return Buffer.concat([uint(id), size]);
}

function uint(value: number): Buffer {
  const hex = value.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
}
