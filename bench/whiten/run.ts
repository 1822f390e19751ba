// npm run bench:whiten -- TVSUM-FOLDER     the table of whitening in docs/features.md
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

import { scoreboard } from '../../src/eval/index.js';
import { rankAll, type DescribedVideo } from '../../src/eval/rank-all.js';
import { whitenTopic, type WhitenKnobs } from '../../src/topic/index.js';
import { machineFacts } from '../machine.js';
import { describeTvsum, FIGURES, figuresOf } from '../tvsum.js';

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
    return own.map((each, place) => ({ ...each, features: even[place]! }));
  });
}

const videos = await describeTvsum(process.argv[2], 'root');
const trials: [string, WhitenKnobs | null][] = [
  ['as they are', null],
  ...[16, 64, 256].map((dims): [string, WhitenKnobs] => [`${dims} directions`, { dims }]),
];

say(`TVSum, ${videos.length} videos, embedded network: ${FIGURES}`);
for (const [name, knobs] of trials) {
  const described = knobs ? whiten(videos, knobs) : videos;
  const results = await rankAll(described, { cvs: { method: 'cvs' } }, { workers: availableParallelism() });
  const labelled = described.map(({ video }) => video);
  const { rows } = scoreboard(labelled, results, { draws: 100, resamples: 10 });
  const show = (label: string, row: string): void =>
    say(
      figuresOf(
        rows.find((each) => each.name === row)!,
        label,
      ),
    );
  if (knobs === null) {
    show('one person', 'humanMean');
    show('middle', 'middle');
    show('random', 'random');
  }
  show(name, 'cvs');
}
writeFileSync(new URL('results.txt', import.meta.url), `${report.join('\n')}\n`);
