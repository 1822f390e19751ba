import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { basename, join } from 'node:path';

import { CancelledError, MediaError } from '../base/index.js';
import { passEveryFrame } from './decode.js';
import { inputOf, lastComplaint, newMark, requireOwnEnd, startFfmpeg, STUCK_MS, workLimitMs } from './process.js';
import { locateFfmpeg } from './tools.js';
import { playedTrack, type VideoInfo } from './types.js';

/** What browsers play without help. Chromium also plays some Matroska files, Firefox and Safari do not. */
const PICTURES = new Set(['h264', 'vp8', 'vp9', 'av1']);
const SOUNDS = new Set(['aac', 'mp3', 'opus', 'vorbis', 'flac']);

/** Whether browsers play a file as it is: container, codecs and pixels that all of them know. */
export function isBrowserPlayable(info: VideoInfo): boolean {
  const isContainer =
    /\bmov\b|\bmp4\b/.test(info.container) || (/webm/.test(info.container) && /\.webm$/i.test(info.path));
  const sound = playedTrack(info);
  const isPlain = /^yuvj?420p$/.test(info.pixelFormat) || info.codec !== 'h264';
  return isContainer && PICTURES.has(info.codec) && isPlain && (sound === undefined || SOUNDS.has(sound.codec));
}

/** Longest side of a proxy. */
const PROXY_PX = 960;

/**
 * Writes a small H.264 copy of a video for browsers to `output`: its first picture is at 0, every frame has its time, and every
 * 15th is a key picture, so that seeking is quick. It runs with low priority.
 */
export async function encodeProxy(
  info: VideoInfo,
  output: string,
  { signal, onFraction }: { signal?: AbortSignal; onFraction?: (fraction: number) => void } = {},
): Promise<void> {
  const { path, durationHint } = info;
  const [ffmpeg, delay] = [await locateFfmpeg(), await pictureDelay(path, signal)];
  const sound = playedTrack(info);
  const fit = `scale='trunc(min(1,${PROXY_PX}/max(iw*sar,ih))*iw*sar/2+0.5)*2':'trunc(min(1,${PROXY_PX}/max(iw*sar,ih))*ih/2+0.5)*2'`;
  const running = await startFfmpeg(
    [
      ...['-loglevel', 'error', '-nostats', '-progress', 'pipe:1', ...inputOf(path), '-map', '0:V:0'],
      ...['-vf', `setpts=PTS-STARTPTS,${fit},setsar=1,format=yuv420p`, ...passEveryFrame(ffmpeg.major)],
      ...'-c:v libx264 -preset superfast -crf 27 -g 15 -bf 0 -threads:v 1 -video_track_timescale 90000'.split(' '),
      // Without a length of its own, players drop the last frame.
      ...['-bsf:v', 'setts=duration=1'],
      ...(sound
        ? [
            ...['-map', `0:a:${sound.position}`, '-af', `asetpts=PTS-${delay}/TB,aresample=async=1:first_pts=0`],
            ...['-c:a', 'aac', '-b:a', '96k', '-ac', '2'],
          ]
        : []),
      ...['-sn', '-dn', '-map_metadata', '-1', '-movflags', '+faststart', '-f', 'mp4', '-y', `file:${output}`],
    ],
    { signal, stuckMs: STUCK_MS, workMs: workLimitMs(info), reportsStatus: true },
  );
  if (running.child.pid !== undefined) trySlow(running.child.pid);
  for await (const text of running.output(1).setEncoding('utf8') as AsyncIterable<string>) {
    const seconds = Number(/out_time_us=(\d+)/.exec(text)?.[1] ?? NaN) / 1e6;
    if (durationHint && Number.isFinite(seconds)) onFraction?.(Math.min(1, seconds / durationHint));
  }
  await requireDone(running, path, signal);
}

/** Raised when proxies are made in another way. */
const PROXY_VERSION = 1;

/** Where the proxy of a file is, if it was made: another name if the file changes. */
export async function proxyPath(folder: string, path: string): Promise<string> {
  const { size, mtimeMs, ino } = await stat(path);
  const facts = [PROXY_VERSION, basename(path), size, mtimeMs, ino].join('\n');
  return join(folder, `${createHash('sha256').update(facts).digest('hex').slice(0, 24)}.mp4`);
}

/** A JPEG of a picture near the beginning of a video, 320 px on its long side. */
export async function readFirstPicture(path: string, signal?: AbortSignal): Promise<Uint8Array> {
  // Half a second in there are fewer black pictures; very short files have none there.
  return (await pictureAt(path, ['-ss', '0.5'], signal)) ?? (await pictureAt(path, [], signal)) ?? noPicture(path);
}

async function pictureAt(path: string, seek: readonly string[], signal?: AbortSignal): Promise<Uint8Array | null> {
  const running = await startFfmpeg(
    [
      ...['-loglevel', 'error', ...seek, ...inputOf(path), '-map', '0:V:0', '-frames:v', '1'],
      ...['-vf', "scale='if(gte(iw*sar,ih),320,-2)':'if(gte(iw*sar,ih),-2,320)',setsar=1"],
      ...['-c:v', 'mjpeg', '-q:v', '4', '-f', 'image2pipe', 'pipe:1'],
    ],
    { signal, limitMs: STUCK_MS },
  );
  const parts: Buffer[] = [];
  for await (const part of running.output(1) as AsyncIterable<Buffer>) parts.push(part);
  await running.exited;
  if (signal?.aborted) throw new CancelledError();
  return parts.length === 0 ? null : Buffer.concat(parts);
}

function noPicture(path: string): never {
  throw new MediaError('no-frames', `Expected pictures in "${path}", could decode none.`);
}

/** Seconds from the start of a file to its first picture: its sound may begin earlier. */
async function pictureDelay(path: string, signal?: AbortSignal): Promise<number> {
  const mark = newMark();
  let delay = 0;
  const running = await startFfmpeg(
    [
      ...['-loglevel', 'level+info', '-nostats', ...inputOf(path), '-map', '0:V:0', '-frames:v', '1'],
      ...['-vf', `showinfo@${mark}`, '-f', 'null', '-'],
    ],
    {
      signal,
      limitMs: STUCK_MS,
      onLine(line) {
        const found = line.includes(`showinfo@${mark}`) ? / n: *0 .* pts_time:(-?[\d.]+)/.exec(line) : null;
        if (found) delay = Number(found[1]);
        return true;
      },
    },
  );
  await running.exited;
  return Number.isFinite(delay) ? delay : 0;
}

async function requireDone(
  running: Awaited<ReturnType<typeof startFfmpeg>>,
  path: string,
  signal?: AbortSignal,
): Promise<void> {
  const exit = await running.exited;
  if (signal?.aborted) throw new CancelledError();
  requireOwnEnd(exit, running, path);
  if (exit.code === 0) return;
  throw new MediaError(
    'no-proxy',
    `Could not make a copy of "${path}" for the browser (${lastComplaint(running.errors)}).`,
  );
}

function trySlow(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It ended already, or the system does not allow it.
  }
}
