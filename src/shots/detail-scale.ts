/** Halvings of the picture that are looked at; coarser ones show how it is laid out. */
const LEVELS = 4;

/**
 * How large what a picture shows is drawn, in octaves of its pixels: small for a wide view with many small things, larger the
 * closer the view. With Y_0 the brightness and Y_{k+1} the means of the 2 × 2 blocks of Y_k:
 *   e_k = mean |Y_k − mean of its block|,     scale = Σ k e_k / Σ e_k,   k < 4
 * Plain areas add nothing to any e_k, and contrast cancels. `null` if the picture is plain. Compare pictures of one size only.
 */
export function detailScale(luma: Uint8Array, widthPx: number, heightPx: number): number | null {
  let [Y, width, height] = [Float64Array.from(luma), widthPx, heightPx];
  let [weighted, total] = [0, 0];
  for (let level = 0; level < LEVELS && width > 1 && height > 1; level++) {
    const [halfWidth, halfHeight] = [width >> 1, height >> 1];
    const means = new Float64Array(halfWidth * halfHeight);
    let detail = 0;
    for (let y = 0; y < halfHeight; y++) {
      for (let x = 0; x < halfWidth; x++) {
        const at = 2 * y * width + 2 * x;
        const block = [Y[at]!, Y[at + 1]!, Y[at + width]!, Y[at + width + 1]!];
        const mean = (block[0]! + block[1]! + block[2]! + block[3]!) / 4;
        means[y * halfWidth + x] = mean;
        for (const value of block) detail += Math.abs(value - mean);
      }
    }
    detail /= 4 * means.length;
    weighted += level * detail;
    total += detail;
    [Y, width, height] = [means, halfWidth, halfHeight];
  }
  return total > 0 ? weighted / total : null;
}
