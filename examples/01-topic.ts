/**
 * I have a folder of videos about one thing and want a summary of each.
 * (No footage at hand? This draws a small topic first.)
 */
import assert from 'node:assert/strict';
import { drawDemo, summarizeTopic } from 'throughline-video';

await drawDemo('harbour-town');

const { document, report } = await summarizeTopic('harbour-town', { length: '30%', out: 'summaries' });

for (const video of document.videos) {
  const chosen = video.shots.filter((shot) => shot.chosen);
  assert(chosen.length > 0, 'a summary is never empty');
  console.log(`${video.path}: ${chosen.length} of ${video.shots.length} shots`);
  for (const shot of chosen) {
    const seconds = ((shot.range.start - video.range.start) * shot.range.base.num) / shot.range.base.den;
    const supporters = shot.support.map((support) => support.video).join(', ') || 'itself alone';
    console.log(`  at ${seconds.toFixed(1)} s, rank ${shot.rank + 1}, supported by ${supporters}`);
  }
}
console.log(`Open ${report}`);
