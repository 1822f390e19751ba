import { place, playing, redo, shotAt, tab, undo, videos, wish, type Place } from './state.js';

/** Everything can be done from the keyboard; fields that take text keep their keys. */
export function onKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (target.matches('input, select, textarea, video')) return;
  // No shots are shown there, and what cannot be seen should not change.
  if (tab.value === 'rate' || tab.value === 'export') return;
  const key = event.key.toLowerCase();
  if ((event.ctrlKey || event.metaKey) && key === 'z') {
    event.preventDefault();
    void (event.shiftKey ? redo() : undo());
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const found = shotAt(place.value);
  if (key === 'p' && found) void wish('pin', found);
  else if (key === 'v' && found) void wish('veto', found);
  else if (key === 'escape') {
    if (playing.value !== null) playing.value = null;
    else place.value = null;
  } else if (key === ' ' && !target.matches('button:not(.shot button), a')) togglePlayer();
  else if (event.shiftKey && (key === 'arrowleft' || key === 'arrowright')) goTo(nextChosen(key));
  else if (key.startsWith('arrow')) goTo(neighbour(key));
  else return;
  event.preventDefault();
}

function togglePlayer(): void {
  const reel = document.getElementById('play');
  if (reel) return reel.click();
  const player = document.getElementById('player') as HTMLVideoElement | null;
  if (player?.paused) void player.play();
  else player?.pause();
}

function goTo(next: Place | null): void {
  if (!next) return;
  place.value = next;
  // The shot moves into view by itself.
  document.getElementById(`shot-${next.video}-${next.shot}`)?.focus({ preventScroll: true });
}

/** The shot beside the one being looked at, in its video or in the next; the very first where there is none. */
function neighbour(key: string): Place | null {
  const step = { arrowleft: [0, -1], arrowright: [0, 1], arrowup: [-1, 0], arrowdown: [1, 0] }[key];
  if (!step) return null;
  const row = videos.value.findIndex(({ id }) => id === place.value?.video);
  const isNowhere = place.value === null || row < 0;
  const video = videos.value[isNowhere ? 0 : Math.min(videos.value.length - 1, Math.max(0, row + step[0]!))];
  if (!video) return null;
  const shot = isNowhere ? 0 : place.value!.shot + step[1]!;
  return { video: video.id, shot: Math.min(video.shots.length - 1, Math.max(0, shot)) };
}

/** The next chosen shot of the topic, or the one before, video after video. */
function nextChosen(key: 'arrowleft' | 'arrowright'): Place | null {
  const order = videos.value.flatMap(({ id, shots }) => shots.map((shot) => ({ ...shot, video: id })));
  const here = order.findIndex(({ video, index }) => video === place.value?.video && index === place.value.shot);
  const ahead = key === 'arrowright' ? order.slice(here + 1) : order.slice(0, here < 0 ? undefined : here).reverse();
  const found = ahead.find(({ chosen }) => chosen);
  return found ? { video: found.video, shot: found.index } : null;
}
