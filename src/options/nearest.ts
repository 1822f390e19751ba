/** A question after a sentence about a wrong word: the word that was probably meant; empty if there is none. */
export function didYouMean(typed: string, words: readonly string[]): string {
  const meant = nearest(typed, words);
  return meant === null ? '' : ` Did you mean ${meant}?`;
}

/** The word that was probably meant: the nearest one, if at most a third of its letters differ. */
export function nearest(typed: string, words: readonly string[]): string | null {
  const ranked = words
    .map((word) => ({ word, away: distanceOf(typed.toLowerCase(), word) }))
    .filter(({ word, away }) => 3 * away <= Math.max(typed.length, word.length))
    .sort((a, b) => a.away - b.away);
  return ranked[0]?.word ?? null;
}

/** The Levenshtein distance: letters to insert, delete or replace. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}
