import { expect, it } from 'vitest';

import { checkFigures, fillBlocks } from '../scripts/figures.js';

const printed = 'decoding 32.6 s, all 45.4 s: 1.39 ×, peak 270 MB; 1,658 B a job';
const check = (text: string): string[] =>
  checkFigures('a.md', text, (file) => (file === 'bench/a/results.txt' ? printed : null));

it('takes figures that a bench printed, rounded as the page gives them', () => {
  expect(check('It costs 1.4 times decoding, 45 s, 1658 B. <!-- figures: bench/a/results.txt 1.4 45 1658 -->')).toEqual(
    [],
  );
});

it('names a figure that was not printed, one that is not stated, and a file that is not there', () => {
  expect(check('It costs 1.5 times. <!-- figures: bench/a/results.txt 1.5 -->')).toEqual([
    'a.md: "1.5" does not stand in bench/a/results.txt. Measure again, or correct the page.',
  ]);
  expect(check('It costs little. <!-- figures: bench/a/results.txt 1.39 -->')[0]).toMatch(/does not state it/);
  expect(check('1.39 <!-- figures: bench/b/results.txt 1.39 -->')[0]).toMatch(/no "bench\/b\/results.txt"/);
});

it('fills a block with the file it names, and leaves the rest of a page alone', () => {
  const page = 'a\n<!-- from: bench/whiten/results.txt -->\nold\n<!-- end: bench/whiten/results.txt -->\nb\n';
  const filled = fillBlocks(page);
  expect(filled).not.toContain('old');
  expect(filled).toMatch(/^a\n<!-- from[^]*```text\nTVSum[^]*```\n\n<!-- end[^]*-->\nb\n$/);
  expect(fillBlocks(filled)).toBe(filled);
});
