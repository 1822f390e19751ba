import { rowOf, zeros, type Matrix } from '../../base/index.js';
import { BLOCK_NAMES, type BlockChoice, type BlockName, type ShotBlock } from './types.js';

/** Share of a block if none is stated. */
export const BLOCK_WEIGHT = 0.2;
/** The least share of the pictures. */
const PICTURES_KEEP = 0.1;

/** Parses `motion,sound=0.3`; `null` if a name is unknown or occurs twice, or too little is left for the pictures. */
export function parseBlocks(text: string): readonly BlockChoice[] | null {
  const choices = text.split(',').map((part) => {
    const [name = '', weight, ...rest] = part.split('=').map((side) => side.trim());
    const known = BLOCK_NAMES.find((each) => each === name);
    const share = weight === undefined ? BLOCK_WEIGHT : weight === '' ? NaN : Number(weight);
    return known && rest.length === 0 && share > 0 ? { name: known, weight: share } : null;
  });
  if (choices.includes(null)) return null;
  const chosen = choices as BlockChoice[];
  const total = chosen.reduce((sum, { weight }) => sum + weight, 0);
  if (new Set(chosen.map(({ name }) => name)).size < chosen.length || !(total <= 1 - PICTURES_KEEP)) return null;
  // Always in one order, so that the same choice gives the same vectors.
  const place = (name: BlockName): number => BLOCK_NAMES.indexOf(name);
  return chosen.toSorted((a, b) => place(a.name) - place(b.name));
}

/**
 * x = (√(1 − Σw)·u, √w₁·b₁, √w₂·b₂, …) for rows u and b of length one: of length one again, and the inner product of two is the
 * weighted mean of theirs. If u is zero, the blocks alone are brought to length one.
 */
export function appendBlocks(vectors: Matrix, blocks: readonly ShotBlock[]): Matrix {
  if (blocks.length === 0) return vectors;
  const cols = vectors.cols + blocks.reduce((sum, { rows }) => sum + rows.dim, 0);
  const joined = zeros(vectors.rows, cols);
  const total = blocks.reduce((sum, { weight }) => sum + weight, 0);
  for (let shot = 0; shot < vectors.rows; shot++) {
    const [own, row] = [rowOf(vectors, shot), rowOf(joined, shot)];
    const isZero = own.every((value) => value === 0);
    own.forEach((value, k) => (row[k] = Math.sqrt(1 - total) * value));
    let first = vectors.cols;
    for (const { weight, rows } of blocks) {
      const share = Math.sqrt(isZero ? weight / total : weight);
      for (let k = 0; k < rows.dim; k++) row[first + k] = share * rows.data[shot * rows.dim + k]!;
      first += rows.dim;
    }
    // Rows kept in 32 bits have length one to seven digits; rows of a topic must have it to all digits.
    const length = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0));
    if (length > 0) row.forEach((value, k) => (row[k] = value / length));
  }
  return joined;
}
