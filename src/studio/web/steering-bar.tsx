import { useRef } from 'preact/hooks';

import type { Steering } from '../contract.js';
import { compareWith } from './compare.js';
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
          title="Length of the summary of each video"
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
        <span class="total" aria-live="polite">
          {videos.value.length > 0 && `${clock(total)} total`}
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
        <details class="menu">
          <summary class="button">Research</summary>
          <div class="sheet">
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
            <p class="hint">How shots are chosen. The figures behind a choice are under Research beside each shot.</p>
          </div>
        </details>
        <Versions />
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

/** Named versions of the cut: kept, compared with now, gone back to. */
function Versions() {
  const name = useRef<HTMLInputElement>(null);
  const { versions } = position.value;
  const save = (): void => {
    const wanted = name.current?.value.trim();
    if (!wanted) return;
    name.current!.value = '';
    void edit({ do: 'save-version', name: wanted });
  };
  return (
    <details class="menu">
      <summary class="button">Versions{versions.length > 0 && ` ${versions.length}`}</summary>
      <div class="sheet">
        <div class="actions">
          <input
            type="text"
            aria-label="Name of the version"
            placeholder="Name, such as “first cut”"
            maxLength={80}
            ref={name}
            onKeyDown={(event) => event.key === 'Enter' && save()}
          />
          <button type="button" onClick={save}>
            Save version
          </button>
        </div>
        {versions.length === 0 && <p class="hint">Nothing saved yet. A version keeps the whole cut as it is now.</p>}
        <ul>
          {versions.toReversed().map((version) => (
            <li key={version.name}>
              <span>
                {version.name}
                <small>
                  {new Date(version.saved).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })}
                </small>
              </span>
              <button type="button" aria-label={`Compare with ${version.name}`} onClick={() => compareWith(version)}>
                Compare
              </button>
              <button
                type="button"
                aria-label={`Go back to ${version.name}`}
                disabled={JSON.stringify(version.steering) === JSON.stringify(steering.value)}
                onClick={() => void edit({ do: 'open-version', name: version.name })}
              >
                Go back
              </button>
              <button
                type="button"
                aria-label={`Delete ${version.name}`}
                onClick={() => void edit({ do: 'delete-version', name: version.name })}
              >
                Delete
              </button>
            </li>
          ))}
        </ul>
      </div>
    </details>
  );
}
