import type { Outline } from '../analyse/index.js';
import { lengthInSeconds } from '../base/index.js';
import type { Run } from '../run.js';
import { alignTracks } from '../sound/index.js';
import { dateVideos, setClocks, type Concept, type VideoClock } from '../summary/index.js';
import type { RankedVideo } from './cut-video.js';
import { note } from './note.js';
import { wholeOf } from './pool-shots.js';

/** The videos of a topic on one clock: by the times of recording that their files state, corrected by sound. */
export async function clockTopic(videos: readonly RankedVideo[], run: Run): Promise<VideoClock[]> {
  const dated = dateVideos(
    videos.map((video) => ({ name: video.name, seconds: lengthInSeconds(wholeOf(video)), dates: video.info.dates })),
  );
  const heard = await alignVideos(videos.map(({ analysis }) => analysis));
  if (heard === null)
    note(run, 'not-aligned', 'The videos were not aligned by their sound: there is too much of it to compare.');
  return setClocks(dated, heard ?? videos.map(() => null));
}

/** What was heard last, by the first of the videos: the studio asks again with every move of a slider. */
const known = new WeakMap<Outline, { readonly analyses: readonly Outline[]; readonly heard: Heard }>();
type Heard = ReturnType<typeof alignTracks>;

async function alignVideos(analyses: readonly Outline[]): Promise<Heard> {
  const [first] = analyses;
  const last = first && known.get(first);
  if (last?.analyses.length === analyses.length && last.analyses.every((each, at) => each === analyses[at])) {
    return last.heard;
  }
  // One after the other: a topic may have more videos than files can be open.
  const onsets: (Uint8Array | null)[] = [];
  for (const analysis of analyses) onsets.push((await analysis.sound())?.onsets ?? null);
  const heard = alignTracks(onsets);
  if (first) known.set(first, { analyses, heard });
  return heard;
}

/** What the record says about the clocks of a topic; times count from the first video. */
export function describeClocks(videos: readonly RankedVideo[], clocks: readonly VideoClock[]): Pick<Concept, 'clocks'> {
  const first = Math.min(...clocks.flatMap(({ startSeconds }) => startSeconds ?? []));
  const told = clocks.flatMap(({ recorded, heard, startSeconds }, at) => {
    if (!recorded && !heard) return [];
    const start = startSeconds === null ? {} : { startSeconds: Math.round(1000 * (startSeconds - first)) / 1000 };
    return [{ video: videos[at]!.id, ...(recorded ? { recorded } : {}), ...(heard ? { heard } : {}), ...start }];
  });
  return told.length > 0 ? { clocks: told } : {};
}
