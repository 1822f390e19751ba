import { signal } from '@preact/signals';

import { command, isGone, load, problem, topic, videos } from './state.js';

/** The reasons somebody has read and put away; they stay among the notes. */
const dismissed = signal('');

/** What went wrong, or was stopped, with the reasons and what can be done. */
export function Trouble() {
  const work = topic.value?.work;
  const reasons = work?.reasons ?? [];
  return (
    <>
      {isGone.value && (
        <p class="problem" role="alert">
          The studio is not responding: it was stopped, or this machine was asleep. Your settings are saved in{' '}
          <strong>{topic.value?.folder ?? 'its folder'}</strong>. Start it again with “throughline studio” and open the
          address it prints. If it comes back at this address, this page reconnects by itself.
        </p>
      )}
      {problem.value && !isGone.value && (
        <p class="problem" role="alert">
          {problem.value} <button onClick={() => void load()}>Try again</button>
        </p>
      )}
      {work?.state === 'failed' && (
        <div class="problem" role="alert">
          <p>{work.message}</p>
          <Reasons reasons={work.reasons} />
          {(topic.value?.known ?? 0) > 0 && videos.value.length === 0 && (
            <button onClick={() => void command('look')}>Analyse again</button>
          )}
        </div>
      )}
      {work?.state === 'idle' && work.message !== null && (
        <p class="problem quiet" role="status">
          {work.message}
        </p>
      )}
      {work?.state === 'idle' && reasons.length > 0 && reasons.join() !== dismissed.value && (
        <div class="problem quiet" role="status">
          <p>Left out:</p>
          <Reasons reasons={reasons} />
          <button onClick={() => (dismissed.value = reasons.join())}>Dismiss</button>
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
