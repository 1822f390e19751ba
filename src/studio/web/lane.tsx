import { useEffect, useRef, useState } from 'preact/hooks';

import type { Clip, Track, Video } from '../contract.js';
import { openClip, place, playing } from './state.js';
import { clock } from './time.js';
import { cursor, hover, lengthOf, pan, seekRequest, snap, snapPoints, trackOf, trim, viewSeconds, viewStart, zoomBy, type Span } from './timeline.js'; // prettier-ignore

const HEIGHT = 52;
const SNAP_PX = 8;

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
  const isAnalysed = video !== undefined;
  useEffect(() => {
    if (isAnalysed) trackOf(clip.id).then(setTrack, () => undefined);
  }, [clip.id, isAnalysed]);
  const [start, span] = [viewStart.value, viewSeconds.value];
  useEffect(() => {
    if (canvas.current && width > 0) paint(canvas.current, width, { start, span, clip, video, track });
  }, [width, start, span, video, track, clip.seconds, clip.state, clip.fraction]);

  const secondsAt = (clientX: number): number => {
    const { left } = box.current!.getBoundingClientRect();
    return viewStart.value + ((clientX - left) / width) * viewSeconds.value;
  };
  const shotAt = (seconds: number) => video?.shots.find((shot) => seconds >= shot.from && seconds < shot.to);
  const onWheel = (event: WheelEvent): void => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const { left } = box.current!.getBoundingClientRect();
      zoomBy(event.deltaY < 0 ? 1.25 : 0.8, (event.clientX - left) / width);
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      pan(((event.deltaX || event.deltaY) / width) * viewSeconds.value);
    }
  };
  useEffect(() => {
    const element = box.current!;
    // Preact listens passively, and the page would scroll or zoom as well.
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [width]);
  const position = (seconds: number): number => ((seconds - start) / span) * width;
  const here = cursor.value?.video === clip.id ? position(cursor.value.seconds) : null;
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
        place.value = shot ? { video: clip.id, shot: shot.index, stays: true } : null;
        seekRequest.value = cursor.value = { video: clip.id, seconds };
      }}
    >
      <canvas ref={canvas} height={HEIGHT} aria-hidden="true" />
      {width > 0 &&
        video?.clips.map((played) => (
          <Played key={`${played.from}`} {...{ video, played, position, secondsAt, track, width }} />
        ))}
      {here !== null && here >= 0 && here <= width && <i class="playhead" style={{ left: `${here}px` }} />}
    </div>
  );
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
    const points = snapPoints(video, track ?? { loudness: [], speech: [] });
    const reach = (SNAP_PX / width) * viewSeconds.value;
    const stop = new AbortController();
    const { signal } = stop;
    let span: Span = played;
    const move = ({ clientX, altKey }: PointerEvent): void => {
      const seconds = secondsAt(clientX);
      const moved = altKey ? seconds : snap(seconds, points, reach);
      const frame = 1 / video.frameRate;
      span =
        edge === 'from'
          ? { from: Math.max(0, Math.min(moved, played.to - frame)), to: played.to }
          : { from: played.from, to: Math.min(video.seconds, Math.max(moved, played.from + frame)) };
      setDraft(span);
      seekRequest.value = cursor.value = { video: video.id, seconds: edge === 'from' ? span.from : span.to - frame };
    };
    const end = (isKept: boolean): void => {
      stop.abort();
      // The release that ends a drag is no click on the lane.
      const over = new AbortController();
      document.addEventListener('click', swallow, { capture: true, signal: over.signal });
      setTimeout(() => over.abort());
      const isChanged = span.from !== played.from || span.to !== played.to;
      if (isKept && isChanged) void trim(video, played, span).finally(() => setDraft(null));
      else setDraft(null);
    };
    document.addEventListener('pointermove', move, { signal });
    document.addEventListener('pointerup', () => end(true), { signal });
    document.addEventListener('pointercancel', () => end(false), { signal });
    document.addEventListener('keydown', ({ key }) => key === 'Escape' && end(false), { signal, capture: true });
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
  if (!video) {
    ink.fillStyle = colour('--line');
    ink.fillRect(at(0), 0, (end - at(0)) * (clip.state === 'analysed' ? 1 : clip.fraction), HEIGHT);
    return;
  }
  if (track && track.loudness.length > 0) {
    const step = video.seconds / track.loudness.length;
    const speaks = (seconds: number): boolean => track.speech.some(({ from, to }) => seconds >= from && seconds < to);
    for (let x = Math.max(0, Math.floor(at(0))); x < Math.min(width, end); x++) {
      const first = Math.floor((start + (x / width) * span) / step);
      const last = Math.max(first + 1, Math.ceil((start + ((x + 1) / width) * span) / step));
      const level = Math.max(0, ...track.loudness.slice(first, last));
      ink.fillStyle = colour(speaks(first * step) ? '--speech' : '--wave');
      ink.fillRect(x, HEIGHT - 1 - level * (HEIGHT - middle - 3), 1, level * (HEIGHT - middle - 3));
    }
  }
  for (const shot of video.shots) {
    const [left, right] = [at(shot.from), at(shot.to)];
    if (right < 0 || left > width) continue;
    if (shot.bad !== null) hatch(ink, left, right, colour('--bad'));
    if (shot.vetoed) {
      ink.fillStyle = colour('--veil');
      ink.fillRect(left, 0, right - left, HEIGHT);
    }
    ink.fillStyle = colour('--cut');
    if (shot.index > 0) ink.fillRect(Math.round(left), 0, 1, HEIGHT);
  }
  ink.beginPath();
  for (const { from, to, score } of video.shots) {
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
