import { mediaOf } from './api.js';

/** A stretch of an original, in seconds from its first frame. */
export type Stretch = { readonly video: string; readonly from: number; readonly to: number };

export type ReelState = {
  /** The stretch that plays, by place. */
  readonly at: number;
  /** Seconds of the film so far. */
  readonly seconds: number;
  readonly isPlaying: boolean;
  /** Seconds of the original that plays. */
  readonly time: number;
  /** Speed, negative for backwards. */
  readonly rate: number;
  /** A stretch the browser could not play, by place. */
  readonly unplayable: number | null;
};

/** Stretches of several originals played as one film. Must be closed. */
export type Reel = {
  toggle(): void;
  seek(seconds: number): void;
  /** Goes to a moment of an original, if it plays one of its stretches. */
  seekIn(video: string, seconds: number): void;
  /** Moves by some seconds, and pauses. */
  step(seconds: number): void;
  /** Plays at this speed, backwards if it is negative; 0 pauses. */
  shuttle(rate: number): void;
  /** The rate it plays at; 0 while it stands still. */
  rate(): number;
  close(): void;
};

/**
 * Plays stretches one after the other with two players: while one plays, the other stands ready where the next stretch
 * begins. What the browser cannot play is passed over.
 */
export function openReel(
  players: readonly [HTMLVideoElement, HTMLVideoElement],
  stretches: readonly Stretch[],
  onChange: (state: ReelState) => void,
  sourceOf: (video: string) => string = mediaOf,
): Reel {
  const starts: number[] = [0];
  for (const { from, to } of stretches) starts.push(starts.at(-1)! + to - from);
  const stop = new AbortController();
  let [active, at, ready, isPlaying, frame]: [0 | 1, number, number, boolean, number] = [0, 0, -1, false, 0];
  let unplayable: number | null = null;
  let [rate, lastFrame] = [1, 0];
  /** Where the shown player is going, until it is there. */
  let target: number | null = null;

  const shown = (): HTMLVideoElement => players[active];
  const spare = (): HTMLVideoElement => players[active === 0 ? 1 : 0];
  const time = (): number => target ?? shown().currentTime;
  const now = (): number => {
    const { from, to } = stretches[at]!;
    return starts[at]! + Math.min(to - from, Math.max(0, time() - from));
  };
  const tell = (): void =>
    onChange({ at, seconds: now(), time: time(), isPlaying, rate: isPlaying ? rate : 0, unplayable });
  const load = (player: HTMLVideoElement, { video, from }: Stretch, into = 0): void => {
    const source = sourceOf(video);
    const seek = (): void => void (player.currentTime = from + into);
    if (player.getAttribute('src') !== source) player.src = source;
    if (player.readyState > 0) seek();
    else player.addEventListener('loadedmetadata', seek, { once: true, signal: stop.signal });
  };
  const play = (): void => {
    shown().playbackRate = Math.max(0.25, rate);
    if (rate < 0) return shown().pause();
    void shown()
      .play()
      .catch((error: DOMException) => {
        // A page that was not touched yet may not make sounds: it waits for "Play".
        if (error.name !== 'NotAllowedError') return;
        isPlaying = false;
        tell();
      });
  };
  const prepare = (): void => {
    ready = at + 1;
    const next = stretches[ready];
    if (next) load(spare(), next);
  };
  const goTo = (place: number, into = 0): void => {
    if (place === ready && into === 0) active = active === 0 ? 1 : 0;
    else {
      load(shown(), stretches[place]!, into);
      target = stretches[place]!.from + into;
    }
    at = place;
    spare().pause();
    players.forEach((player) => player.classList.toggle('spare', player !== shown()));
    if (isPlaying) play();
    prepare();
    tell();
  };
  const next = (): void => {
    if (at + 1 < stretches.length) return goTo(at + 1);
    isPlaying = false;
    shown().pause();
    goTo(0);
  };
  const seek = (seconds: number): void => {
    const place = starts.findLastIndex((start) => start <= seconds);
    const inside = Math.min(Math.max(0, place), stretches.length - 1);
    if (stretches[inside]) goTo(inside, Math.max(0.001, seconds - starts[inside]!));
  };
  const watch = (frameTime: number): void => {
    const player = shown();
    const passed = Math.min(0.2, (frameTime - lastFrame) / 1000);
    if (isPlaying && rate < 0 && !player.seeking) {
      // Browsers do not play backwards: seek instead, as fast as seeking is.
      lastFrame = frameTime;
      if (now() <= 0.01) isPlaying = false;
      else seek(Math.max(0, now() + rate * passed));
      tell();
    } else if (isPlaying && rate > 0 && !player.seeking && player.readyState > 1) {
      if (player.ended || player.currentTime >= stretches[at]!.to - 0.01) next();
      else tell();
    }
    if (rate > 0) lastFrame = frameTime;
    frame = requestAnimationFrame(watch);
  };
  for (const player of players) {
    const refuse = (): void => {
      if (player !== shown()) return;
      unplayable = at;
      const isLast = at + 1 >= stretches.length;
      if (isLast) isPlaying = false;
      if (isPlaying) next();
      else tell();
    };
    player.addEventListener('error', refuse, { signal: stop.signal });
    const arrive = (): void => {
      if (player !== shown()) return;
      target = null;
      tell();
    };
    player.addEventListener('seeked', arrive, { signal: stop.signal });
  }
  if (stretches.length > 0) {
    goTo(0);
    frame = requestAnimationFrame(watch);
  }
  return {
    toggle() {
      if (!isPlaying) rate = 1;
      isPlaying = !isPlaying;
      if (isPlaying) play();
      else shown().pause();
      if (isPlaying && shown().error) next();
      else tell();
    },
    seek,
    seekIn(video, seconds) {
      const isThere = (stretch: Stretch): boolean =>
        stretch.video === video && seconds >= stretch.from - 0.001 && seconds <= stretch.to;
      const found = stretches.findIndex(isThere);
      if (found >= 0) goTo(found, Math.max(0.001, seconds - stretches[found]!.from));
    },
    step(seconds) {
      isPlaying = false;
      shown().pause();
      seek(Math.min(starts.at(-1)! - 0.01, Math.max(0, now() + seconds)));
    },
    rate: () => (isPlaying ? rate : 0),
    shuttle(wanted) {
      isPlaying = wanted !== 0;
      rate = wanted === 0 ? 1 : wanted;
      if (isPlaying) play();
      else shown().pause();
      tell();
    },
    close() {
      stop.abort();
      cancelAnimationFrame(frame);
      for (const player of players) player.pause();
    },
  };
}
