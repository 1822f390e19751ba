import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

import type { Command } from '../contract.js';
import { edit, preview } from './state.js';

type Settings = Extract<Command, { do: 'set' }>['settings'];

/** A slider that steers: the selection follows while it moves, and is saved, as one step to undo, when it is released. */
export function Slider(props: {
  /** What stands above it: the name, and the value as people write it. */
  readonly children: ComponentChildren;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly title?: string;
  readonly class?: string;
  readonly change: (value: number) => Settings;
}) {
  const { children, value, min, max, step, change } = props;
  const isMoved = useRef(false);
  return (
    <label class={props.class} title={props.title}>
      <span>{children}</span>
      <input
        type="range"
        {...{ min, max, step, value }}
        onInput={(event) => {
          isMoved.current = true;
          void preview(change(Number(event.currentTarget.value)));
        }}
        onChange={(event) => {
          if (isMoved.current) void edit({ do: 'set', settings: change(Number(event.currentTarget.value)) });
          isMoved.current = false;
        }}
      />
    </label>
  );
}
