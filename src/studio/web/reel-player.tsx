import { useEffect, useRef, useState } from 'preact/hooks';

import { openReel, type Reel, type ReelState, type Stretch } from './reel.js';
import { clock } from './time.js';

/** Whoever opens a film wants to see it. */
const BEGINNING: ReelState = { at: 0, seconds: 0, isPlaying: true, unplayable: null };

/** A film of several originals, played by seeking in them; `onPlace` hears which stretch plays. */
export function ReelPlayer({
  stretches,
  onPlace,
  nameOf,
}: {
  readonly stretches: readonly Stretch[];
  readonly onPlace: (at: number) => void;
  readonly nameOf: (video: string) => string;
}) {
  const [first, second] = [useRef<HTMLVideoElement>(null), useRef<HTMLVideoElement>(null)];
  const reel = useRef<Reel | null>(null);
  const [state, setState] = useState(BEGINNING);
  const total = stretches.reduce((sum, { from, to }) => sum + to - from, 0);
  useEffect(() => {
    if (!first.current || !second.current) return;
    const opened = openReel([first.current, second.current], stretches, (now) => {
      setState(now);
      onPlace(now.at);
    });
    // Another cut of the film goes on from where the last one was.
    if (state.seconds > 0) opened.seek(Math.min(state.seconds, total));
    if (state.isPlaying) opened.toggle();
    reel.current = opened;
    return () => opened.close();
  }, [JSON.stringify(stretches)]);
  const unplayable = state.unplayable === null ? null : stretches[state.unplayable];
  return (
    <div class="reel">
      <div class="screen">
        <video ref={first} playsInline preload="auto" tabIndex={-1} />
        <video ref={second} playsInline preload="auto" tabIndex={-1} class="spare" />
      </div>
      <div class="transport">
        <button id="play" onClick={() => reel.current?.toggle()}>
          {state.isPlaying ? 'Pause' : 'Play'}
        </button>
        <input
          type="range"
          aria-label="Position in the film"
          aria-valuetext={`${clock(state.seconds)} of ${clock(total)}`}
          min={0}
          max={total}
          step={0.1}
          value={state.seconds}
          onInput={(event) => reel.current?.seek(Number(event.currentTarget.value))}
        />
        <span class="number">
          {clock(state.seconds)} / {clock(total)}
        </span>
      </div>
      {unplayable && (
        <p role="status">
          This browser cannot play {nameOf(unplayable.video)}, so it was skipped. The rendered film includes it.
        </p>
      )}
    </div>
  );
}
