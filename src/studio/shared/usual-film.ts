/** Default length of the film of a topic: a minute, as on the command line, but at most a quarter of the footage. */
export function usualFilm(footageSeconds: number): string {
  return `${Math.max(1, Math.min(60, Math.round(footageSeconds / 4)))}s`;
}
