import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

import type { Steering } from '../contract.js';
import { keep, preview, steering } from './state.js';

/** A slider that steers: the selection follows while it moves, and is kept, as one step back, when it is let go. */
export function Slider(props: {
  /** What stands above it: the name, and the value as people write it. */
  readonly children: ComponentChildren;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly title?: string;
  readonly class?: string;
  readonly change: (value: number) => Partial<Steering>;
}) {
  const { children, value, min, max, step, change } = props;
  const before = useRef<Steering | null>(null);
  return (
    <label class={props.class} title={props.title}>
      <span>{children}</span>
      <input
        type="range"
        {...{ min, max, step, value }}
        onInput={(event) => {
          before.current ??= steering.value;
          void preview(change(Number(event.currentTarget.value)));
        }}
        onChange={() => {
          const from = before.current;
          before.current = null;
          if (from) void keep({}, from);
        }}
      />
    </label>
  );
}
