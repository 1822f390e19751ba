import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
// @ts-expect-error a build script in plain JavaScript
import { compileKernel } from './kernels/build-kernel.mjs';
import { readFile } from 'node:fs/promises';
import {
  addInnerGram,
  cholesky,
  innerGram,
  type Matrix,
  matrixOf,
  mirrorLower,
  multiply,
  multiplyTransposed,
  outerGram,
  random,
  rowBlocks,
  semidefiniteFactor,
  solveCholesky,
  transpose,
  zeros,
} from './index.js';
import { multiplyAddPlain } from './kernels/multiply-add-plain.js';
import { hasSimd, multiplyAdd } from './kernels/multiply-add.js';

function noise(seed: number, rows: number, cols: number): Matrix {
  const { normal } = random(seed);
  return { rows, cols, data: Float64Array.from({ length: rows * cols }, normal) };
}

function expectClose(left: Matrix, right: Matrix, tolerance: number): void {
  const scale = Math.max(...right.data.map(Math.abs));
  expect([left.rows, left.cols]).toEqual([right.rows, right.cols]);
  const worst = left.data.reduce((most, value, at) => Math.max(most, Math.abs(value - right.data[at]!)), 0);
  expect(worst).toBeLessThanOrEqual(tolerance * scale);
}

describe('a matrix of many rows', () => {
  const A = noise(5, 2500, 300);

  it('is taken apart into views of its rows, all of them, in order', () => {
    const blocks = [...rowBlocks(A)];
    expect(blocks.length).toBeGreaterThan(2);
    expect(blocks.flatMap(({ block }) => [...block.data])).toEqual([...A.data]);
    expect(blocks.map(({ first }) => first)).toEqual(blocks.map((_, at) => blocks.slice(0, at).reduce((sum, { block }) => sum + block.rows, 0))); // prettier-ignore
  });

  it('has the inner products of its columns to the bit as from one product', () => {
    const whole = multiply(transpose(A), A);
    expect(Buffer.compare(Buffer.from(innerGram(A).data.buffer), Buffer.from(whole.data.buffer))).toBe(0);
  });
});

describe('the product kernel', () => {
  it('multiplies by hand', () => {
    expect([
      ...multiply(
        matrixOf([
          [1, 2],
          [3, 4],
        ]),
        matrixOf([
          [5, 6],
          [7, 8],
        ]),
      ).data,
    ]).toEqual([19, 22, 43, 50]);
  });

  it.runIf(hasSimd)('gives the same bits with SIMD and without, for any shape and part', () => {
    const size = fc.integer({ min: 1, max: 70 });
    fc.assert(
      fc.property(
        fc.nat(),
        size,
        size,
        fc.integer({ min: 1, max: 300 }),
        fc.constantFrom(1, -1),
        (seed, rows, cols, depth, sign) => {
          const [A, B] = [noise(seed, rows, depth), noise(seed + 1, depth, cols)];
          const [C, plain] = [noise(seed + 2, rows, cols), noise(seed + 2, rows, cols)];
          const part = { rows: [rows >> 2, rows], cols: [cols >> 3, cols], depth: [depth >> 4, depth] } as const;
          multiplyAdd(C, A, B, sign as 1 | -1, part);
          multiplyAddPlain(plain, A, B, sign as 1 | -1, part);
          expect(Buffer.from(C.data.buffer).equals(Buffer.from(plain.data.buffer))).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  it.runIf(hasSimd)('gives the same bits across tile borders', () => {
    const [A, B] = [noise(1, 263, 521), noise(2, 521, 259)];
    const [C, plain] = [noise(3, 263, 259), noise(3, 263, 259)];
    multiplyAdd(C, A, B, 1);
    multiplyAddPlain(plain, A, B, 1);
    expect(Buffer.from(C.data.buffer).equals(Buffer.from(plain.data.buffer))).toBe(true);
  });

  it('is committed as its source compiles', { tags: 'slow' }, async () => {
    const committed = await readFile(new URL('./kernels/multiply-add.wasm.ts', import.meta.url), 'utf8');
    const encoded = (text: string): string | undefined => /'([^']+)'/.exec(text)?.[1];
    expect(encoded(committed)).toBe(encoded((await compileKernel()) as string));
  });
});

describe('products with a transposed matrix', () => {
  it.each([
    [1, 1],
    [2, 7],
    [4, 9],
    [5, 8],
    [17, 30],
  ])('of %i rows with %i have the bits of the plain product', (rows, others) => {
    const [A, B] = [noise(rows, rows, 301), noise(others + 50, others, 301)];
    expect(multiplyTransposed(A, B)).toEqual(multiply(A, transpose(B)));
  });

  it.each([1, 8, 2500])('are added to a sum with the bits of AᵀA: %i rows', (rows) => {
    const A = noise(rows, rows, 130);
    const [C, P] = [zeros(130, 130), noise(1, 130, 130)];
    addInnerGram(C, A, 0.7, P);
    addInnerGram(C, A, 1, P);
    mirrorLower(C);
    const G = innerGram(A).data;
    expect(C.data).toEqual(G.map((value) => 0.7 * value + value));
  });
});

describe('linear algebra', () => {
  it('factors and solves by hand', () => {
    const A = matrixOf([
      [4, 2],
      [2, 5],
    ]);
    expect([...cholesky(A).data]).toEqual([2, 0, 1, 2]);
    expect([...solveCholesky(cholesky(A), matrixOf([[8], [12]])).data]).toEqual([1, 2]);
  });

  it('factors and solves across panels', () => {
    for (const size of [1, 47, 48, 49, 200]) {
      const A = outerGram(noise(size, size, size + 5));
      const R = cholesky(A);
      expectClose(multiply(R, transpose(R)), A, 1e-13);
      const X = noise(7, size, 9);
      expectClose(solveCholesky(R, multiply(A, X)), X, 1e-7);
    }
  });

  it('refuses a matrix that is not positive definite', () => {
    expect(() =>
      cholesky(
        matrixOf([
          [1, 2],
          [2, 1],
        ]),
      ),
    ).toThrow(/pivot/);
  });

  it('finds the rank of a semidefinite matrix', () => {
    const thin = noise(5, 40, 7);
    const P = semidefiniteFactor(outerGram(thin));
    expect(P.cols).toBe(7);
    expectClose(multiply(P, transpose(P)), outerGram(thin), 1e-13);
    expect(
      semidefiniteFactor(
        matrixOf([
          [0, 0],
          [0, 0],
        ]),
      ).cols,
    ).toBe(0);
  });
});
