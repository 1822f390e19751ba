import { mediaOf } from './api.js';

/** A stretch of an original, in seconds from its first frame. */
export type Stretch = { readonly video: string; readonly from: number; readonly to: number };

export type ReelState = {
  /** The stretch that plays, by index. */
  readonly at: number;
  /** Seconds of the film so far. */
  readonly seconds: number;
  readonly isPlaying: boolean;
  /** Seconds of the original that plays. */
  readonly time: number;
  /** Speed, negative for backwards. */
  readonly rate: number;
  /** A stretch the browser could not play, by index. */
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

/** A frame of the screen, and a little: a stretch ends before a screen could show a picture that is not its own. */
const SCREEN_S = 1 / 60 + 0.004;
/** Times of frames are rounded; a seek to a hair behind the first frame finds it, and not the one before. */
const HAIR_S = 0.001;

/** A player needs about this long to start; what it takes on this machine is learned, up to a limit. */
const [START_S, MAX_START_S] = [0.03, 0.15];

/**
 * Plays stretches one after the other with two players: while one plays, the other stands ready where the next stretch
 * begins. What the browser cannot play is passed over, and so is a video without a source; a film of one stretch waits for its
 * source: its caller opens it again when there is one.
 */
export function openReel(
  players: readonly [HTMLVideoElement, HTMLVideoElement],
  stretches: readonly Stretch[],
  onChange: (state: ReelState) => void,
  sourceOf: (video: string) => string | null = mediaOf,
): Reel {
  const starts: number[] = [0];
  for (const { from, to } of stretches) starts.push(starts.at(-1)! + to - from);
  const stop = new AbortController();
  let [active, at, ready, isPlaying, frame]: [0 | 1, number, number, boolean, number] = [0, 0, -1, false, 0];
  let unplayable: number | null = null;
  let [rate, lastFrame] = [1, 0];
  /** When the next player was started, unseen and unheard, to be there at the join; 0 if it was not. */
  let [startedAt, startSeconds] = [0, START_S];
  /** Where the shown player is going, until it is there. */
  let target: number | null = null;

  const shown = (): HTMLVideoElement => players[active];
  const spare = (): HTMLVideoElement => players[active === 0 ? 1 : 0];
  const time = (): number => target ?? shown().currentTime;
  const now = (): number => {
    const { from, to } = stretches[at]!;
    return starts[at]! + Math.min(to - from, Math.max(0, time() - from));
  };
  const emit = (): void =>
    onChange({ at, seconds: now(), time: time(), isPlaying, rate: isPlaying ? rate : 0, unplayable });
  const load = (player: HTMLVideoElement, { video, from }: Stretch, into = 0): void => {
    const source = sourceOf(video);
    if (source === null) {
      player.removeAttribute('src');
      return player.load();
    }
    const seek = (): void => void (player.currentTime = from + Math.max(HAIR_S, into));
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
        emit();
      });
  };
  const prepare = (): void => {
    ready = at + 1;
    startedAt = 0;
    const next = stretches[ready];
    if (next) load(spare(), next);
  };
  const goTo = (index: number, into = 0): void => {
    if (index === ready && into === 0) active = active === 0 ? 1 : 0;
    else {
      load(shown(), stretches[index]!, into);
      target = stretches[index]!.from + into;
    }
    at = index;
    spare().pause();
    shown().muted = false;
    players.forEach((player) => player.classList.toggle('spare', player !== shown()));
    if (isPlaying) play();
    prepare();
    if (isPlaying && isLost()) passOver();
    else emit();
  };
  /** What is shown cannot be played, or not yet. */
  const isLost = (): boolean => shown().error !== null || sourceOf(stretches[at]!.video) === null;
  const passOver = (): void => {
    unplayable = at;
    // A film of one stretch goes on waiting: a copy of it may be under way.
    if (stretches.length === 1) return emit();
    if (at + 1 === stretches.length) isPlaying = false;
    if (isPlaying) next();
    else emit();
  };
  /** Nothing is to be waited for: the next stretch is there, or cannot be played, or is not one. */
  const isReady = (): boolean => {
    const following = stretches[at + 1];
    if (!following || sourceOf(following.video) === null || spare().error !== null) return true;
    return !spare().seeking && spare().readyState > 1;
  };
  const next = (): void => {
    if (at + 1 < stretches.length) return goTo(at + 1);
    isPlaying = false;
    shown().pause();
    goTo(0);
  };
  const seek = (seconds: number): void => {
    const index = starts.findLastIndex((start) => start <= seconds);
    const inside = Math.min(Math.max(0, index), stretches.length - 1);
    if (stretches[inside]) goTo(inside, Math.max(HAIR_S, seconds - starts[inside]!));
  };
  /** Stands still; a player that was started for the join goes back to where it begins. */
  const pause = (): void => {
    shown().pause();
    spare().pause();
    if (startedAt > 0) prepare();
  };
  const startNext = (frameTime: number): void => {
    if (at + 1 >= stretches.length || !isReady() || spare().error !== null) return;
    startedAt = frameTime;
    spare().muted = true;
    spare().playbackRate = Math.max(0.25, rate);
    void spare().play().catch(() => undefined); // prettier-ignore
  };
  const learnStart = (frameTime: number): void => {
    const into = spare().currentTime - stretches[at + 1]!.from - HAIR_S;
    if (into <= HAIR_S) return;
    const took = (frameTime - startedAt) / 1000 - into / rate;
    startSeconds = Math.min(MAX_START_S, Math.max(START_S, (startSeconds + took) / 2));
    startedAt = Infinity;
  };
  const watch = (frameTime: number): void => {
    const player = shown();
    const passed = Math.min(0.2, (frameTime - lastFrame) / 1000);
    if (isPlaying && rate < 0 && !player.seeking) {
      // Browsers do not play backwards: seek instead, as fast as seeking is.
      lastFrame = frameTime;
      if (now() <= 0.01) isPlaying = false;
      else seek(Math.max(0, now() + rate * passed));
      emit();
    } else if (isPlaying && rate > 0 && !player.seeking && player.readyState > 1) {
      const left = (stretches[at]!.to - SCREEN_S - player.currentTime) / rate;
      if (left < startSeconds && startedAt === 0) startNext(frameTime);
      if (startedAt > 0 && startedAt < Infinity) learnStart(frameTime);
      if (!player.ended && left > 0) emit();
      else if (isReady()) next();
      // Rather a still picture than a black one.
      else player.pause();
    }
    if (rate > 0) lastFrame = frameTime;
    frame = requestAnimationFrame(watch);
  };
  for (const player of players) {
    const refuse = (): void => void (player === shown() && passOver());
    player.addEventListener('error', refuse, { signal: stop.signal });
    const arrive = (): void => {
      if (player !== shown()) return;
      target = null;
      emit();
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
      else pause();
      if (isPlaying && isLost()) passOver();
      else emit();
    },
    seek,
    seekIn(video, seconds) {
      const isThere = (stretch: Stretch): boolean =>
        stretch.video === video && seconds >= stretch.from - 0.001 && seconds <= stretch.to;
      const found = stretches.findIndex(isThere);
      if (found >= 0) goTo(found, Math.max(HAIR_S, seconds - stretches[found]!.from));
    },
    step(seconds) {
      isPlaying = false;
      pause();
      seek(Math.min(starts.at(-1)! - 0.01, Math.max(0, now() + seconds)));
    },
    rate: () => (isPlaying ? rate : 0),
    shuttle(wanted) {
      isPlaying = wanted !== 0;
      rate = wanted === 0 ? 1 : wanted;
      if (isPlaying) play();
      else pause();
      emit();
    },
    close() {
      stop.abort();
      cancelAnimationFrame(frame);
      for (const player of players) player.pause();
    },
  };
}
