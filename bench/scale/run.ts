// npm run bench:scale -- [moment] [redis] [workers VIDEOS]     what a large topic costs; each part takes minutes, alone on the machine
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';

import { measureTopic, SHOTS, type Row } from './moment.js';

const results = join(import.meta.dirname, 'results.txt');
const machine = `${cpus()[0]?.model}, Node ${process.version}`;

/** The reduction and one summary, each size in a process of its own so that its memory is its own. */
function moment(): string[] {
  const sizes = [
    ...[1e3, 1e4, 1e5, 1e6].map((videos) => ({ videos, dim: 128 })),
    ...[1e3, 1e4].map((videos) => ({ videos, dim: 1280 })),
  ];
  const lines = [
    `${machine}, one thread. Simulated videos of ${SHOTS} shots, drawn from a seed; one added at a time, in runs of 64 of runs of 64. Times are CPU time`,
    '     videos   dim   reduce (drawing included)   a video   moment       peak memory   summarise one video of 100 shots',
  ];
  for (const { videos, dim } of sizes) {
    const row = JSON.parse(
      execFileSync(
        process.execPath,
        ['--import', 'tsx', import.meta.filename, 'one-size', String(videos), String(dim)],
        {
          encoding: 'utf8',
        },
      ),
    ) as Row;
    const line = [
      String(videos).padStart(11),
      String(dim).padStart(6),
      `${row.reduceSeconds.toFixed(1)} s`.padStart(28),
      `${((row.reduceSeconds / videos) * 1e3).toFixed(2)} ms`.padStart(10),
      `${row.momentBytes} B`.padStart(13),
      `${row.peakMegabytes.toFixed(0)} MB`.padStart(14),
      `${row.summariseMs.toFixed(0)} ms`.padStart(22),
    ].join('');
    console.log(line);
    lines.push(line);
  }
  return lines;
}

/** Puts a part's lines in place of its earlier ones. */
function keep(part: string, lines: readonly string[]): void {
  const parts = new Map(
    (existsSync(results) ? readFileSync(results, 'utf8') : '')
      .split(/^== /m)
      .slice(1)
      .map((text) => [text.slice(0, text.indexOf('\n')), text.slice(text.indexOf('\n') + 1).trimEnd()] as const),
  );
  parts.set(part, lines.join('\n'));
  const inOrder = ['moment', 'redis', 'workers'].filter((name) => parts.has(name));
  writeFileSync(results, inOrder.map((name) => `== ${name}\n${parts.get(name)}\n`).join('\n'));
}

const [part, ...rest] = process.argv.slice(2);
if (part === 'one-size') console.log(JSON.stringify(measureTopic(Number(rest[0]), Number(rest[1]))));
else if (part === undefined || part === 'moment') keep('moment', moment());
