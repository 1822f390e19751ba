// npm run bench:whiten -- TVSUM-FOLDER     the table of whitening in docs/features.md
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

import { scoreboard } from '../../src/eval/index.js';
import { rankAll, type DescribedVideo } from '../../src/eval/rank-all.js';
import { whitenTopic, type WhitenKnobs } from '../../src/topic/index.js';
import { machineFacts } from '../machine.js';
import { describeTvsum } from '../tvsum.js';

const report: string[] = [];
const say = (line: string): void => {
  report.push(line);
  console.log(line);
};
say((await machineFacts()).join(', '));

/** Every topic by itself, as a run of the product does it. */
function whiten(videos: readonly DescribedVideo[], knobs: WhitenKnobs): DescribedVideo[] {
  return [...new Set(videos.map(({ video }) => video.topic))].flatMap((topic) => {
    const own = videos.filter(({ video }) => video.topic === topic);
    const even = whitenTopic(
      own.map(({ features }) => features),
      knobs,
    );
    return own.map(({ video }, place) => ({ video, features: even[place]! }));
  });
}

const videos = await describeTvsum(process.argv[2], 'root');
const trials: [string, WhitenKnobs | null][] = [
  ['as they are', null],
  ...[16, 64, 256].map((dims): [string, WhitenKnobs] => [`${dims} directions`, { dims }]),
];

say(`TVSum, ${videos.length} videos, embedded network: AP@5, AP@15 (textbook form), highlight top-5, Kendall τ`);
for (const [name, knobs] of trials) {
  const described = knobs ? whiten(videos, knobs) : videos;
  const results = await rankAll(described, { cvs: { method: 'cvs' } }, { workers: availableParallelism() });
  const labelled = described.map(({ video }) => video);
  const { rows } = scoreboard(labelled, results, { draws: 100, resamples: 10, ties: 'earlier' });
  const show = (label: string, row: string): void => {
    const { scores } = rows.find((each) => each.name === row)!;
    const values = [scores.ap5, scores.ap15, scores.highlightTop5, scores.kendall];
    say(`  ${label.padEnd(34)} ${values.map(({ overall }) => overall?.toFixed(3) ?? '    -').join('   ')}`);
  };
  if (knobs === null) {
    show('mean human', 'humanMean');
    show('random', 'random');
  }
  show(name, 'cvs');
}
writeFileSync(new URL('results.txt', import.meta.url), `${report.join('\n')}\n`);
