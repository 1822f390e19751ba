import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { say } from './announce.js';
import { followPointer } from './drag.js';

export type Piece = { readonly key: string; readonly name: string; readonly show: ComponentChildren };

/** A pointer this near to an end scrolls the strip. */
const EDGE_PX = 36;

/**
 * A strip of pieces that can be put into another order: by dragging, with a finger by the grip, or with Alt and the
 * arrow keys; left and right alone go from piece to piece. `onMove` is told the whole new order, as places in the old one.
 */
export function Arrange({
  pieces,
  label,
  onMove,
}: {
  readonly pieces: readonly Piece[];
  readonly label: string;
  readonly onMove: (order: number[]) => void;
}) {
  const list = useRef<HTMLOListElement>(null);
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const focus = useRef<string | null>(null);
  useLayoutEffect(() => {
    // Moving a node takes its focus away.
    const found = [...(list.current?.children ?? [])].find((node) => node.getAttribute('data-key') === focus.current);
    if (found && !found.contains(document.activeElement)) found.querySelector('button')?.focus();
    focus.current = null;
  }, [pieces.map(({ key }) => key).join('\n')]);

  const move = (from: number, to: number): void => {
    if (to < 0 || to >= pieces.length || from === to) return;
    const order = [...pieces.keys()];
    order.splice(to, 0, ...order.splice(from, 1));
    focus.current = pieces[from]!.key;
    say(`${pieces[from]!.name}: now ${to + 1} of ${pieces.length}.`);
    onMove(order);
  };
  const onKeyDown = (event: KeyboardEvent, at: number): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
    const step = steps[event.key];
    if (step === undefined) return;
    if (!event.altKey && !event.key.match(/Left|Right/)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.altKey) move(at, at + step);
    else list.current?.children[at + step]?.querySelector('button')?.focus();
  };
  const onPointerDown = (event: PointerEvent, from: number): void => {
    const isGrip = (event.target as Element).closest('.grip') !== null;
    if (event.button !== 0 || !(isGrip || event.pointerType === 'mouse')) return;
    const strip = list.current!;
    let to = from;
    followPointer(event, {
      move({ clientX }) {
        const { left, right } = strip.getBoundingClientRect();
        if (clientX < left + EDGE_PX) strip.scrollBy({ left: -12 });
        if (clientX > right - EDGE_PX) strip.scrollBy({ left: 12 });
        to = folderAt(strip, clientX, from);
        setDrag({ from, to });
      },
      end(isKept) {
        setDrag(null);
        if (isKept) move(from, to);
      },
    });
  };
  return (
    <ol class={`shots strip ${drag ? 'dragging' : ''}`} ref={list} aria-label={label}>
      {pieces.map(({ key, show }, at) => (
        <li
          key={key}
          data-key={key}
          class={`shot chosen ${markOf(drag, at)}`}
          onKeyDown={(event) => onKeyDown(event, at)}
          onPointerDown={(event) => onPointerDown(event, at)}
          onDragStart={(event) => event.preventDefault()}
        >
          {show}
          <span class="grip" aria-hidden="true">
            ⠿
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Where a piece would go that is let go here: its place once it has been taken out. */
function folderAt(strip: HTMLElement, clientX: number, from: number): number {
  const before = [...strip.children].filter((node, at) => {
    const { left, width } = node.getBoundingClientRect();
    return at !== from && left + width / 2 < clientX;
  });
  return before.length;
}

function markOf(drag: { from: number; to: number } | null, at: number): string {
  if (drag === null || (at === drag.from && at === drag.to)) return '';
  if (at === drag.from) return 'lifted';
  if (at === drag.to) return drag.to < drag.from ? 'gap-before' : 'gap-after';
  return '';
}
