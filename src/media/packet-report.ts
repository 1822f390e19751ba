import type { Rational } from '../base/index.js';

/** A stored picture as ffmpeg lists it; it is not decoded. */
export type Packet = {
  /** Presentation time in ticks of the picture track. */
  readonly ticks: number;
  readonly durationTicks: number;
  readonly bytes: number;
  /** It does not depend on others. */
  readonly isKey: boolean;
  /** Only other pictures depend on it; players do not show it. */
  readonly isHidden: boolean;
};

/** Output arguments that list stored pictures on the error pipe, each as soon as it is read. */
export const PACKET_REPORT = ['-flush_packets', '1', '-f', 'framecrc', 'pipe:2'] as const;

/** Track, storing time, showing time, duration, bytes, checksum; then flags, unless the picture is a plain key. */
const PACKET = /^0, *-?\d+, *(-?\d+), *(\d+), *(\d+), 0x[0-9a-f]+(?:, F=0x([0-9A-Fa-f]+))?/;
const CLOCK = /^#tb 0: (\d+)\/(\d+)$/;
const [KEY, DISCARDED] = [0x1, 0x4];

/** Reads the lines of such a list. Pictures on another clock than this one are ignored: their times cannot be compared. */
export function packetReader({ num, den }: Rational, onPacket: (packet: Packet) => void): (line: string) => boolean {
  let isOurClock = false;
  return (line) => {
    const clock = CLOCK.exec(line);
    if (clock) isOurClock = Number(clock[1]) * den === Number(clock[2]) * num;
    const [, ticks, duration, bytes, flags = String(KEY)] = PACKET.exec(line) ?? [];
    if (ticks === undefined) return line.startsWith('#');
    const bits = parseInt(flags, 16);
    const [isKey, isHidden] = [(bits & KEY) !== 0, (bits & DISCARDED) !== 0];
    if (isOurClock) {
      onPacket({ ticks: Number(ticks), durationTicks: Number(duration), bytes: Number(bytes), isKey, isHidden });
    }
    return true;
  };
}
