/** How far a pointer must go before a press becomes a drag. */
const DRAG_PX = 5;

/**
 * Follows the pointer from a press until it is released; Escape cancels. `move` hears of it once it has gone far enough to be a
 * drag, and `end` whether the drag is kept. A release that ends a drag is no click.
 */
export function followPointer(
  press: PointerEvent,
  { move, end, from = DRAG_PX }: { move(event: PointerEvent): void; end(isKept: boolean): void; from?: number },
): void {
  const stop = new AbortController();
  const { signal } = stop;
  let isDrag = false;
  const finish = (isKept: boolean): void => {
    stop.abort();
    if (!isDrag) return;
    const over = new AbortController();
    document.addEventListener('click', (click) => click.stopPropagation(), { capture: true, signal: over.signal });
    setTimeout(() => over.abort());
    end(isKept);
  };
  const onMove = (event: PointerEvent): void => {
    isDrag ||= Math.abs(event.clientX - press.clientX) >= from;
    if (isDrag) move(event);
  };
  document.addEventListener('pointermove', onMove, { signal });
  document.addEventListener('pointerup', () => finish(true), { signal });
  document.addEventListener('pointercancel', () => finish(false), { signal });
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !isDrag) return;
    event.stopPropagation();
    finish(false);
  };
  document.addEventListener('keydown', onKey, { signal, capture: true });
}
