import { command, isGone, load, problem, topic, videos } from './state.js';

/** What went wrong, or was stopped, with the reasons and what can be done. */
export function Trouble() {
  const work = topic.value?.work;
  return (
    <>
      {isGone.value && (
        <p class="problem" role="alert">
          The studio does not answer: it was ended, or this machine slept. Everything you steered is kept in{' '}
          <strong>{topic.value?.folder ?? 'its folder'}</strong>. Start it again with “throughline studio” and open the
          address it prints; if it comes back here, this page goes on by itself.
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
            <button onClick={() => void command('look')}>Look again</button>
          )}
        </div>
      )}
      {work?.state === 'idle' && work.message !== null && (
        <p class="problem quiet" role="status">
          {work.message}
        </p>
      )}
      {work?.state === 'idle' && work.reasons.length > 0 && (
        <div class="problem quiet" role="status">
          <p>Left out:</p>
          <Reasons reasons={work.reasons} />
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
