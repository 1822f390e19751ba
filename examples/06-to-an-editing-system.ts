/**
 * I finish in an editing system: give me the cut as EDL, FCPXML and OTIO, and take back what I changed there.
 */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { drawDemo, importTimeline, summarizeTopic, timelineFormats, timelineOfVideo } from 'throughline-video';

await drawDemo('harbour-town');
const { document } = await summarizeTopic('harbour-town', { length: '50%', films: false, out: 'cuts' });
const { id: video } = document.videos.find(({ clips }) => clips.length > 1)!;

const timeline = timelineOfVideo(document, video);
for (const name of ['edl', 'fcpxml', 'otio'] as const) {
  const { text, notes } = timelineFormats[name].write(timeline);
  await writeFile(`cuts/${video}${timelineFormats[name].extension}`, text);
  console.log(`${video}${timelineFormats[name].extension}: ${timeline.clips.length} clips`, ...notes);
}

// A list that was not edited gives back the same summary, to the tick.
const otio = await readFile(`cuts/${video}.otio`, 'utf8');
const same = importTimeline(otio, document, { file: `${video}.otio` });
assert.deepEqual(same.document.videos, document.videos);

// The editor removes the first clip. Here a program does it: in an EDL, clip 1 is the lines that begin with 001.
const edl = await readFile(`cuts/${video}.edl`, 'utf8');
const shorter = edl.replace(/^001 [^]*?(?=^002 )/m, '');
const edited = importTimeline(shorter, document, { file: `${video}.edl` });

const clipsOf = (videos: typeof document.videos): number => videos.find(({ id }) => id === video)!.clips.length;
console.log(`read back: ${clipsOf(edited.document.videos)} of ${clipsOf(document.videos)} clips`, ...edited.notes);
assert.equal(clipsOf(edited.document.videos), clipsOf(document.videos) - 1);
