/** Moves a strip so that one of its cells is in its middle; the page itself stays where it is. */
export function centreInStrip(cell: HTMLElement): void {
  const strip = cell.parentElement!;
  strip.scrollLeft = cell.offsetLeft - strip.offsetLeft - (strip.clientWidth - cell.offsetWidth) / 2;
}

/** Whether a cell can be seen whole in its strip. */
export function isInStrip(cell: HTMLElement): boolean {
  const [own, strip] = [cell.getBoundingClientRect(), cell.parentElement!.getBoundingClientRect()];
  return own.left >= strip.left && own.right <= strip.right;
}
