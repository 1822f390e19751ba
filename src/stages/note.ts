import type { Run } from '../run.js';

/** Records something that a reader of the result should know. */
export function note(run: Run, code: string, message: string): void {
  run.notes.push(message);
  run.tell({ type: 'note', code, message });
}
