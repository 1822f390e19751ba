/** `1:02.3`: minutes, seconds and tenths, for people. */
export function clock(seconds: number): string {
  const tenths = Math.round(seconds * 10);
  const [minutes, rest] = [Math.floor(tenths / 600), tenths % 600];
  return `${minutes}:${(rest / 10).toFixed(1).padStart(4, '0')}`;
}

/** `1 video`, `6 videos`. */
export function countOf(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

/** `about 40 s left`, `about 3 min left`. */
export function timeLeft(seconds: number | null): string {
  if (seconds === null) return '';
  return seconds < 90
    ? `about ${Math.max(1, Math.round(seconds))} s left`
    : `about ${Math.round(seconds / 60)} min left`;
}

/** `00:01:02:15`: hours, minutes, seconds and frames, as editing systems count. */
export function timecode(seconds: number, frameRate: number): string {
  const rate = Math.max(1, Math.round(frameRate));
  const whole = Math.floor(seconds + 0.5 / frameRate);
  const frames = Math.min(rate - 1, Math.max(0, Math.floor((seconds + 0.5 / frameRate - whole) * frameRate)));
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60, frames];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
