/** How many shots are scored. */
const PLACES = 5;

/**
 * The TVSum top-5 mAP of highlight detection, for one annotator, as the scorers of MINI-Net and UMT compute it and
 * later work took over. `liked` comes from `aboveMedian`. Recall counts against the hits inside the first five:
 *
 *   AP = Σ_i (R_i − R_i₋₁) · (P_i + P_i₋₁)/2,   P_i = hits(i)/i,  R_i = hits(i)/hits(5),  R_0 = 0, P_0 = 1
 */
export function highlightTop5(order: readonly number[], liked: ReadonlySet<number>): number {
  const places = order.slice(0, PLACES).map((shot) => liked.has(shot));
  const found = places.filter(Boolean).length;
  let [hits, precision, sum] = [0, 1, 0];
  places.forEach((hit, place) => {
    if (hit) hits++;
    const next = hits / (place + 1);
    if (hit) sum += (next + precision) / 2;
    precision = next;
  });
  return found === 0 ? 0 : sum / found;
}

/** The shots marked strictly above the median; of an even number of marks the median is the lower middle one. */
export function aboveMedian(marks: Float64Array): ReadonlySet<number> {
  const median = marks.toSorted()[(marks.length - 1) >> 1];
  const liked = new Set<number>();
  if (median !== undefined) marks.forEach((mark, shot) => mark > median && liked.add(shot));
  return liked;
}
