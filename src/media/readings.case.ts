/** What is asked of every kind of reading of a test video that is stopped on the way. */
export const view = { name: 'small', widthPx: 64, heightPx: 36, every: 1 };
export const base = { num: 1, den: 1000 };
export const stretches = [{ start: 8000, end: 9500 }];
export const request = {
  timeBase: base,
  isDamaged: false,
  stretches,
  filters: ['format=yuv420p'],
  frameBytes: 160 * 90 * 1.5,
};
