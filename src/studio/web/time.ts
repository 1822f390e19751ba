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
