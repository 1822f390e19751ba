import { CancelledError, toSeconds, type Rational } from '../base/index.js';
import { decode, type DecodeOptions, type Decoding } from './decode.js';
import { PACKET_REPORT, packetReader, type Packet } from './packets.js';
import { inputOf, requireOwnEnd, startFfmpeg, workLimitMs } from './process.js';
import type { Frame, VideoInfo, View } from './types.js';

/** The frames of a file as listed by its container; nothing is decoded. */
export type FrameList = {
  /** Presentation time of every frame, ascending. */
  readonly ticks: Float64Array;
  /** Those of them that do not depend on others. */
  readonly keys: Float64Array;
  /** Ticks that the last frame stays on screen; `null` if the container does not say. */
  readonly lastDuration: number | null;
};

/** Fewer key pictures than this tell too little about a video. */
const FEWEST_KEYS = 8;
/** Key pictures further apart than this on average miss whole shots: it is twice the usual distance. */
const LONGEST_STRETCH_SECONDS = 20;
/** Containers that time every picture, and codecs that store every shown picture, and no other, as one packet. */
const TIMED_CONTAINERS = /\b(?:mov|mp4|matroska|webm)\b/;
const WHOLE_PICTURES = new Set(['h264', 'hevc', 'mpeg4', 'vp9', 'av1', 'mjpeg', 'prores', 'dnxhd']);

/** Lists the frames of a file. If only decoding could tell them, gives the reason, to follow "its". */
export async function listFrames(info: VideoInfo, signal?: AbortSignal): Promise<FrameList | { refusal: string }> {
  if (!TIMED_CONTAINERS.test(info.container))
    return { refusal: `container (${info.container}) does not time every picture` };
  if (!WHOLE_PICTURES.has(info.codec) || info.interlaced) return { refusal: 'pictures are not stored one by one' };
  const packets: Packet[] = [];
  const running = await startFfmpeg(
    [...['-loglevel', 'error', '-copyts', ...inputOf(info.path)], ...['-map', '0:V:0', '-c', 'copy', ...PACKET_REPORT]],
    {
      signal,
      workMs: workLimitMs(info),
      onLine: packetReader(info.timeBase, (packet) => packet.isHidden || packets.push(packet)),
    },
  );
  const exit = await running.exited;
  if (signal?.aborted) throw new CancelledError();
  requireOwnEnd(exit, running, info.path);
  if (exit.code !== 0 || running.errors.length > 0) return { refusal: 'container is damaged' };
  packets.sort((a, b) => a.ticks - b.ticks);
  const isClear = packets.every(({ ticks }, k) => k === 0 || ticks > packets[k - 1]!.ticks);
  if (!isClear || packets[0]?.isKey !== true) return { refusal: 'times are unclear without decoding' };
  const last = packets.at(-1)!;
  return {
    ticks: Float64Array.from(packets, ({ ticks }) => ticks),
    keys: Float64Array.from(
      packets.filter(({ isKey }) => isKey),
      ({ ticks }) => ticks,
    ),
    lastDuration: last.durationTicks > 0 ? last.durationTicks : null,
  };
}

/** Why the key pictures of a list tell too little about a video, to follow "its"; `null` if they are enough. */
export function missingKeys({ ticks, keys }: FrameList, timeBase: Rational): string | null {
  if (keys.length < FEWEST_KEYS) return `key pictures are only ${keys.length}`;
  const apart = toSeconds(ticks.at(-1)! - ticks[0]!, timeBase) / keys.length;
  return apart > LONGEST_STRETCH_SECONDS ? `key pictures are ${apart.toFixed(0)} s apart` : null;
}

/**
 * Gives every frame of the list at its time, like `decode`, but decodes key pictures only: each is the picture of all frames
 * up to the next, as the same array. It is a complaint if other key pictures come than those listed.
 */
export function decodeKeys(
  info: VideoInfo,
  { ticks, keys, lastDuration }: FrameList,
  views: readonly [View, ...View[]],
  options: Omit<DecodeOptions, 'keysOnly'> = {},
): Decoding {
  const [first, ...others] = views.map((view) => ({ ...view, every: 1 }));
  const decoding = decode(info, [first!, ...others], { ...options, keysOnly: true });
  let mismatch: string | null = null;
  return {
    frames: frames(),
    complaint: () => decoding.complaint() ?? mismatch,
    found: () => decoding.found(),
    damaged: () => [],
  };

  async function* frames(): AsyncGenerator<Frame> {
    let index = 0;
    let seen = 0;
    function* hold(key: Frame | null, until: number): Generator<Frame> {
      for (; key !== null && index < ticks.length && ticks[index]! < until; index++) {
        const wanted = views.filter(({ every }) => index % every === 0).map(({ name }) => [name, key.pictures[name]!]);
        const durationTicks = index === ticks.length - 1 ? lastDuration : null;
        yield { index, ticks: ticks[index]!, durationTicks, pictures: Object.fromEntries(wanted) };
      }
    }
    let held: Frame | null = null;
    for await (const key of decoding.frames) {
      if (key.ticks !== keys[seen++]) mismatch = 'key pictures are not where the container says';
      if (mismatch !== null) return;
      yield* hold(held, key.ticks);
      held = key;
    }
    if (seen !== keys.length) mismatch = 'key pictures are missing';
    else yield* hold(held, Infinity);
  }
}
