// npm run bench:pipeline -- VIDEO...     CPU time of analysing, and of a whole run without films, against decoding alone; Linux, after a build
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { basename } from 'node:path';

import { UsageError } from '../../src/base/index.js';
import { locateFfmpeg } from '../../src/media/index.js';
import { measurePipeline, ROUNDS } from './measure-pipeline.js';

const videos = process.argv.slice(2);
if (videos.length === 0) throw new UsageError('no-videos', 'Expected videos to measure on, found none. Name some.');

const { version } = await locateFfmpeg();
const report: string[] = [];
const say = (line: string): void => {
  report.push(line);
  console.log(line);
};

say(
  `${cpus()[0]?.model}, ${availableParallelism()} threads, Node ${process.version}, ffmpeg ${version}; medians of ${ROUNDS} interleaved rounds`,
);
say(
  '  CPU time, against `ffmpeg -f null` of the same file with the same threads. Whole: `summarize --no-films` on an empty',
);
say(
  '  cache. Analysing: the whole, less the same again from the full cache (choosing, storyboard, report), plus `--version` (starting)',
);
for (const given of videos) {
  const { size, decode, analysing, whole, fast, peak } = await measurePipeline(given);
  const told = (seconds: number): string => `${seconds.toFixed(1)} s: ${(seconds / decode).toFixed(2)} ×`;
  say(`  ${basename(given).padEnd(32)} ${size}, decoding ${decode.toFixed(1)} s`);
  say(
    `      analysing ${told(analysing)}, whole ${told(whole)}, whole with --fast ${told(fast)}   peak ${peak.toFixed(0)} MB`,
  );
}
writeFileSync(new URL('results.txt', import.meta.url), `${report.join('\n')}\n`);
