/** Steps of the golden angle: neighbours differ, however many there are. */
const HUES = 137.508;

/** The colour of a video, by its place in the topic. */
export function colourOf(index: number): string {
  return `hsl(${(index * HUES) % 360} 65% 58%)`;
}
