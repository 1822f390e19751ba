/**
 * I know what matters in my videos. Does the default method find it, do other methods, and how well does chance do?
 */
import assert from 'node:assert/strict';
import { drawDemo, openWorkbench } from 'throughline-video';
import { scoreOwnRanking } from 'throughline-video/eval';

// Your own labels would come from a file. Here: the scenes that several people filmed.
const { videos: truth } = await drawDemo('harbour-town');
const labels = new Map(truth.map(({ file, scenes }) => [file, scenes.filter(({ kind }) => kind === 'shared')]));

const bench = await openWorkbench('harbour-town', { films: false, out: 'labels' });
const scores: Record<string, number> = {};
for (const method of ['cvs', 'cosum', 'smrs', 'kmeans', 'uniform', 'random'] as const) {
  const { videos } = await bench.rank({ method, seed: 1 });
  const each = videos.map(({ path, shots }) => {
    const order = shots.toSorted((a, b) => a.rank - b.rank).map(({ index }) => index);
    // A shot counts if at least half of its frames show something labelled.
    const reference = shots.filter(({ startFrame, endFrame }) => {
      const shown = labels.get(path)!.map((scene) => Math.min(endFrame, scene.endFrame) - Math.max(startFrame, scene.startFrame)); // prettier-ignore
      return shown.reduce((sum, frames) => sum + Math.max(0, frames), 0) >= (endFrame - startFrame) / 2;
    });
    return scoreOwnRanking(order, [reference.map(({ index }) => index)], { shotCount: shots.length }).ap5.value ?? 0;
  });
  scores[method] = each.reduce((sum, value) => sum + value, 0) / each.length;
  console.log(`${method.padEnd(8)} AP@5 ${scores[method].toFixed(3)}   ${each.map((ap) => ap.toFixed(2)).join(' ')}`);
}
await bench.close();

assert(scores['cvs']! > scores['random']!, 'the default finds more of what is labelled than chance does');
