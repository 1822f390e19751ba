/**
 * The discrete Fourier transform of `size` values, in place: X_k = Σ_n x_n exp(−2πi kn/N). By the radix-2 method; the size
 * is a power of two.
 */
export function fourier(size: number): (re: Float64Array, im: Float64Array) => void {
  const cosines = Float64Array.from({ length: size / 2 }, (_, k) => Math.cos((2 * Math.PI * k) / size));
  const sines = Float64Array.from({ length: size / 2 }, (_, k) => Math.sin((2 * Math.PI * k) / size));
  const reversed = new Uint32Array(size);
  for (let n = 1; n < size; n++) reversed[n] = (reversed[n >> 1]! >> 1) | (n & 1 ? size >> 1 : 0);
  return (re, im) => {
    for (let n = 0; n < size; n++) {
      const r = reversed[n]!;
      if (r <= n) continue;
      const x = re[n]!;
      const y = im[n]!;
      re[n] = re[r]!;
      im[n] = im[r]!;
      re[r] = x;
      im[r] = y;
    }
    for (let half = 1; half < size; half *= 2) {
      const step = size / 2 / half;
      for (let start = 0; start < size; start += 2 * half) {
        for (let k = 0; k < half; k++) {
          const a = start + k;
          const b = a + half;
          const c = cosines[k * step]!;
          const s = sines[k * step]!;
          const x = re[b]! * c + im[b]! * s;
          const y = im[b]! * c - re[b]! * s;
          re[b] = re[a]! - x;
          im[b] = im[a]! - y;
          re[a]! += x;
          im[a]! += y;
        }
      }
    }
  };
}
