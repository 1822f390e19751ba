import { signal } from '@preact/signals';

import { command, edit, isGone, isLockedOut, isReadOnly, load, problem, refused, topic } from './state.js';
import { timeLeft } from './time.js';

/** Messages that somebody has read and put away; reasons stay among the notes. */
const dismissed = signal('');

/** What went wrong, or was stopped, with the reasons and what can be done. */
export function Trouble() {
  const work = topic.value?.work;
  const reasons = work?.reasons ?? [];
  const key = `${work?.state} ${work?.message} ${reasons.join()}`;
  const isDismissed = key === dismissed.value;
  const dismiss = <button onClick={() => (dismissed.value = key)}>Dismiss</button>;
  if (isLockedOut.value) {
    return (
      <p class="problem" role="alert">
        This page has no token, so the studio shows it nothing. Open the address that <code>throughline studio</code>{' '}
        printed in the terminal; it ends with <code>#token=…</code>
      </p>
    );
  }
  return (
    <>
      {isReadOnly && (
        <p class="problem quiet" role="status">
          Read-only: this page was opened without a token. To make changes, open the address that{' '}
          <code>throughline studio</code> printed in the terminal.
        </p>
      )}
      {isGone.value && (
        <p class="problem" role="alert">
          The studio is not responding: it was stopped, or this machine was asleep. Your settings are saved in{' '}
          <strong>{topic.value?.folder ?? 'its folder'}</strong>. Start it again with{' '}
          <code>throughline studio {topic.value?.folder ?? ''}</code>; this page then reconnects by itself.
        </p>
      )}
      {problem.value && !isGone.value && (
        <p class="problem" role="alert">
          {problem.value} <button onClick={() => void load()}>Try again</button>
        </p>
      )}
      {refused.value && (
        <p class="problem" role="alert">
          {refused.value.message}{' '}
          <button
            onClick={() => {
              const { command: again } = refused.value!;
              refused.value = null;
              void edit(again);
            }}
          >
            Apply it now
          </button>{' '}
          <button onClick={() => (refused.value = null)}>Discard it</button>
        </p>
      )}
      {work?.state === 'failed' && !isDismissed && (
        <div class="problem" role="alert">
          <p>
            <strong>{work.failed === 'rendering' ? 'Rendering failed.' : 'The analysis failed.'}</strong> {work.message}
          </p>
          <Reasons reasons={reasons} />
          <p>Finished work is kept. When the cause is gone, try again.</p>
          {(topic.value?.known ?? 0) > 0 && (
            <button onClick={() => void command(work.failed === 'rendering' ? 'render' : 'look')}>Retry</button>
          )}{' '}
          {dismiss}
        </div>
      )}
      {work?.state === 'idle' && work.message !== null && !isDismissed && (
        <p class="problem quiet" role="status">
          {work.message} {dismiss}
        </p>
      )}
      {work?.state === 'idle' && work.message === null && reasons.length > 0 && !isDismissed && (
        <div class="problem quiet" role="status">
          <p>Left out:</p>
          <Reasons reasons={reasons} />
          {dismiss}
        </div>
      )}
    </>
  );
}

function Reasons({ reasons }: { readonly reasons: readonly string[] }) {
  if (reasons.length === 0) return null;
  return (
    <ul>
      {reasons.map((reason) => (
        <li key={reason}>{reason}</li>
      ))}
    </ul>
  );
}

const NAMES: Readonly<Record<string, string>> = {
  analysing: 'Analysing videos',
  rendering: 'Rendering films',
};

/** The parts of the work that are told apart: how each is called while it goes on. */
const STAGES: Readonly<Record<string, string>> = {
  probe: 'Reading videos',
  analyse: 'Analysing videos',
  select: 'Choosing shots',
  render: 'Rendering films',
  concept: 'Rendering the film of the topic',
  report: 'Writing the report',
};

/** Running work, video by video, with a way to stop it; what went wrong, and what can be done about it. */
export function Working() {
  const work = topic.value?.work;
  if (!work || work.state === 'idle' || work.state === 'failed') return null;
  const percent = work.fraction === null ? null : Math.round(100 * work.fraction);
  const label = STAGES[work.stage ?? ''] ?? NAMES[work.state] ?? work.state;
  return (
    <div class="working" role="status">
      <span>{label}</span>
      <progress max={100} value={percent ?? undefined} aria-label={label} />
      <span class="number">
        {percent === null ? '' : `${percent} %`} {timeLeft(work.secondsLeft)}
      </span>
      <button onClick={() => void command('cancel')}>Cancel</button>
    </div>
  );
}
