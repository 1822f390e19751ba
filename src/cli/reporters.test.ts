import { expect, it } from 'vitest';

import type { RunEvent } from '../base/index.js';
import { lineReporter } from './reporters.js';

/** The lines that events are printed as. */
function printed(events: readonly RunEvent[]): string[] {
  let text = '';
  const reporter = lineReporter({ write: (more) => (text += more) });
  for (const event of events) reporter.onEvent(event);
  reporter.end();
  return text.split('\n').slice(0, -1);
}

const note = (message: string): RunEvent => ({ type: 'note', code: 'a-code', message });
const long = (name: string, seconds: number): RunEvent => note(`The film of "${name}" is ${seconds} s long.`);

it('prints notes of one kind as one line with a count, when their stage is done', () => {
  const events: RunEvent[] = [
    note('Before any stage.'),
    { type: 'stage-started', stage: 'select', total: 4 },
    ...[long('d', 4), long('a', 3), note('Another.'), long('c', 2), long('b', 1)],
    { type: 'skipped', item: 'x.mp4', code: 'not-video', message: 'It is no video.' },
    { type: 'stage-done', stage: 'select' },
  ];
  expect(printed(events)).toEqual([
    'note: Before any stage.',
    'skipped: It is no video.',
    'note: Another.',
    'note: The film of "a" is 3 s long. The same for 3 more: "b", "c", "d".',
  ]);
});

it('prints the notes of a stage that did not end', () => {
  expect(printed([{ type: 'stage-started', stage: 'render', total: 1 }, note('One.')])).toEqual(['note: One.']);
});
