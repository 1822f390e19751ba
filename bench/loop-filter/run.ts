// npm run bench:loop-filter -- VIDEO...|FOLDER...     what it costs that frames no other is made from stay unsmoothed (src/media/decode.ts); writes results.txt. Linux
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { inMemory, type Matrix } from '../../src/base/index.js';
import { locateFfmpeg } from '../../src/media/index.js';
import { optionsSchema } from '../../src/options/index.js';
import type { Run } from '../../src/run.js';
import { admitVideos } from '../../src/stages/admit.js';
import { analyseVideos, type AnalysedVideo } from '../../src/stages/analyse-videos.js';
import { pictureVectors } from '../../src/stages/shot-vectors.js';
import { localShelf, openCache } from '../../src/store/index.js';
import { namedVideos } from '../folders.js';
import { machineLine } from '../machine.js';
import { measure } from '../measure.js';

const paths = namedVideos(process.argv.slice(2));
const scratch = mkdtempSync(join(tmpdir(), 'throughline-bench-'));
const report: string[] = [];
const say = (line: string): void => {
  report.push(line);
  console.log(line);
};

/** What was found is asked for by its path every time: in its place stands a program that hands on other words, when told. */
const tool = await locateFfmpeg();
const ffmpeg = tool.path;
const wrapper = join(scratch, 'ffmpeg');
writeFileSync(wrapper, `#!/bin/bash\n[ "$SMOOTH_ALL" ] && set -- "\${@/#noref/none}"\nexec '${ffmpeg}' "$@"\n`);
chmodSync(wrapper, 0o755);
Object.assign(tool, { path: wrapper });

async function analyse(smooth: 'all' | 'as always'): Promise<{ videos: AnalysedVideo[]; rows: Matrix[] }> {
  process.env['SMOOTH_ALL'] = smooth === 'all' ? '1' : '';
  const cache = await openCache(join(scratch, smooth));
  const run: Run = {
    options,
    budget: { kind: 'share', share: 0.15 },
    conceptBudget: null,
    ...{ jobs: 1, out: scratch, tell: () => undefined, signal: undefined, skipped: [], notes: [] },
    shelf: localShelf(cache),
  };
  const inputs = paths.map((path, at) => ({ id: `video-${at}`, name: basename(path), path }));
  const videos = await analyseVideos(await admitVideos(inputs, run), run);
  return { videos, rows: (await pictureVectors(videos, options, run)).map(inMemory) };
}

const options = optionsSchema.parse({});
const quantile = (values: readonly number[], share: number): string =>
  values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))]?.toFixed(6) ?? '–';
const decoding = async (path: string, skipped: 'noref' | 'none'): Promise<number> =>
  (await measure(ffmpeg, ['-v', 'error', '-nostdin', '-skip_loop_filter', skipped, '-i', path, '-map', '0:v:0', '-f', 'null', '-'])).cpu; // prettier-ignore

try {
  say(await machineLine('Frames that no other is made from left unsmoothed, against every frame smoothed'));
  const { videos: left, rows: leftRows } = await analyse('as always');
  const { videos: full, rows: fullRows } = await analyse('all');
  const everywhere: number[] = [];
  for (const [at, { name, info, analysis }] of left.entries()) {
    const isSame = JSON.stringify(analysis.shots) === JSON.stringify(full[at]!.analysis.shots);
    const { rows, cols, data } = leftRows[at]!;
    const cosines = Array.from({ length: isSame ? rows : 0 }, (_, shot) =>
      data
        .subarray(shot * cols, (shot + 1) * cols)
        .reduce((sum, value, k) => sum + value * fullRows[at]!.data[shot * cols + k]!, 0),
    );
    everywhere.push(...cosines);
    const shots = isSame
      ? `the same ${rows} shots, cosine lowest ${quantile(cosines, 0)}, median ${quantile(cosines, 0.5)}`
      : 'other shots';
    const [saved, whole] = [await decoding(info.path, 'noref'), await decoding(info.path, 'none')];
    say(
      `  ${name}, ${info.widthPx} × ${info.heightPx} ${info.codec}: ${shots}; decoding ${saved.toFixed(1)} instead of ${whole.toFixed(1)} CPU-s`,
    );
  }
  say(
    `  all ${everywhere.length} shots: cosine lowest ${quantile(everywhere, 0)}, lowest tenth ${quantile(everywhere, 0.1)}, median ${quantile(everywhere, 0.5)}`,
  );
  writeFileSync(new URL('results.txt', import.meta.url), `${report.join('\n')}\n`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
