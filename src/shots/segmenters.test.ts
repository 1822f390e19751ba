import { expect, it } from 'vitest';
import { createSegmenter, SEGMENTER_NAMES } from './index.js';
import { SIZE } from './pictures.case.js';
import { checkSegmenter } from './segmenter.case.js';

for (const name of SEGMENTER_NAMES) checkSegmenter(name, () => createSegmenter(name, { ...SIZE, by: 'frames' }));

it('tells versions apart by the knobs that change the cuts', () => {
  for (const name of SEGMENTER_NAMES) {
    const versions = [{}, { max: 5 }, { by: 'frames', min: 1, max: 4 }] as const;
    expect(new Set(versions.map((knobs) => createSegmenter(name, { ...SIZE, ...knobs }).version)).size).toBe(3);
  }
});

it.each([
  { by: 'seconds', min: 3, max: 5 },
  { by: 'seconds', min: 0, max: 10 },
  { by: 'seconds', min: 1, max: Infinity },
  { by: 'frames', min: 2.5, max: 10 },
  { by: 'frames', min: 32, max: 62 },
] as const)('refuses bounds that cannot divide every length: $min to $max $by', (bounds) => {
  for (const name of SEGMENTER_NAMES) {
    expect(() => createSegmenter(name, { ...SIZE, ...bounds })).toThrow(/Expected (whole )?shot bounds in/);
  }
});

it('refuses a picture of another size', () => {
  for (const name of ['colour', 'kts'] as const) {
    expect(() => createSegmenter(name, SIZE).push(new Uint8Array(10), 0)).toThrow(/6912 bytes\), found 10/);
    expect(() => createSegmenter(name, { widthPx: 0, heightPx: 36 })).toThrow(/found 0 × 36/);
  }
});
