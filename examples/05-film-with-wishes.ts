/**
 * I cut one film of a whole event: this scene must be in, that one must not, and nothing may be shown twice.
 */
import assert from 'node:assert/strict';
import { drawDemo, openWorkbench, summarizeTopic } from 'throughline-video';

await drawDemo('harbour-town');
const film = { concept: '12s', films: false, out: 'film' } as const;

// What would it choose by itself? A workbench keeps the topic open: ranking it again takes milliseconds and writes nothing.
const bench = await openWorkbench('harbour-town', film);
const byItself = (await bench.rank({})).concept!.shots;
await bench.close();
console.log('by itself:  ', byItself.map(({ video, shot }) => `${video}#${shot + 1}`).join(' '));

// Shots count from 1, as in the report. Veto the first shot of the film; pin one second of a video, to the frame.
const first = byItself[0]!;
const veto = [`${first.video}.mp4#${first.shot + 1}`];
const pin = ['femi.mp4@0:02-0:03'];
const { document, folder } = await summarizeTopic('harbour-town', { ...film, pin, veto });

const shots = document.concept!.shots;
console.log('with wishes:', shots.map(({ video, shot }) => `${video}#${shot + 1}`).join(' '));
for (const { video, shot, reason } of shots) console.log(`  ${video}#${shot + 1}: ${reason}`);

assert(!shots.some(({ video, shot }) => video === first.video && shot === first.shot), 'the veto is kept');
const femi = document.videos.find(({ id }) => id === 'femi')!;
const pinned = shots.filter(({ video, range }) => {
  const seconds = (ticks: number): number => ((ticks - femi.range.start) * range.base.num) / range.base.den;
  return video === 'femi' && seconds(range.start) <= 2.05 && seconds(range.end) >= 2.95;
});
assert.equal(pinned.length, 1, 'the pinned second plays once');
console.log(`The film: ${folder}/${document.concept!.film}`);
