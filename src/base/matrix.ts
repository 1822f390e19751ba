/** A dense matrix, row after row: entry (i, j) is `data[i * cols + j]`. */
export type Matrix = { readonly rows: number; readonly cols: number; readonly data: Float64Array };

/** A matrix of zeros. */
export function zeros(rows: number, cols: number): Matrix {
  return { rows, cols, data: new Float64Array(rows * cols) };
}
