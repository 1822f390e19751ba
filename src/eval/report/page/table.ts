import { markup, type Html } from '../../../export/index.js';
import type { ScoreRow } from '../../scoreboard-record.js';
import type { Reading } from '../read.js';

/** How a row is coloured: the subject, people, a floor, or another method. */
export function rowClass({ kind, name }: ScoreRow, { board }: Reading): string {
  if (name === board.settings.subject) return 'subject';
  return kind === 'human' ? 'people' : kind === 'floor' ? 'chance' : 'method';
}

/** A table that scrolls by itself if the page is too narrow, also by keyboard. */
export function scrolling(label: string, table: Html): Html {
  return markup`<div class="wide" tabindex="0" role="region" aria-label="${label}">${table}</div>`;
}

/** A cell with a number. */
export function numberCell(text: string, className = ''): Html {
  return markup`<td class="number${className && ` ${className}`}">${text}</td>`;
}

/** The heading of a column of numbers. */
export function numberHead(text: string, className = ''): Html {
  return markup`<th scope="col" class="number${className && ` ${className}`}"><bdi>${text}</bdi></th>`;
}

/** The heading of a line; its text may come from outside, in any direction. */
export function lineHead(name: string): Html {
  return markup`<th scope="row"><bdi>${name}</bdi></th>`;
}
