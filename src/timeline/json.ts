import { timelineSchema, type TimelineFormat } from './types.js';
import { parseSummary } from '../summary/index.js';
import { badTimeline, noteOn, type CutList, type EditedClip } from './edited.js';
import { isCountable } from './rates.js';
import { oneLine } from './xml.js';

/** The timeline itself, schema `timeline.1`: everything, in the order of the schema. */
export const json: TimelineFormat = {
  title: 'Timeline JSON',
  extension: '.timeline.json',
  write(timeline) {
    return { text: `${JSON.stringify(timelineSchema.parse(timeline), null, 2)}\n`, notes: [] };
  },
};

/** Reads `timeline.1`. Of each clip only its source, `in` and `out` are used; the other figures follow from them. */
export function readTimelineJson(raw: unknown, file: string): CutList {
  const parsed = timelineSchema.safeParse(raw);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw badTimeline(file, issue?.path.join('.') || 'its root', issue?.message ?? 'not understood');
  }
  const { title, rate, dropFrame, sources, clips } = parsed.data;
  const wrong = [rate, ...sources.map((source) => source.rate)].find((candidate) => !isCountable(candidate));
  if (wrong) throw badTimeline(file, 'a rate', `timecode cannot count ${wrong.num}/${wrong.den} frames per second`);
  const byId = new Map(sources.map((source) => [source.id, source]));
  const disabled = clips.flatMap(({ enabled, name }, at) =>
    enabled === false ? [`"${oneLine(name)}" at clips.${at}`] : [],
  );
  return {
    title,
    counting: { rate, dropFrame },
    notes: noteOn('Disabled clips were left out', disabled),
    clips: [...clips.entries()]
      .filter(([, { enabled }]) => enabled !== false)
      .map(([at, clip]): EditedClip => {
        const source = byId.get(clip.source);
        if (source === undefined) throw badTimeline(file, `clips.${at}.source`, `there is no source "${clip.source}"`);
        if (clip.out <= clip.in) throw badTimeline(file, `clips.${at}.out`, `${clip.out} is not after ${clip.in}`);
        return {
          where: `clips.${at}`,
          clue: { id: source.id, path: source.path, name: source.name, reel: source.reel },
          counting: { rate: source.rate, dropFrame: source.dropFrame },
          origin: 'picture',
          from: clip.in,
          to: clip.out,
        };
      }),
  };
}

/** Reads an edited `summary.json`. Of each clip only its frames are used; its ticks follow from them. */
export function readSummaryJson(text: string, file: string): CutList {
  const { topic, videos } = parseSummary(text, file);
  const clips = videos.flatMap(({ id, path, clips: own }, v) =>
    own.map(({ startFrame, endFrame }, at): EditedClip => ({
      where: `videos.${v}.clips.${at}`,
      clue: { id, path },
      counting: null,
      origin: 'decoded',
      from: startFrame,
      to: endFrame,
    })),
  );
  return { title: topic, counting: null, clips, notes: [] };
}
