import { command, topic } from './state.js';

const NAMES: Readonly<Record<string, string>> = {
  analysing: 'Looking at the videos',
  rendering: 'Rendering films',
};

/** Running work, with a way to stop it. */
export function Working() {
  const work = topic.value?.work;
  if (!work) return null;
  if (work.state === 'failed') {
    return (
      <p class="problem" role="alert">
        {work.message}
      </p>
    );
  }
  if (work.state === 'idle') return null;
  const percent = work.fraction === null ? null : Math.round(100 * work.fraction);
  const label = NAMES[work.state] ?? work.state;
  return (
    <div class="working" role="status">
      <span>
        {label}
        {work.item ? `: ${work.item}` : ''}
      </span>
      <progress max={100} value={percent ?? undefined} aria-label={label} />
      <span class="number">{percent === null ? '' : `${percent} %`}</span>
      <button onClick={() => void command('cancel')}>Cancel</button>
    </div>
  );
}
