// npm run bench:scale -- moment | redis | idle | workers FOLDER | all FOLDER     what a large topic costs; each part takes minutes. Linux, after a build
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { UsageError } from '../../src/base/index.js';
import { measureTopic, SHOTS, type Row } from './moment.js';
import type { Throughput } from './workers.js';

const results = join(import.meta.dirname, 'results.txt');

const ROUNDS = 2;
const WIDTHS = [10, 6, 26, 10, 12, 13, 23];
const row = (...cells: readonly string[]): string => cells.map((cell, i) => cell.padStart(WIDTHS[i]!)).join('');

/** The reduction and one summary, each size in a process of its own so that its memory is its own. */
function moment(): string[] {
  const sizes = [
    ...[1e3, 1e4, 1e5, 1e6].map((videos) => ({ videos, dim: 128 })),
    ...[1e3, 1e4].map((videos) => ({ videos, dim: 1280 })),
  ];
  const lines = [
    `One thread. Simulated videos of ${SHOTS} shots, drawn from a seed; one added at a time, in runs of 64 of runs of 64. Times are CPU time`,
    row('videos', 'dim', 'reduce, drawing included', 'a video', 'moment', 'peak memory', 'rank one of 100 shots'),
  ];
  for (const { videos, dim } of sizes) {
    const cost = JSON.parse(
      execFileSync(
        process.execPath,
        ['--import', 'tsx', import.meta.filename, 'one-size', String(videos), String(dim)],
        {
          encoding: 'utf8',
        },
      ),
    ) as Row;
    const line = row(
      String(videos),
      String(dim),
      `${cost.reduceSeconds.toFixed(1)} s`,
      `${((cost.reduceSeconds / videos) * 1e3).toFixed(2)} ms`,
      `${cost.momentBytes} B`,
      `${cost.peakMegabytes.toFixed(0)} MB`,
      `${cost.summariseMs.toFixed(0)} ms`,
    );
    console.log(line);
    lines.push(line);
  }
  return lines;
}

/** What Redis holds while a topic waits. */
async function redis(): Promise<string[]> {
  const { measureQueue } = await import('./redis.js');
  const version = /v=(\S+)/.exec(execFileSync('redis-server', ['--version'], { encoding: 'utf8' }))?.[1];
  const lines = [`Redis ${version} (AOF, every second). The first phase of a topic: extract each, gather, roster`];
  for (const videos of [1e3, 1e4, 1e5]) {
    const { jobs, bytes, seconds } = await measureQueue(videos);
    const line = `${String(videos).padStart(11)} videos   ${String(jobs).padStart(7)} jobs queued in ${seconds.toFixed(1).padStart(5)} s   ${(bytes / 1e6).toFixed(1).padStart(6)} MB   ${(bytes / jobs).toFixed(0).padStart(5)} B a job`;
    console.log(line);
    lines.push(line);
  }
  return lines;
}

/** What finished topics cost those who ask. */
async function idle(): Promise<string[]> {
  const { measureIdle } = await import('./topics.js');
  const lines = ['Finished topics of ten simulated videos; real Redis, one idle worker, one "jobs status"'];
  for (const count of [1e3, 1e4]) {
    const cost = await measureIdle(count);
    const line = `${String(count).padStart(11)} topics   idle worker: ${cost.workerCalls.toFixed(1)} calls a second, ${(100 * cost.workerCpu).toFixed(2)} % of a core   status: ${cost.statusCalls} calls, ${(cost.statusBytes / 1e3).toFixed(1)} KB   ${cost.topicBytes.toFixed(0)} B a topic`;
    console.log(line);
    lines.push(line);
  }
  return lines;
}

/** Real videos, real Redis, real workers. */
async function workers(folder: string): Promise<string[]> {
  const { footage, measureWorkers } = await import('./workers.js');
  const { videos, seconds: length } = await footage(folder);
  const perHour = 3600 / length;
  const lines = [
    `${videos} videos, ${length.toFixed(0)} s together, films included; each worker has one core; the quicker of ${ROUNDS} interleaved rounds`,
  ];
  const best = new Map<number, Throughput>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const count of [1, 2]) {
      const found = await measureWorkers(count, folder);
      if (found.seconds < (best.get(count)?.seconds ?? Infinity)) best.set(count, found);
    }
  }
  for (const { workers: count, seconds, cpuSeconds } of best.values()) {
    const line = `  ${count} worker${count === 1 ? ' ' : 's'}   ${seconds.toFixed(1).padStart(6)} s from submit to done, ${(length / seconds).toFixed(2)} s of video a second; ${cpuSeconds.toFixed(1)} CPU-s, ${(cpuSeconds / length).toFixed(2)} a second of video`;
    console.log(line);
    lines.push(line);
  }
  const { stored, recordBytes, reportBytes } = best.get(1)!;
  const kinds = Object.entries(stored).sort(([, one], [, other]) => other - one);
  lines.push(
    `  in the store, by hour of video: ${kinds.map(([kind, bytes]) => `${kind} ${((bytes * perHour) / 1e6).toFixed(3)} MB`).join(', ')}`,
    `  a video: summary.json ${(recordBytes / videos).toFixed(0)} B, report.html ${(reportBytes / videos).toFixed(0)} B`,
  );
  return lines;
}

/** Puts a part's lines, below what it was measured on, in place of its earlier ones. */
async function keep(part: string, measure: () => string[] | Promise<string[]>): Promise<void> {
  // Not for the processes of one size: their memory is theirs alone.
  const { machineFacts } = await import('../machine.js');
  const lines = [(await machineFacts()).join(', '), ...(await measure())];
  const parts = new Map(
    (existsSync(results) ? readFileSync(results, 'utf8') : '')
      .split(/^== /m)
      .slice(1)
      .map((text) => [text.slice(0, text.indexOf('\n')), text.slice(text.indexOf('\n') + 1).trimEnd()] as const),
  );
  parts.set(part, lines.join('\n'));
  const inOrder = ['moment', 'redis', 'idle', 'workers'].filter((name) => parts.has(name));
  writeFileSync(results, inOrder.map((name) => `== ${name}\n${parts.get(name)}\n`).join('\n'));
}

const [part = 'all', ...rest] = process.argv.slice(2);
const [folder] = rest;
if (part === 'one-size') {
  console.log(JSON.stringify(measureTopic(Number(rest[0]), Number(rest[1]))));
} else {
  if ((part === 'workers' || part === 'all') && folder === undefined) {
    throw new UsageError('no-videos', 'Expected a folder of videos to measure on, found none. Name one.');
  }
  if (part === 'all' || part === 'redis') await keep('redis', redis);
  if (part === 'all' || part === 'idle') await keep('idle', idle);
  if (part === 'all' || part === 'workers') await keep('workers', () => workers(folder!));
  if (part === 'all' || part === 'moment') await keep('moment', moment);
}
