import type { Steering } from '../contract.js';
import { topic } from './state.js';

/** Which methods are wanted: a box each. `isLocked` keeps one as it is; `remark` says more of one. */
export function MethodBoxes(props: {
  readonly wanted: readonly Steering['method'][];
  readonly onChange: (wanted: Steering['method'][]) => void;
  readonly isLocked?: (name: Steering['method']) => boolean;
  readonly remark?: (name: Steering['method']) => string | null;
}) {
  const { wanted, onChange, isLocked, remark } = props;
  return (
    <fieldset>
      <legend>Methods</legend>
      {topic.value?.methods.map(({ name, summary }) => {
        const said = remark?.(name) ?? null;
        return (
          <label key={name} title={summary}>
            <input
              type="checkbox"
              value={name}
              checked={wanted.includes(name)}
              disabled={isLocked?.(name) ?? false}
              onChange={(event) =>
                onChange(event.currentTarget.checked ? [...wanted, name] : wanted.filter((each) => each !== name))
              }
            />
            {name}
            {said !== null && <small>{said}</small>}
          </label>
        );
      })}
    </fieldset>
  );
}
