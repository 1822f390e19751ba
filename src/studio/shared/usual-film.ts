/** How long the film of a topic is until somebody says otherwise: a minute, as the command line has it, or a quarter of what there is. */
export function usualFilm(footageSeconds: number): string {
  return `${Math.max(1, Math.min(60, Math.round(footageSeconds / 4)))}s`;
}
