// C ← C + sign·A·B on one tile, two columns of C to a SIMD register (AssemblyScript, SIMD128).
//
// Every entry of C starts from its old value and adds its products in the order of the summed index, each
// multiplied and rounded, then added and rounded. The plain loop does the same, so both give the same bits.
//
// Tiles lie in memory as the host copied them: A rows × depth, B depth × cols, C rows × cols, row after row, with
// rows and cols multiples of 4. Packing puts four rows of A (and four columns of B) side by side, so that the
// inner loop reads both from end to end.

/** Largest tile, in each direction. The packed B of one tile (512 KB) stays in the second-level cache. */
const TILE: i32 = 256;

export const A = memory.data(TILE * TILE * 8, 16);
export const B = memory.data(TILE * TILE * 8, 16);
export const C = memory.data(TILE * TILE * 8, 16);
const packedA = memory.data(TILE * 4 * 8, 16);
const packedB = memory.data(TILE * TILE * 8, 16);

export function multiplyTile(rows: i32, cols: i32, depth: i32, sign: f64): void {
  packB(cols, depth);
  for (let i: i32 = 0; i < rows; i += 4) {
    packA(i, depth, sign);
    for (let j: i32 = 0; j < cols; j += 4) {
      multiplyBlock(C + (((i * cols + j) as usize) << 3), (cols as usize) << 3, packedB + (((j * depth) as usize) << 3), depth);
    }
  }
}

function packB(cols: i32, depth: i32): void {
  let to: usize = packedB;
  for (let j: i32 = 0; j < cols; j += 4) {
    let from: usize = B + ((j as usize) << 3);
    for (let k: i32 = 0; k < depth; k++) {
      v128.store(to, v128.load(from));
      v128.store(to, v128.load(from, 16), 16);
      to += 32;
      from += (cols as usize) << 3;
    }
  }
}

function packA(i: i32, depth: i32, sign: f64): void {
  const stride = (depth as usize) << 3;
  let from: usize = A + (i as usize) * stride;
  let to: usize = packedA;
  for (let k: i32 = 0; k < depth; k++) {
    store<f64>(to, sign * load<f64>(from));
    store<f64>(to, sign * load<f64>(from + stride), 8);
    store<f64>(to, sign * load<f64>(from + 2 * stride), 16);
    store<f64>(to, sign * load<f64>(from + 3 * stride), 24);
    to += 32;
    from += 8;
  }
}

/** A 4 × 4 block of C, in eight registers while the summed index runs. */
function multiplyBlock(c0: usize, stride: usize, b: usize, depth: i32): void {
  const c1 = c0 + stride;
  const c2 = c1 + stride;
  const c3 = c2 + stride;
  let s00 = v128.load(c0);
  let s01 = v128.load(c0, 16);
  let s10 = v128.load(c1);
  let s11 = v128.load(c1, 16);
  let s20 = v128.load(c2);
  let s21 = v128.load(c2, 16);
  let s30 = v128.load(c3);
  let s31 = v128.load(c3, 16);
  let a: usize = packedA;
  for (let k: i32 = 0; k < depth; k++) {
    const b0 = v128.load(b);
    const b1 = v128.load(b, 16);
    const a0 = v128.load64_splat(a);
    s00 = f64x2.add(s00, f64x2.mul(a0, b0));
    s01 = f64x2.add(s01, f64x2.mul(a0, b1));
    const a1 = v128.load64_splat(a, 8);
    s10 = f64x2.add(s10, f64x2.mul(a1, b0));
    s11 = f64x2.add(s11, f64x2.mul(a1, b1));
    const a2 = v128.load64_splat(a, 16);
    s20 = f64x2.add(s20, f64x2.mul(a2, b0));
    s21 = f64x2.add(s21, f64x2.mul(a2, b1));
    const a3 = v128.load64_splat(a, 24);
    s30 = f64x2.add(s30, f64x2.mul(a3, b0));
    s31 = f64x2.add(s31, f64x2.mul(a3, b1));
    a += 32;
    b += 32;
  }
  v128.store(c0, s00);
  v128.store(c0, s01, 16);
  v128.store(c1, s10);
  v128.store(c1, s11, 16);
  v128.store(c2, s20);
  v128.store(c2, s21, 16);
  v128.store(c3, s30);
  v128.store(c3, s31, 16);
}
