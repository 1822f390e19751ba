/** Orders texts by their code units, which is the same on every machine, unlike the order of a language. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
