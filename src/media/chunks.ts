import type { Readable } from 'node:stream';

/** Takes pieces of a fixed size from several pipes of one program, without a deadlock between them. */
type ChunkReader = {
  /** The next `size` bytes of pipe `index`; `null` if it has ended (a partial piece at the end is dropped). */
  take(index: number, size: number): Promise<Uint8Array | null>;
  /** Everything that has come through pipe `index`, at least one byte; `null` if it has ended. */
  takeAny(index: number): Promise<Uint8Array | null>;
};

type Pipe = { readonly stream: Readable; parts: Buffer[]; bytes: number; ended: boolean };

/** Bytes of a pipe that may be buffered while nothing is awaited. */
const IDLE_LIMIT = 4 << 20;

/**
 * A program that writes to several pipes blocks as soon as one is full. So while a piece of any pipe is awaited, all pipes
 * are read; otherwise each is read up to a limit. Memory is bounded by how far the program's outputs are apart, and a slow
 * consumer slows the program down.
 */
export function chunkReader(streams: readonly Readable[]): ChunkReader {
  const pipes = streams.map((stream): Pipe => ({ stream, parts: [], bytes: 0, ended: false }));
  let waiting: (() => void) | null = null;
  const wake = (): void => {
    waiting?.();
    waiting = null;
  };
  for (const pipe of pipes) {
    pipe.stream.on('data', (part: Buffer) => {
      pipe.parts.push(part);
      pipe.bytes += part.length;
      if (waiting) wake();
      else if (pipe.bytes > IDLE_LIMIT) pipe.stream.pause();
    });
    const end = (): void => {
      pipe.ended = true;
      wake();
    };
    pipe.stream.on('end', end).on('close', end).on('error', end);
  }
  const has = async (pipe: Pipe, size: number): Promise<boolean> => {
    while (pipe.bytes < size) {
      if (pipe.ended) return false;
      for (const { stream } of pipes) stream.resume();
      await new Promise<void>((resolve) => (waiting = resolve));
    }
    return true;
  };
  return {
    async take(index, size) {
      const pipe = pipes[index]!;
      if (!(await has(pipe, size))) return null;
      const [first] = pipe.parts as [Buffer];
      pipe.bytes -= size;
      // Small pieces mostly are inside one part and need not be copied.
      if (first.length > size) {
        pipe.parts[0] = first.subarray(size);
        return first.subarray(0, size);
      }
      const piece = Buffer.allocUnsafeSlow(size);
      let filled = 0;
      while (filled < size) {
        const part = pipe.parts[0] as Buffer;
        const used = part.copy(piece, filled, 0, Math.min(part.length, size - filled));
        filled += used;
        if (used === part.length) pipe.parts.shift();
        else pipe.parts[0] = part.subarray(used);
      }
      return piece;
    },
    async takeAny(index) {
      const pipe = pipes[index]!;
      if (!(await has(pipe, 1))) return null;
      const all = Buffer.concat(pipe.parts);
      [pipe.parts, pipe.bytes] = [[], 0];
      return all;
    },
  };
}
