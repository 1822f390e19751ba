import { command, topic } from './state.js';
import { timeLeft } from './time.js';

const NAMES: Readonly<Record<string, string>> = {
  analysing: 'Analysing videos',
  rendering: 'Rendering films',
};

/** The parts of the work that are told apart: how each is called while it goes on. */
const STAGES: Readonly<Record<string, string>> = {
  probe: 'Opening videos',
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
