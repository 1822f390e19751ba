import type { SummaryDocument } from '../../summary/index.js';

/** Names with another meaning in a cut list: auxiliary, black, colour bars. */
const RESERVED = new Set(['AX', 'BL', 'BARS', 'NONE']);
const LONGEST = 8;

/** A reel name for each video: at most 8 capital letters, digits and underscores, made from the file name, unique. */
export function reelsOf({ videos }: Pick<SummaryDocument, 'videos'>): Map<string, string> {
  const taken = new Set(RESERVED);
  // Where to continue counting for names that begin alike. Counting from 2 each time would take quadratic time.
  const counts = new Map<string, number>();
  return new Map(
    videos.map(({ id, path }) => {
      const name = plain(path.replace(/^.*[\\/]/s, '').replace(/(?<=.)\.[^.]*$/s, '')) || 'CLIP';
      const wanted = name.slice(0, LONGEST);
      let [reel, count] = [wanted, counts.get(wanted) ?? 2];
      for (; taken.has(reel); count++) reel = `${name.slice(0, LONGEST - String(count).length)}${count}`;
      taken.add(reel);
      counts.set(wanted, count);
      return [id, reel];
    }),
  );
}

/** Drops accents and characters outside ASCII, and turns everything but letters and digits into underscores. */
function plain(name: string): string {
  const letters = name
    .normalize('NFKD')
    .replace(/[^\x20-\x7e]/g, '')
    .toUpperCase();
  return letters.replace(/[^A-Z0-9]+/g, '_').replace(/^_+|_+$/g, '');
}
