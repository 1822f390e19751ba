import { problem, start, topic } from './state.js';

/** What went wrong, or was stopped, with the reasons and what can be done. */
export function Trouble() {
  const work = topic.value?.work;
  return (
    <>
      {problem.value && (
        <p class="problem" role="alert">
          {problem.value} <button onClick={() => void start()}>Try again</button>
        </p>
      )}
      {work?.state === 'failed' && (
        <div class="problem" role="alert">
          <p>{work.message}</p>
          <Reasons reasons={work.reasons} />
        </div>
      )}
      {work?.state === 'idle' && work.message !== null && (
        <p class="problem quiet" role="status">
          {work.message}
        </p>
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
