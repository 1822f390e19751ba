import type { Matrix } from '../matrix.js';
import { multiplyAddPlain } from './multiply-add-plain.js';
import { kernelBase64 } from './multiply-add.wasm.js';

/** The part of a product to work on: half-open ranges of C's rows, C's columns, and the summed index. */
export type Part = {
  readonly rows?: readonly [number, number];
  readonly cols?: readonly [number, number];
  readonly depth?: readonly [number, number];
  /** Entries of C to skip before its row 0, column 0: C is then a block of a larger matrix. */
  readonly offset?: number;
};

/** What multiply-add.as exports; A, B and C are the places of the tiles in its memory. */
type Kernel = {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly A: { readonly value: number };
  readonly B: { readonly value: number };
  readonly C: { readonly value: number };
  multiplyTile(rows: number, cols: number, depth: number, sign: number): void;
};

/** The little of the engine's WebAssembly that is used; Node's own types leave it out. */
type Engine = {
  validate(bytes: Uint8Array): boolean;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { readonly exports: unknown };
};

/** As in multiply-add.as. */
const TILE = 256;

/** Below this many multiplications, copying tiles in and out costs more than it saves (bench/solver). */
const SMALL = 12_000;

const simd = loadKernel();

/** True where this machine runs the SIMD kernel; the plain one gives the same bits. */
export const hasSimd = simd !== null;

/**
 * C ← C + sign · A·B on the part asked for; C may be a part of A or B that is not read.
 * Every entry adds its products in the order of the summed index, so every kernel gives the same bits.
 */
export function multiplyAdd(C: Matrix, A: Matrix, B: Matrix, sign: 1 | -1, part: Part = {}): void {
  const [rowStart, rowEnd] = part.rows ?? [0, A.rows];
  const [colStart, colEnd] = part.cols ?? [0, B.cols];
  const [depthStart, depthEnd] = part.depth ?? [0, A.cols];
  const work = (rowEnd - rowStart) * (colEnd - colStart) * (depthEnd - depthStart);
  if (simd === null || work < SMALL || rowEnd - rowStart < 4 || colEnd - colStart < 4) {
    multiplyAddPlain(C, A, B, sign, part);
    return;
  }
  for (let k = depthStart; k < depthEnd; k += TILE) {
    for (let j = colStart; j < colEnd; j += TILE) {
      const [depth, cols] = [Math.min(TILE, depthEnd - k), Math.min(TILE, colEnd - j)];
      const stride = (cols + 3) & ~3;
      copyIn(simd.B, B.data, k * B.cols + j, B.cols, depth, cols, stride);
      for (let i = rowStart; i < rowEnd; i += TILE) {
        const rows = Math.min(TILE, rowEnd - i);
        const c = (part.offset ?? 0) + i * C.cols + j;
        copyIn(simd.A, A.data, i * A.cols + k, A.cols, rows, depth, depth);
        copyIn(simd.C, C.data, c, C.cols, rows, cols, stride);
        simd.multiplyTile((rows + 3) & ~3, stride, depth, sign);
        for (let row = 0; row < rows; row++) {
          C.data.set(simd.C.subarray(row * stride, row * stride + cols), c + row * C.cols);
        }
      }
    }
  }
}

/** Rows of a larger matrix into a tile. What lies beside and below them stays, and reaches no entry that is read. */
function copyIn(
  tile: Float64Array,
  data: Float64Array,
  from: number,
  fromStride: number,
  rows: number,
  cols: number,
  stride: number,
): void {
  for (let row = 0; row < rows; row++) {
    tile.set(data.subarray(from + row * fromStride, from + row * fromStride + cols), row * stride);
  }
}

type Tiles = { A: Float64Array; B: Float64Array; C: Float64Array; multiplyTile: Kernel['multiplyTile'] };

/** `null` where the memory of this process is limited (ulimit -v): the engine reserves gigabytes of addresses. */
function start(engine: Engine, bytes: Uint8Array): Kernel | null {
  try {
    return new engine.Instance(new engine.Module(bytes), {}).exports as Kernel;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function loadKernel(): Tiles | null {
  const engine = (globalThis as unknown as { WebAssembly?: Engine }).WebAssembly;
  const bytes = Buffer.from(kernelBase64, 'base64');
  if (!engine?.validate(bytes)) return null;
  const kernel = start(engine, bytes);
  if (kernel === null) return null;
  const tile = (start: { value: number }): Float64Array =>
    new Float64Array(kernel.memory.buffer, start.value, TILE * TILE);
  return { A: tile(kernel.A), B: tile(kernel.B), C: tile(kernel.C), multiplyTile: kernel.multiplyTile };
}
