/**
 * I build a service around it: progress while it works, a way to stop it, and errors I can tell apart.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { CancelledError, drawDemo, summarizeTopic, ThroughlineError, type RunEvent } from 'throughline-video';

await drawDemo('harbour-town');
await writeFile('broken.mp4', 'this is no video');

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());

const onEvent = (event: RunEvent): void => {
  if (event.type === 'stage-done') console.log(`finished: ${event.stage}`);
  if (event.type === 'skipped') console.log(`skipped (${event.code}): ${event.message}`);
};

try {
  const options = { length: '4 shots', out: 'summaries', films: false } as const;
  const { document } = await summarizeTopic(['harbour-town', 'broken.mp4'], options, { onEvent, signal: stop.signal });
  console.log(`${document.videos.length} done, ${document.skipped.length} skipped`);
  assert.deepEqual([document.videos.length, document.skipped.map(({ code }) => code)], [7, ['not-video']]);
} catch (error) {
  if (error instanceof CancelledError) console.log('stopped; the next run goes on from here');
  else if (error instanceof ThroughlineError) console.log(`failed (${error.code}): ${error.message}`);
  else throw error;
}
