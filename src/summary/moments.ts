/** A shot of a moment, as a place in the pool, and how alike it is to the first of them. */
type Member = { readonly place: number; readonly similarity: number };

/** Shots of different videos that show the same thing. */
export type SharedMoment = {
  /** First the shot that the others were compared with, then these, most similar first. */
  readonly members: readonly Member[];
  /** How many videos show it; two or more. */
  readonly videos: number;
};

/** What moments are found in: the video of each pooled shot, and how alike two of them are. */
export type Likeness = {
  readonly sources: readonly number[];
  /** Symmetric; shots show the same thing from `from` up. */
  similarity(a: number, b: number): number;
  readonly from: number;
};

/**
 * Groups shots into moments, each shot into one at most. The shot that most videos show (of several the one with the most
 * similarity in sum, then the first) and all that show the same as it are a moment; then again among the shots left, until
 * no shot is shown by another video. Groups have a middle, so that chains of similar shots do not become one moment.
 */
export function findMoments({ sources: given, similarity, from }: Likeness): SharedMoment[] {
  const ids = [...new Set(given)];
  const [sources, videoCount] = [given.map((source) => ids.indexOf(source)), ids.length];
  const near: Member[][] = given.map(() => []);
  for (let a = 0; a < near.length; a++) {
    for (let b = 0; b < a; b++) {
      const value = similarity(a, b);
      if (value < from) continue;
      near[a]!.push({ place: b, similarity: value });
      near[b]!.push({ place: a, similarity: value });
    }
  }
  // For each shot: how many shots of each video show the same, how many videos do, and the sum of their similarities.
  const counts = new Uint16Array(sources.length * videoCount);
  const [videos, sums] = [new Int32Array(sources.length), new Float64Array(sources.length)];
  const count = (place: number, source: number, by: 1 | -1): void => {
    const at = place * videoCount + source;
    const before = counts[at]!;
    counts[at] = before + by;
    if (before === 0) videos[place]!++;
    else if (before + by === 0) videos[place]!--;
  };
  near.forEach((list, place) => {
    count(place, sources[place]!, 1);
    for (const other of list) {
      count(place, sources[other.place]!, 1);
      sums[place]! += other.similarity;
    }
  });
  const left = new Set(sources.keys());
  const remove = (place: number): void => {
    left.delete(place);
    for (const other of near[place]!) {
      count(other.place, sources[place]!, -1);
      sums[other.place]! -= other.similarity;
    }
  };
  const moments: SharedMoment[] = [];
  for (;;) {
    let middle: number | null = null;
    for (const place of left) {
      const lead = middle === null ? 1 : videos[place]! - videos[middle]! || sums[place]! - sums[middle]!;
      if (lead > 0) middle = place;
    }
    if (middle === null || videos[middle]! < 2) return moments;
    const others = near[middle]!.filter(({ place }) => left.has(place));
    const members = others.toSorted((a, b) => b.similarity - a.similarity || a.place - b.place);
    moments.push({
      members: [{ place: middle, similarity: similarity(middle, middle) }, ...members],
      videos: videos[middle]!,
    });
    for (const { place } of moments.at(-1)!.members) remove(place);
  }
}
