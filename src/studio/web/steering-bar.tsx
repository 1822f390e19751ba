import type { Steering } from '../contract.js';
import { Slider } from './slider.js';
import { command, edit, isBusy, isReadOnly, position, redo, steering, topic, undo, videos } from './state.js';
import { clock } from './time.js';

/** Length, balance and method. The selection follows while a slider moves; it is kept when the slider is let go. */
export function SteeringBar() {
  const wanted = steering.value;
  if (!wanted) return null;
  const share = Number(/^(\d+(?:\.\d+)?)%$/.exec(wanted.length)?.[1] ?? NaN);
  const total = videos.value.reduce((sum, video) => sum + video.chosenSeconds, 0);
  return (
    <form class="steering" onSubmit={(event) => event.preventDefault()}>
      <fieldset disabled={isReadOnly}>
        <Slider
          {...{ min: 1, max: 60, step: 1, value: Number.isFinite(share) ? share : 15 }}
          change={(value) => ({ length: `${value}%` })}
        >
          Length <b>{wanted.length}</b>
        </Slider>
        <Slider
          title="Left: what matters for each video. Right: what it shares with the others."
          {...{ min: 0, max: 1, step: 0.05, value: wanted.shared }}
          change={(shared) => ({ shared })}
        >
          Own <b>{wanted.shared.toFixed(2)}</b> Shared
        </Slider>
        <label>
          <span>Method</span>
          <select
            value={wanted.method}
            onChange={(event) =>
              void edit({ do: 'set', settings: { method: event.currentTarget.value as Steering['method'] } })
            }
          >
            {topic.value?.methods.map(({ name, summary }) => (
              <option key={name} value={name} title={summary}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <span class="total" aria-live="polite">
          {clock(total)} total
        </span>
        <button
          type="button"
          disabled={position.value.undo === null}
          onClick={() => void undo()}
          title={`Undo ${position.value.undo ?? ''} (Ctrl Z)`}
          aria-label="Undo"
        >
          ↶
        </button>
        <button
          type="button"
          disabled={position.value.redo === null}
          onClick={() => void redo()}
          title={`Redo ${position.value.redo ?? ''} (Ctrl Shift Z)`}
          aria-label="Redo"
        >
          ↷
        </button>
        <button
          type="button"
          class="primary"
          disabled={isBusy.value || videos.value.length === 0}
          onClick={() => void command('render')}
        >
          Render
        </button>
      </fieldset>
      {topic.value?.report && (
        <a class="button" href={topic.value.report} target="_blank" rel="noreferrer">
          Report
        </a>
      )}
    </form>
  );
}
