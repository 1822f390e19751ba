import { signal } from '@preact/signals';

import type { Video } from '../contract.js';
import { player } from './reel-player.js';
import { listed } from './listed.js';
import { edit, isIdle, isReadOnly, look, openClip, selectedShot, playing, redo, shotAt, tab, TOPIC, undo, videoById, wish, type ShotRef } from './state.js'; // prettier-ignore
import { cursor, filmAt, filmShots, goToInFilm, moveEdge, moveInFilm, removeFromFilm, ripple, trim, trimInFilm, zoomBy, zoomToFilm } from './timeline.js'; // prettier-ignore

/** The sheet of keys is open. */
export const isSheetOpen = signal(false);

/** Every key, for the sheet. */
export const KEYS: readonly (readonly [string, string])[] = [
  ['Space', 'play or pause'],
  ['J K L', 'backwards, pause, forwards; again for faster'],
  [', .', 'one frame back or forth; with Shift, one second'],
  ['I O', 'set the in or out point of the clip at the playhead'],
  ['[ ]', 'move the in point by one frame; with Shift, the out point'],
  ['← → ↑ ↓', 'from shot to shot, from clip to clip; in the film, from cut to cut'],
  ['Shift ← →', 'from chosen shot to chosen shot'],
  ['P V', 'pin or veto the shot; again to take it back'],
  ['Alt ← →', 'move a shot within the film'],
  ['Delete', 'remove the shot from the film, or the stretch at the playhead from its summary'],
  ['B', 'split the clip at the playhead'],
  ['R', 'ripple on or off'],
  ['M', 'comment at the playhead'],
  ['+ − 0 F', 'zoom in, zoom out, show all, fit the film'],
  ['/', 'search clips'],
  ['Ctrl Z', 'undo; with Shift, redo'],
  ['Esc', 'close'],
  ['?', 'this sheet'],
];

/** Fields in which keys mean letters. */
const TEXT = 'input:not([type="range"], [type="checkbox"], [type="radio"]), textarea';

/** Everything can be done from the keyboard; fields that take text keep their keys. */
export function onKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (target.matches(TEXT)) return;
  const key = event.key.toLowerCase();
  if ((event.ctrlKey || event.metaKey) && (key === 'z' || key === 'y')) {
    event.preventDefault();
    void (event.shiftKey || key === 'y' ? redo() : undo());
    return;
  }
  // No shots are shown there, and what cannot be seen should not change.
  if (tab.value === 'rate' || tab.value === 'export') return;
  if (event.ctrlKey || event.metaKey) return;
  if (event.altKey) {
    const step = { arrowleft: -1, arrowright: 1 }[key];
    if (step === undefined || filmAt.value < 0 || isReadOnly) return;
    event.preventDefault();
    return void moveInFilm(filmAt.value, filmAt.value + step);
  }
  if (key === '?') isSheetOpen.value = !isSheetOpen.value;
  else if (isOfControl(event, target)) return;
  else if (!act(key, event)) return;
  event.preventDefault();
  // Some browsers press a button when Space is released.
  if (key === ' ') document.addEventListener('keyup', (up) => up.preventDefault(), { once: true, capture: true });
}

/** What has the focus because it was clicked; `:focus-visible` does not tell, once any key was pressed. */
let clicked: Element | null = null;
document.addEventListener('pointerdown', ({ target }) => (clicked = (target as Element).closest('button, summary, a')), true); // prettier-ignore
document.addEventListener('focusin', ({ target }) => (clicked = target === clicked ? clicked : null));

const SLIDER_KEYS = /^(Arrow.*|Home|End|Page.*)$/;

/** Whether a key belongs to the control that has the focus; all others are the player's and the timeline's. */
function isOfControl({ key }: KeyboardEvent, target: HTMLElement): boolean {
  if (target.matches('select')) return true;
  if (target.matches('input[type="range"]')) return SLIDER_KEYS.test(key);
  if (target.matches('input')) return key === ' ';
  // A button that was clicked still has the focus, but whoever presses Space then wants to play, not to click it again. One
  // that was reached by keyboard is pressed; shots have Enter for that.
  const isButton = target.matches('button, summary, a') && !target.matches('.shot button, .block');
  return key === ' ' && isButton && (target !== clicked || player.value === null);
}

/** Does what a key means; `false` if it means nothing. */
function act(key: string, { shiftKey }: KeyboardEvent): boolean {
  const inFilm = playing.value === TOPIC ? filmShots.value[filmAt.value] : undefined;
  const found = shotAt(inFilm ?? selectedShot.value);
  const reel = player.value;
  const step = shiftKey ? 1 : (reel?.frame ?? 0.04);
  if (key === 'p' && found) void wish('pin', found);
  else if (key === 'v' && found) void wish('veto', found);
  else if (key === 'escape') close();
  else if (key === ' ') reel?.toggle();
  else if (key === 'l') reel?.shuttle(Math.min(8, reel.rate() > 0 ? 2 * reel.rate() : 1));
  else if (key === 'j') reel?.shuttle(Math.max(-8, reel.rate() < 0 ? 2 * reel.rate() : -1));
  else if (key === 'k') reel?.shuttle(0);
  else if (key === ',' || key === '<') reel?.step(-step);
  else if (key === '.' || key === '>') reel?.step(step);
  else if (key === 'i' || key === 'o') setPoint(key === 'i' ? 'from' : 'to');
  else if (key === '[' || key === ']') nudge('from', key === '[' ? -1 : 1);
  else if (key === '{' || key === '}') nudge('to', key === '{' ? -1 : 1);
  else if (key === '+' || key === '=') zoomBy(2);
  else if (key === '-') zoomBy(0.5);
  else if (key === '0') zoomBy(0);
  else if (key === 'f') zoomToFilm();
  else if (key === 'r') ripple.value = !ripple.value;
  else if (key === 'm') document.querySelector<HTMLTextAreaElement>('.comments textarea')?.focus();
  else if (key === 'b') split();
  else if (key === 'delete' || key === 'backspace') remove();
  else if (key === '/') document.querySelector<HTMLInputElement>('input[type="search"]')?.focus();
  else if (shiftKey && (key === 'arrowleft' || key === 'arrowright')) goTo(nextChosen(key));
  else if (playing.value === TOPIC && key.startsWith('arrow')) seekShot(/left|up/.test(key) ? -1 : 1);
  else if (key.startsWith('arrow')) goTo(neighbour(key));
  else return false;
  return true;
}

function close(): void {
  if (isSheetOpen.value) isSheetOpen.value = false;
  else if (playing.value !== null) {
    player.value?.shuttle(0);
    playing.value = null;
  } else if (openClip.value !== null) openClip.value = null;
  else selectedShot.value = null;
}

/** The video at the playhead, and what its summary plays there or nearest to it. */
function atPlayhead() {
  const at = cursor.value;
  const video = at && videoById.value.get(at.video);
  if (!at || !video || isIdle.value) return null;
  const played = video.clips.find(({ from, to }) => at.seconds >= from - 0.001 && at.seconds <= to + 0.001) ?? null;
  return { video, played, seconds: at.seconds, frame: 1 / video.frameRate };
}

/** The stretch that plays, as the server knows it: shots are counted from 1. */
const playedOf = ({ from, to, shots }: Video['clips'][number]) => ({ from, to, shots: shots.map((shot) => shot + 1) });

function split(): void {
  const at = atPlayhead();
  if (playing.value === TOPIC || !at?.played) return;
  const { video, played, seconds, frame } = at;
  const cut = Math.round(seconds / frame) * frame;
  if (cut > played.from && cut < played.to)
    void edit({ do: 'split', video: video.name, at: cut, was: playedOf(played) });
}

function remove(): void {
  const at = atPlayhead();
  if (playing.value !== null && playing.value !== TOPIC) return;
  if (filmAt.value >= 0) void removeFromFilm(filmAt.value);
  else if (at?.played) void edit({ do: 'remove', video: at.video.name, was: playedOf(at.played) });
}

/** Sets the in or out point at the playhead; where nothing plays, a new stretch of the shot there begins or ends. */
function setPoint(edge: 'from' | 'to'): void {
  const at = atPlayhead();
  if (!at) return;
  if (playing.value === TOPIC) return trimPlaying(edge, edge === 'from' ? at.seconds : at.seconds + at.frame);
  const { video, played, seconds, frame } = at;
  const shot = video.shots.find(({ from, to }) => seconds >= from && seconds < to);
  const span = played ?? shot;
  if (!span) return;
  // The frame at the playhead is the first, or the last, that plays.
  void trim(video, played, edge === 'from' ? { from: seconds, to: span.to } : { from: span.from, to: seconds + frame });
}

/** Trims the shot of the film that plays. */
function trimPlaying(edge: 'from' | 'to', seconds: number): void {
  const shot = filmShots.value[filmAt.value];
  const video = shot && videoById.value.get(shot.video);
  if (video) void trimInFilm(filmAt.value, moveEdge(video, shot, edge, seconds));
}

function nudge(edge: 'from' | 'to', frames: number): void {
  const at = atPlayhead();
  if (at && playing.value === TOPIC) {
    const shot = filmShots.value[filmAt.value];
    return shot && trimPlaying(edge, shot[edge] + frames * at.frame);
  }
  if (!at?.played) return;
  const { video, played, frame } = at;
  const moved = played[edge] + frames * frame;
  void trim(video, played, edge === 'from' ? { from: moved, to: played.to } : { from: played.from, to: moved });
}

/** Goes to the beginning of the next shot of the film that plays, or of the one before. */
function seekShot(step: number): void {
  const next = filmShots.value[filmAt.value + step];
  if (next) goToInFilm(next.start);
}

function goTo(next: ShotRef | null): void {
  if (!next) return;
  look(next);
  // The shot moves into view by itself.
  document.getElementById(`shot-${next.video}-${next.shot}`)?.focus({ preventScroll: true });
}

/** The videos as they are listed, those without shots left out. */
const rows = () => listed.value.flatMap(({ id }) => videoById.value.get(id) ?? []);

/** The shot beside the one being looked at, in its video or in the next; the very first where there is none. */
function neighbour(key: string): ShotRef | null {
  const step = { arrowleft: [0, -1], arrowright: [0, 1], arrowup: [-1, 0], arrowdown: [1, 0] }[key];
  if (!step) return null;
  const videos = rows();
  const row = videos.findIndex(({ id }) => id === selectedShot.value?.video);
  const isNowhere = selectedShot.value === null || row < 0;
  const video = videos[isNowhere ? 0 : Math.min(videos.length - 1, Math.max(0, row + step[0]!))];
  if (!video) return null;
  const shot = isNowhere ? 0 : selectedShot.value!.shot + step[1]!;
  return { video: video.id, shot: Math.min(video.shots.length - 1, Math.max(0, shot)) };
}

/** The next chosen shot of the topic, or the one before, video after video. */
function nextChosen(key: 'arrowleft' | 'arrowright'): ShotRef | null {
  const order = rows().flatMap(({ id, shots }) => shots.map((shot) => ({ ...shot, video: id })));
  const here = order.findIndex(
    ({ video, index }) => video === selectedShot.value?.video && index === selectedShot.value.shot,
  );
  const ahead = key === 'arrowright' ? order.slice(here + 1) : order.slice(0, here < 0 ? undefined : here).reverse();
  const found = ahead.find(({ chosen }) => chosen);
  return found ? { video: found.video, shot: found.index } : null;
}
