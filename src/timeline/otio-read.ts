import { z } from 'zod';

import { rescale } from '../base/index.js';
import { badTimeline, noteOn, type CutList, type EditedClip } from './edited.js';
import { frameBase, isSameRate, rateOfNumber, type Counting } from './rates.js';
import { oneLine } from './xml.js';

const time = z.object({ value: z.number(), rate: z.number() });
const range = z.object({ start_time: time, duration: time });
const text = z.string().nullish();
const media = z.object({
  OTIO_SCHEMA: z.string().optional(),
  name: text,
  target_url: text,
  available_range: range.nullish(),
  metadata: z.unknown().optional(),
});
const child = z.object({
  OTIO_SCHEMA: z.string(),
  name: text,
  enabled: z.boolean().optional(),
  source_range: range.nullish(),
  media_reference: media.nullish(),
  media_references: z.record(z.string(), media).nullish(),
  active_media_reference_key: text,
  effects: z.array(z.object({ OTIO_SCHEMA: z.string() })).nullish(),
  metadata: z.unknown().optional(),
});
const track = z.object({
  OTIO_SCHEMA: z.string(),
  kind: text,
  children: z.array(child),
  enabled: z.boolean().optional(),
});
const root = z.object({
  OTIO_SCHEMA: z.string().startsWith('Timeline.'),
  name: text,
  global_start_time: time.nullish(),
  tracks: z.object({ children: z.array(track) }),
});
const ours = z.object({
  throughline: z.object({ video: z.string().optional(), path: z.string().optional(), reel: z.string().optional() }),
});

type Time = z.infer<typeof time>;
type Child = z.infer<typeof child>;
type Media = z.infer<typeof media>;

/**
 * Reads OpenTimelineIO JSON: the clips of the first video track that has some. Gaps, disabled clips, nested timelines,
 * effects and other video tracks are skipped, with a note.
 */
export function readOtio(raw: unknown, file: string): CutList {
  const parsed = root.safeParse(raw);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw badTimeline(file, issue?.path.join('.') || 'its root', issue?.message ?? 'not understood');
  }
  const { name, global_start_time: start, tracks } = parsed.data;
  const videos = [...tracks.children.entries()].filter(
    ([, { kind, enabled, children }]) => kind !== 'Audio' && enabled !== false && children.some(isClip),
  );
  const [first, ...others] = videos;
  if (first === undefined) throw badTimeline(file, 'tracks', 'no video track has a clip');
  const [trackIndex, { children }] = first;
  const passed = { gap: [] as string[], disabled: [] as string[], nested: [] as string[], effects: [] as string[] };
  const clips = children.flatMap((item, at) => {
    const path = `tracks.children.${trackIndex}.children.${at}`;
    const called = item.name ? `"${oneLine(item.name)}" at ${path}` : path;
    if (item.effects?.some(({ OTIO_SCHEMA }) => /TimeWarp|TimeEffect|FreezeFrame/.test(OTIO_SCHEMA)))
      passed.effects.push(called);
    if (item.enabled === false) passed.disabled.push(called);
    else if (isClip(item)) return [clipOf(item, path, file)];
    else if (/^(Gap|Filler|Transition)\./.test(item.OTIO_SCHEMA)) passed.gap.push(called);
    else passed.nested.push(called);
    return [];
  });
  const rate = start ? rateOfNumber(start.rate) : null;
  return {
    title: name ?? null,
    counting: rate && { rate, dropFrame: false },
    clips,
    notes: [
      ...noteOn(
        'Video tracks other than the first were left out',
        others.map(([at, other]) => `tracks.children.${at} with ${other.children.filter(isClip).length} clips`),
      ),
      ...noteOn('Gaps and transitions were left out', passed.gap),
      ...noteOn('Disabled clips were left out', passed.disabled),
      ...noteOn('Nested timelines were left out', passed.nested),
      ...noteOn('Speed changes were left out, clips play at their own speed', passed.effects),
    ],
  };
}

function isClip({ OTIO_SCHEMA }: { OTIO_SCHEMA: string }): boolean {
  return OTIO_SCHEMA.startsWith('Clip.');
}

/** What times are counted in that are no whole frames: programs also write them as seconds, at a rate of 1. */
const MILLISECONDS: Counting = { rate: { num: 1000, den: 1 }, dropFrame: false };

function clipOf(item: Child, path: string, file: string): EditedClip {
  const reference = mediaOf(item);
  const available = reference?.available_range ?? null;
  const played = item.source_range ?? available;
  if (played === null) throw badTimeline(file, path, 'the clip has neither a source_range nor an available_range');
  const own = countingOf(played.start_time.rate, `${path}.source_range.start_time.rate`, file);
  const isWhole = [played.start_time, played.duration].every(({ value }) => Number.isInteger(value));
  const counting = isWhole ? own : MILLISECONDS;
  const frames = (value: Time, at: string): number => framesOf(value, counting, `${path}.${at}`, file);
  const start = frames(played.start_time, 'source_range.start_time');
  const length = frames(played.duration, 'source_range.duration');
  if (length <= 0) throw badTimeline(file, `${path}.source_range.duration`, 'the clip is empty');
  const zero = available ? frames(available.start_time, 'available_range.start_time') : null;
  const from = start - (zero ?? 0);
  const [clip, source] = [ours.safeParse(item.metadata).data, ours.safeParse(reference?.metadata).data];
  return {
    where: path,
    clue: {
      id: clip?.throughline.video,
      path: source?.throughline.path ?? reference?.target_url ?? undefined,
      name: reference?.name ?? item.name ?? undefined,
      reel: source?.throughline.reel,
    },
    counting,
    origin: zero === null ? 'timecode' : 'picture',
    from,
    to: from + length,
  };
}

function mediaOf(item: Child): Media | null {
  const references = item.media_references;
  const key = item.active_media_reference_key ?? 'DEFAULT_MEDIA';
  const active = references && Object.hasOwn(references, key) ? references[key] : undefined;
  return active ?? item.media_reference ?? null;
}

function countingOf(framesASecond: number, path: string, file: string): Counting {
  const rate = rateOfNumber(framesASecond);
  if (rate === null) throw badTimeline(file, path, `${framesASecond} is not a frame rate timecode can count`);
  return { rate, dropFrame: false };
}

/** A time in whole frames of `counting`, the nearest ones. */
function framesOf({ value, rate: stated }: Time, counting: Counting, path: string, file: string): number {
  const { rate } = countingOf(stated, `${path}.rate`, file);
  const seconds = (value * rate.den) / rate.num;
  const frames = Number.isInteger(value) ? value : Math.round((seconds * counting.rate.num) / counting.rate.den);
  if (!Number.isSafeInteger(frames)) throw badTimeline(file, `${path}.value`, `${value} is not a number of frames`);
  if (!Number.isInteger(value) || isSameRate(rate, counting.rate)) return frames;
  return rescale(frames, frameBase(rate), frameBase(counting.rate));
}
