import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

import { LONGER, longerTable, longerText } from '../bench/longer.js';
import { allPages, checkFigures, fillBlocks } from '../scripts/figures.js';

const home = resolve(import.meta.dirname, '..');
const printed = `One thread. AMD EPYC, 2 threads, 24 GB, Node v20.20.2, ffmpeg 7, onnxruntime 1.17.0, Throughline 0.1.0, 2026-11-17, load before 3.3
decoding 32.6 s, all 45.4 s: 1.39 ×, peak 270 MB; 1,658 B a job`;
const check = (text: string): string[] =>
  checkFigures('a.md', text, (file) => (file === 'bench/a/results.txt' ? printed : null));

describe('a claim', () => {
  it('takes figures that a bench printed, rounded as the page gives them', () => {
    expect(
      check('It costs 1.4 times decoding, 45 s, 1658 B. <!-- figures: bench/a/results.txt 1.4 45 1658 -->'),
    ).toEqual([]);
  });

  it('names a figure that was not printed, one that is not stated, and a file that is not there', () => {
    expect(check('It costs 1.5 times. <!-- figures: bench/a/results.txt 1.5 -->')).toEqual([
      'a.md: "1.5" is not in bench/a/results.txt. Measure again, or correct the page.',
    ]);
    expect(check('It costs little. <!-- figures: bench/a/results.txt 1.39 -->')[0]).toMatch(/does not state it/);
    expect(check('1.39 <!-- figures: bench/b/results.txt 1.39 -->')[0]).toMatch(/no "bench\/b\/results.txt"/);
  });

  it('takes no figure from what is said of the machine', () => {
    expect(check('It takes 24 MB. <!-- figures: bench/a/results.txt 24 -->')[0]).toMatch(/"24" is not in/);
    expect(
      checkFigures('a.md', '3.3 ms <!-- figures: b 3.3 -->', () => '"facts": ["2 threads", "load 3.3"]')[0],
    ).toMatch(/"3.3" is not in/);
  });

  it('takes what is worked out from a printed figure, and checks the arithmetic', () => {
    const page = (figure: string): string => `${figure} GB for a million. <!-- figures: bench/a/results.txt ${figure}`;
    expect(check(`${page('1.7')}=1658*1e6/1e9 -->`)).toEqual([]);
    expect(check(`${page('1.8')}=1658*1e6/1e9 -->`)).toEqual(['a.md: "1.8" is not 1658*1e6/1e9.']);
    expect(check(`${page('1.7')}=1659*1e6/1e9 -->`)[0]).toMatch(/"1659" is not in/);
  });
});

it('reads numbers that a comma follows, and those of a list without spaces', () => {
  const read = (text: string, file: string): string[] => checkFigures('a.md', text, () => file);
  expect(read('A figure of 270, and 12,345 more. <!-- figures: x 270 12,345 -->', '12345 and 270')).toEqual([]);
  expect(read('It takes 1.4 s. <!-- figures: x 1.4 -->', '{"seconds":[270,1.4]}')).toEqual([]);
});

it('does not take one claim for what another claims', () => {
  const page = 'Nothing. <!-- figures: bench/a/results.txt 270 --> <!-- figures: bench/a/results.txt 270 32.6 -->';
  expect(check(page)).toHaveLength(3);
});

describe('a measurement without a claim', () => {
  it.each([
    ['It takes 12 CPU-s.', '12 CPU-s'],
    ['It takes 1.2 to 1.4 times as long.', '1.2 to 1.4 times'],
    ['16 and 38 s instead', '16 and 38 s'],
    ['peaks at 1,200 MB,', '1,200 MB'],
    ['is 3 ms per pair', '3 ms'],
    ['finds 76\n%', '76 %'],
    ['reaches an AP@5 of 0.49.', '0.49'],
    ['| cvs | **0.495** |', '0.495'],
    ['17 of 18 were found', '17 of 18'],
    ['- and 5.6 ×;', '5.6 ×'],
    ['    ranked in 12 ms\n', '12 ms'],
  ])('is found: %s', (text, what) => {
    expect(check(text)).toEqual([`a.md: "${what}" looks measured, but no "figures:" names where it comes from.`]);
  });

  it.each([
    ['a figure in a claim', 'all 45 s <!-- figures: bench/a/results.txt 45 -->'],
    ['a block', '<!-- from: bench/whiten/results.txt -->\n0.495 in 3 s\n<!-- end: bench/whiten/results.txt -->'],
    ['a definition', 'at most 60 s, or 15 % <!-- given: 60 s; 15 % -->'],
    [
      'code',
      '`--length 30s`\n\n```sh\nsleep 3 s\n```\n\n    $ throughline summarize\n    done in 3 s\n\n    0.12 alike\n\nend',
    ],
    ['a size in pixels, a version, a range of shots', '64 × 36, ffmpeg 4.4, 32 to 96 frames, n × 3 × height'],
  ])('is not: %s', (_, text) => expect(check(text)).toEqual([]));

  it('is not excused by a definition of another number, nor by one that is gone', () => {
    expect(check('60 s and 61 s <!-- given: 60 s; 5 % -->')).toEqual([
      'a.md: "61 s" looks measured, but no "figures:" names where it comes from.',
      'a.md: "given: 5 %" is not in the page.',
    ]);
  });

  it('is in no page of the repository', () => {
    const problems = allPages().flatMap((page) => checkFigures(page, readFileSync(join(home, page), 'utf8')));
    expect(problems).toEqual([]);
  });
});

it('fills a block with the file it names, and leaves the rest of a page alone', () => {
  const page = 'a\n<!-- from: bench/cosum/results.txt -->\nearlier text\n<!-- end: bench/cosum/results.txt -->\nb\n';
  const filled = fillBlocks(page);
  expect(filled).not.toContain('earlier text');
  expect(filled).toMatch(/^a\n<!-- from[^]*```text\n[^]*TVSum[^]*```\n\n<!-- end[^]*-->\nb\n$/);
  expect(fillBlocks(filled)).toBe(filled);
});

describe('the longer commands', () => {
  const { scripts } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { scripts: object };

  it('are those of the package, but for the part of the table that takes videos', () => {
    const names = Object.keys(scripts).flatMap((name) => /^bench:(.+)$/.exec(name)?.[1] ?? []);
    expect(LONGER.map(({ name }) => name).sort()).toEqual(names.filter((name) => name !== 'pipeline').sort());
  });

  it('are all printed, each with its machine and date', () => {
    const parts = longerText().split(/^== npm run bench:/m).slice(1); // prettier-ignore
    expect(parts).toHaveLength(LONGER.length);
    for (const [at, part] of parts.entries()) {
      expect(part).toMatch(/\d threads, \d+ GB, Node v[\d.]+, .*, 20\d\d-\d\d-\d\d/);
      expect(part.startsWith(LONGER[at]!.name)).toBe(true);
    }
    expect(longerTable()).not.toContain('not dated');
  });
});
