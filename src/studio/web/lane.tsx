import { signal, useComputed } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { Clip, Track, Video } from '../contract.js';
import { followPointer } from './drag.js';
import { comments, openClip, selectedShot, playing } from './state.js';
import { clock } from './time.js';
import { cursor, hover, lengthOf, moveEdge, seekRequest, snap, snapPoints, trackOf, trim, useWheel, viewSeconds, viewStart, type Span } from './timeline.js'; // prettier-ignore

const HEIGHT = 52;

/** What is painted takes its colours when it is painted. */
const light = matchMedia('(prefers-color-scheme: light)');
const isLight = signal(light.matches);
light.addEventListener('change', () => (isLight.value = light.matches));

/** The width of an element, in pixels. */
export function useWidth(element: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const watch = new ResizeObserver((entries) => setWidth(Math.round(entries.at(-1)!.contentRect.width)));
    if (element.current) watch.observe(element.current);
    return () => watch.disconnect();
  }, []);
  return width;
}

/** One clip on the common time scale: its shots, evidence, sound and bad stretches, and what the summary plays of it. */
export function Lane({ clip, video }: { readonly clip: Clip; readonly video: Video | undefined }) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(box);
  const [track, setTrack] = useState<Track | null>(null);
  // Cuts and sound are there as soon as this clip is analysed, evidence when all are.
  const isRanked = video !== undefined;
  useEffect(() => {
    if (isRanked || clip.state === 'analysed') trackOf(clip.id).then(setTrack, () => undefined);
  }, [clip.id, clip.state, isRanked]);
  const [start, span] = [viewStart.value, viewSeconds.value];
  useEffect(() => {
    if (canvas.current && width > 0) paint(canvas.current, width, { start, span, clip, video, track });
  }, [width, start, span, video, track, clip.seconds, clip.state, clip.fraction, isLight.value]);

  const secondsAt = (clientX: number): number => {
    const { left } = box.current!.getBoundingClientRect();
    return viewStart.value + ((clientX - left) / width) * viewSeconds.value;
  };
  const shotAt = (seconds: number) => video?.shots.find((shot) => seconds >= shot.from && seconds < shot.to);
  useWheel(box, width);
  const position = (seconds: number): number => ((seconds - start) / span) * width;
  return (
    <div
      class="lane"
      ref={box}
      onPointerMove={({ clientX, clientY }) => {
        const seconds = secondsAt(clientX);
        const isInside = seconds >= 0 && seconds < lengthOf(clip);
        hover.value = isInside ? { video: clip.id, seconds, x: clientX, y: clientY } : null;
      }}
      onPointerLeave={() => (hover.value = null)}
      onClick={({ clientX }) => {
        const seconds = secondsAt(clientX);
        if (seconds >= lengthOf(clip)) return;
        const shot = shotAt(seconds);
        playing.value = null;
        openClip.value = shot ? null : clip.id;
        selectedShot.value = shot ? { video: clip.id, shot: shot.index, stays: true } : null;
        seekRequest.value = cursor.value = { video: clip.id, seconds };
      }}
    >
      <canvas ref={canvas} height={HEIGHT} aria-hidden="true" />
      {width > 0 &&
        video?.clips.map((played) => (
          <Played key={`${played.from}`} {...{ video, played, position, secondsAt, track, width }} />
        ))}
      {comments.value.map(({ id, video: of, seconds, by, text, isDone }) => {
        const at = of === clip.id && !isDone ? position(seconds) : -1;
        return at < 0 || at > width ? null : (
          <i key={id} class="marker" style={{ left: `${at}px` }} title={`${by}: ${text}`} />
        );
      })}
      <Playhead at={() => (cursor.value?.video === clip.id ? cursor.value.seconds : null)} width={width} />
    </div>
  );
}

/** Where the player is on a lane; `at` reads signals only. Drawn apart from the lane: it moves with every frame. */
export function Playhead({ at, width }: { readonly at: () => number | null; readonly width: number }) {
  const seconds = useComputed(at).value;
  const left = seconds === null ? -1 : ((seconds - viewStart.value) / viewSeconds.value) * width;
  return left < 0 || left > width ? null : <i class="playhead" style={{ left: `${left}px` }} />;
}

/** What the summary plays of a video: a bar whose edges can be dragged. */
function Played(props: {
  readonly video: Video;
  readonly played: Video['clips'][number];
  readonly track: Track | null;
  readonly width: number;
  position(seconds: number): number;
  secondsAt(clientX: number): number;
}) {
  const { video, played, track, width, position, secondsAt } = props;
  const [draft, setDraft] = useState<Span | null>(null);
  const { from, to } = draft ?? played;
  const swallow = (event: Event): void => event.stopPropagation();
  const drag = (edge: 'from' | 'to') => (event: PointerEvent) => {
    if (event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    const points = snapPoints(video, track);
    let span: Span = played;
    followPointer(event, {
      from: 0,
      move({ clientX, altKey }) {
        span = moveEdge(video, played, edge, altKey ? secondsAt(clientX) : snap(secondsAt(clientX), points, width));
        setDraft(span);
        seekRequest.value = cursor.value = {
          ...{ video: video.id, seconds: edge === 'from' ? span.from : span.to - 1 / video.frameRate },
        };
      },
      end(isKept) {
        const isChanged = span.from !== played.from || span.to !== played.to;
        if (isKept && isChanged) void trim(video, played, span).finally(() => setDraft(null));
        else setDraft(null);
      },
    });
  };
  const [left, right] = [position(from), position(to)];
  if (right < 0 || left > width) return null;
  return (
    <div class="played" style={{ left: `${left}px`, width: `${Math.max(2, right - left)}px` }}>
      <i class="edge from" title={`In ${clock(from)}: drag to trim`} onPointerDown={drag('from')} onClick={swallow} />
      <i class="edge to" title={`Out ${clock(to)}: drag to trim`} onPointerDown={drag('to')} onClick={swallow} />
    </div>
  );
}

type Drawing = {
  readonly start: number;
  readonly span: number;
  readonly clip: Clip;
  readonly video: Video | undefined;
  readonly track: Track | null;
};

/** Paints a lane. Upper half: shots with the evidence as a curve; lower half: loudness, speech in another colour. */
function paint(canvas: HTMLCanvasElement, width: number, { start, span, clip, video, track }: Drawing): void {
  const scale = devicePixelRatio;
  canvas.width = width * scale;
  canvas.height = HEIGHT * scale;
  const ink = canvas.getContext('2d')!;
  const look = getComputedStyle(canvas);
  const colour = (name: string): string => look.getPropertyValue(name);
  ink.scale(scale, scale);
  const at = (seconds: number): number => ((seconds - start) / span) * width;
  const end = at(lengthOf(clip));
  const middle = 30;
  ink.fillStyle = colour('--lane');
  ink.fillRect(at(0), 0, end - at(0), HEIGHT);
  const shots = video?.shots ?? track?.shots;
  if (!shots) {
    ink.fillStyle = colour('--line');
    ink.fillRect(at(0), 0, (end - at(0)) * (clip.state === 'analysed' ? 1 : clip.fraction), HEIGHT);
    return;
  }
  if (track && track.loudness.length > 0) {
    const { loudness, speech } = track;
    const step = shots.at(-1)!.to / loudness.length;
    const [wave, spoken] = [colour('--wave'), colour('--speech')];
    let word = 0;
    for (let x = Math.max(0, Math.floor(at(0))); x < Math.min(width, end); x++) {
      const first = Math.floor((start + (x / width) * span) / step);
      const last = Math.max(first + 1, Math.ceil((start + ((x + 1) / width) * span) / step));
      let level = 0;
      for (let at = first; at < last; at++) level = Math.max(level, loudness[at] ?? 0);
      while (word < speech.length && speech[word]!.to <= first * step) word++;
      ink.fillStyle = (speech[word]?.from ?? Infinity) <= first * step ? spoken : wave;
      ink.fillRect(x, HEIGHT - 1 - level * (HEIGHT - middle - 3), 1, level * (HEIGHT - middle - 3));
    }
  }
  for (const [index, shot] of shots.entries()) {
    const [left, right] = [at(shot.from), at(shot.to)];
    if (right < 0 || left > width) continue;
    if (shot.bad !== null) hatch(ink, left, right, colour('--bad'));
    if ('vetoed' in shot && shot.vetoed) {
      ink.fillStyle = colour('--veil');
      ink.fillRect(left, 0, right - left, HEIGHT);
    }
    ink.fillStyle = colour('--cut');
    if (index > 0) ink.fillRect(Math.round(left), 0, 1, HEIGHT);
  }
  ink.beginPath();
  for (const { from, to, score } of video?.shots ?? []) {
    const y = middle - 2 - score * (middle - 6);
    ink.lineTo(at(from), y);
    ink.lineTo(at(to), y);
  }
  ink.strokeStyle = colour('--evidence');
  ink.lineWidth = 1.5;
  ink.stroke();
  ink.fillStyle = colour('--line');
  ink.fillRect(at(0), middle, end - at(0), 1);
}

function hatch(ink: CanvasRenderingContext2D, left: number, right: number, colour: string): void {
  ink.save();
  ink.beginPath();
  ink.rect(left, 0, right - left, HEIGHT);
  ink.clip();
  ink.strokeStyle = colour;
  ink.lineWidth = 1.5;
  ink.beginPath();
  for (let x = left - HEIGHT; x < right; x += 7) {
    ink.moveTo(x, HEIGHT);
    ink.lineTo(x + HEIGHT, 0);
  }
  ink.stroke();
  ink.restore();
}
