import { expect, it } from 'vitest';
import { createSegmenter, SEGMENTER_NAMES } from './index.js';
import { SIZE } from './pictures.case.js';
import { checkSegmenter } from './segmenter.case.js';

for (const name of SEGMENTER_NAMES) checkSegmenter(name, () => createSegmenter(name, SIZE));

it('tells versions apart by the knobs that change the cuts', () => {
  for (const name of ['colour', 'kts'] as const) {
    expect(createSegmenter(name, { ...SIZE, maxFrames: 80 }).version).not.toBe(createSegmenter(name, SIZE).version);
  }
  expect(createSegmenter('uniform', { ...SIZE, frames: 48 }).version).not.toBe(
    createSegmenter('uniform', SIZE).version,
  );
});

it.each([
  { minFrames: 32, maxFrames: 62 },
  { minFrames: 0, maxFrames: 10 },
  { minFrames: 2.5, maxFrames: 10 },
  { minFrames: 10, maxFrames: 70_000 },
])('refuses bounds that cannot divide every length: $minFrames to $maxFrames', (bounds) => {
  for (const name of ['colour', 'kts'] as const) {
    expect(() => createSegmenter(name, { ...SIZE, ...bounds })).toThrow(/Expected whole shot bounds/);
  }
});

it('refuses a picture of another size', () => {
  for (const name of ['colour', 'kts'] as const) {
    expect(() => createSegmenter(name, SIZE).push(new Uint8Array(10))).toThrow(/6912 bytes\), found 10/);
    expect(() => createSegmenter(name, { widthPx: 0, heightPx: 36 })).toThrow(/found 0 × 36/);
  }
});
