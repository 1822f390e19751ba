import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { withRow } from '../bench/load/results.js';

const sections = { parts: ['hours', 'topics'], headOf: (part: string) => `  ${part}   shots` };
const put = (text: string, part: string, machine: string, line: string): string => withRow(text, part, { machine, line }, sections); // prettier-ignore

it('figures of a load keep the machine they were measured on', () => {
  let text = put('', 'hours', 'Calm machine, load 0.1', '   1.25   10');
  text = put(text, 'topics', 'Busy machine, load 9.9', '    125   20');
  text = put(text, 'hours', 'Busy machine, load 9.9', '    2.5   30');
  text = put(text, 'hours', 'Calm machine, load 0.1', '  0.625    5');
  expect(text.split('\n')).toEqual([
    ...['== hours', 'Calm machine, load 0.1', '  hours   shots', '  0.625    5', '   1.25   10'],
    ...['Busy machine, load 9.9', '  hours   shots', '    2.5   30', ''],
    ...['== topics', 'Busy machine, load 9.9', '  topics   shots', '    125   20', ''],
  ]);
  const again = put(text, 'hours', 'Third machine', '   1.25   11');
  expect(again).toContain('Third machine\n  hours   shots\n   1.25   11\n');
  expect(again).not.toContain('   1.25   10');
  expect(again.split('== ')[2]).toBe(text.split('== ')[2]);
});

it('figures that stand there stay as they are', () => {
  const text = readFileSync(join(import.meta.dirname, '../bench/load/results.txt'), 'utf8');
  const lines = (each: string): string[] => each.split('\n').filter((line) => line && !/^\s*(hours|topics)\b/.test(line));
  const grown = put(text, 'hours', 'Another machine', '   9999    1');
  expect(lines(grown).filter((line) => !lines(text).includes(line))).toEqual(['Another machine', '   9999    1']);
  expect(lines(text).filter((line) => !lines(grown).includes(line))).toEqual([]);
}); // prettier-ignore
