// npm run bench:load [-- hours HOURS... | topics VIDEOS...]     one long video, one large topic; writes results.txt. Linux, after a build
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { machineLine } from '../machine.js';
import { measureHours, measureTopic, type Load } from './measure-load.js';
import { withRow } from './results.js';

const results = join(import.meta.dirname, 'results.txt');
/** Drawn once and kept: a run that was stopped goes on with the next size. */
const place = { folder: join(tmpdir(), 'throughline-bench-load'), drawn: 1000 };
const parts = {
  hours: { sizes: [1.25, 2.5, 5, 10], measure: measureHours, each: 'an hour' },
  topics: { sizes: [125, 250, 500, 1000], measure: measureTopic, each: 'a video' },
};
type Part = keyof typeof parts;

const WIDTHS = [7, 8, 16, 10, 9, 16, 10, 9, 9, 11, 11];
const row = (cells: readonly string[]): string => cells.map((cell, at) => cell.padStart(WIDTHS[at]!)).join('');

function headOf(part: Part): string {
  const { each } = parts[part];
  const phase = (name: string): string[] => [`${name} CPU-s`, each, 'peak MB'];
  return row([part, 'shots', ...phase('analysis'), ...phase('the rest'), 'wall s', 'record MB', 'report MB']);
}

function lineOf({ size, shots, analysis, rest, wall, recordBytes, reportBytes }: Load): string {
  const phase = ({ cpu, peak }: Load['rest']): string[] => [cpu.toFixed(1), (cpu / size).toFixed(3), peak.toFixed(0)];
  const megabytes = [recordBytes, reportBytes].map((bytes) => (bytes / 1e6).toFixed(1));
  return row([String(size), String(shots), ...phase(analysis), ...phase(rest), wall.toFixed(0), ...megabytes]);
}

function keep(part: Part, line: string, machine: string): void {
  const old = existsSync(results) ? readFileSync(results, 'utf8') : '';
  const sections = { parts: Object.keys(parts), headOf: (name: string) => headOf(name as Part) };
  writeFileSync(results, withRow(old, part, { machine, line }, sections));
}

const machine = await machineLine('CPU time of `summarize --no-films` on an empty cache, with as many jobs as threads');
const [asked, ...sizes] = process.argv.slice(2);
for (const part of asked === undefined ? (['hours', 'topics'] as const) : [asked as Part]) {
  console.log(`${machine}\n${headOf(part)}`);
  for (const size of sizes.length > 0 ? sizes.map(Number) : parts[part].sizes) {
    const line = lineOf(await parts[part].measure(size, place));
    console.log(line);
    keep(part, line, machine);
  }
}
console.log(`The material stays in ${place.folder} for another run.`);
