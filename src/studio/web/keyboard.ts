import { place, playing, redo, shotAt, undo, videos, wish } from './state.js';

/** Everything can be done from the keyboard; fields that take text keep their keys. */
export function onKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (target.matches('input, select, textarea, video')) return;
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
  else if (key.startsWith('arrow')) move(key);
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

function move(key: string): void {
  const row = Math.max(
    0,
    videos.value.findIndex(({ id }) => id === place.value?.video),
  );
  const step = { arrowleft: [0, -1], arrowright: [0, 1], arrowup: [-1, 0], arrowdown: [1, 0] }[key];
  if (!step) return;
  const video = videos.value[Math.min(videos.value.length - 1, Math.max(0, row + step[0]!))];
  if (!video) return;
  const shot = place.value === null ? 0 : place.value.shot + step[1]!;
  const next = Math.min(video.shots.length - 1, Math.max(0, shot));
  place.value = { video: video.id, shot: next };
  document.getElementById(`shot-${video.id}-${next}`)?.focus();
}
