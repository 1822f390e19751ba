import { effect, signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';

import { ask, mediaOf, pictureOf } from './api.js';
import { openReel, type Reel, type ReelState, type Stretch } from './reel.js';
import { clips, isIdle, playing, TOPIC, videoById } from './state.js';
import { clock, timecode } from './time.js';
import { cursor, follow, seekRequest } from './timeline.js';

/** Whoever opens a film wants to see it. */
const BEGINNING: ReelState = { at: 0, seconds: 0, time: 0, isPlaying: true, rate: 1, unplayable: null };
/** Frames per second where nothing is known. */
const USUAL_RATE = 25;

/** The player on the page, for its keys. */
export const player = signal<(Reel & { readonly frame: number }) | null>(null);

/** The same for whatever plays, and the next time. */
const volume = signal(Number(localStorage.getItem('volume') ?? 1));
effect(() => localStorage.setItem('volume', String(volume.value)));
const isMuted = signal(false);

const named = (name: string) => ({ 'aria-label': name, title: name });

function Icon({ path }: { readonly path: string }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

/** The one player: stretches of originals, or of their proxies, played as one film. `onPlace` hears which stretch plays. */
export function ReelPlayer({
  stretches,
  onPlace,
  onPlay,
  waits = false,
  nameOf,
}: {
  readonly stretches: readonly Stretch[];
  readonly onPlace?: (at: number) => void;
  /** Called when it begins to play. */
  readonly onPlay?: () => void;
  /** Opens without playing. */
  readonly waits?: boolean;
  readonly nameOf: (video: string) => string;
}) {
  const [first, second, box] = [useRef<HTMLVideoElement>(null), useRef<HTMLVideoElement>(null), useRef<HTMLDivElement>(null)]; // prettier-ignore
  const reel = useRef<Reel | null>(null);
  const wasPlaying = useRef(false);
  const shown = useRef(BEGINNING);
  // A click on a lane asks for a moment, not for a film.
  const [state, setState] = useState({ ...BEGINNING, isPlaying: !waits && seekRequest.value === null });
  const total = stretches.reduce((sum, { from, to }) => sum + to - from, 0);
  const playbackOf = (video: string) => clips.value.find(({ id }) => id === video)?.playback;
  const sources = [...new Set(stretches.map(({ video }) => video))].map((video) => mediaOf(video, playbackOf(video)));
  const now = stretches[Math.min(state.at, stretches.length - 1)];
  const frameRate = (now && videoById.value.get(now.video)?.frameRate) ?? USUAL_RATE;
  useEffect(() => {
    if (!first.current || !second.current) return;
    const opened = openReel(
      [first.current, second.current],
      stretches,
      (next) => {
        const stretch = stretches[next.at];
        const place = ({ seconds, time }: ReelState): number =>
          playing.value === TOPIC || isIdle.value ? seconds : time;
        follow(place(shown.current), place(next));
        shown.current = next;
        setState(next);
        onPlace?.(next.at);
        if (next.isPlaying && !wasPlaying.current) onPlay?.();
        wasPlaying.current = next.isPlaying;
        if (stretch) cursor.value = { video: stretch.video, seconds: next.time };
      },
      (video) => mediaOf(video, playbackOf(video)),
    );
    // Another cut of the film goes on from where the last one was.
    if (state.seconds > 0) opened.seek(Math.min(state.seconds, total));
    if (state.isPlaying) opened.toggle();
    reel.current = opened;
    return () => opened.close();
  }, [JSON.stringify([stretches, sources])]);
  const asked = seekRequest.value;
  useEffect(() => {
    if (!asked) return;
    if (asked.video === TOPIC) reel.current?.seek(Math.min(asked.seconds, total - 0.001));
    else reel.current?.seekIn(asked.video, asked.seconds);
    seekRequest.value = null;
  }, [asked]);
  useEffect(() => {
    const opened = reel.current;
    player.value = opened && { ...opened, frame: 1 / frameRate };
    return () => (player.value = null);
  }, [reel.current, frameRate]);
  useEffect(() => {
    for (const each of [first.current, second.current]) if (each) each.volume = isMuted.value ? 0 : volume.value;
  }, [volume.value, isMuted.value]);
  // Until the browser has read enough to show a frame.
  const shot = now && videoById.value.get(now.video)?.shots.find(({ to }) => to > Math.max(now.from, state.time));
  const poster = now && shot ? pictureOf(now.video, shot.index) : undefined;
  const failed = state.unplayable === null ? undefined : stretches[state.unplayable]?.video;
  // The browser knows best what it can play.
  const isRefused = failed !== undefined && playbackOf(failed) === 'original';
  useEffect(() => {
    if (isRefused) ask('requestProxy', { parameters: { clip: failed } }).catch(() => undefined);
  }, [failed, isRefused]);
  const waiting = clips.value.find(({ id, playback }) => id === now?.video && ['making', 'none'].includes(playback));
  return (
    <div class="reel" ref={box}>
      <div class="screen" onDblClick={() => void box.current?.requestFullscreen?.()}>
        <video ref={first} poster={poster} playsInline preload="auto" tabIndex={-1} />
        <video ref={second} poster={poster} playsInline preload="auto" tabIndex={-1} class="spare" />
        {waiting && (
          <div class="unshown" role="status">
            {waiting.playback === 'making' ? (
              <>
                <p>Browsers cannot play {waiting.name}. A copy that they can play is being made.</p>
                <progress max={1} value={waiting.made} aria-label={`Copy of ${waiting.name}`} />
              </>
            ) : (
              <p>{waiting.problem ?? `${waiting.name} cannot be shown.`}</p>
            )}
          </div>
        )}
      </div>
      <div class="transport">
        <input
          type="range"
          class="position"
          aria-label="Position in the film"
          aria-valuetext={`${clock(state.seconds)} of ${clock(total)}`}
          min={0}
          max={total}
          step={1 / frameRate}
          value={state.seconds}
          onInput={(event) => reel.current?.seek(Number(event.currentTarget.value))}
        />
        <button id="play" {...named(state.isPlaying ? 'Pause' : 'Play')} onClick={() => reel.current?.toggle()}>
          <Icon path={state.isPlaying ? 'M5 3v10M11 3v10' : 'M4 2l9 6-9 6z'} />
        </button>
        <span class="number">
          {clock(state.seconds)} / {clock(total)}
        </span>
        <span class="timecode" title="Time in the original: hours, minutes, seconds, frames">
          {timecode(state.time, frameRate)}
        </span>
        <span class="speed">{state.rate !== 0 && state.rate !== 1 ? `${state.rate}×` : ''}</span>
        <button
          class="mute"
          {...named('Mute')}
          aria-pressed={isMuted.value}
          onClick={() => (isMuted.value = !isMuted.value)}
        >
          <Icon path={`M2 6h3l4-4v12l-4-4H2z${isMuted.value ? 'M11 6l4 4M15 6l-4 4' : 'M11 5q3 3 0 6'}`} />
        </button>
        <input
          type="range"
          class="volume"
          aria-label="Volume"
          min={0}
          max={1}
          step={0.05}
          value={volume.value}
          onInput={(event) => (volume.value = Number(event.currentTarget.value))}
        />
        <button {...named('Full screen')} onClick={() => void box.current?.requestFullscreen?.()}>
          <Icon path="M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4" />
        </button>
      </div>
      {isRefused && !waiting && (
        <p role="status">
          This browser cannot play {nameOf(failed)}, so it was skipped. The rendered film includes it.
        </p>
      )}
    </div>
  );
}
