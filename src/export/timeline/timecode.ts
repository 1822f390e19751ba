import { canDrop, nominalOf, type Counting } from './rates.js';

/** Labels left out at the start of each minute except every tenth: 2 per 30 frames of a second (SMPTE ST 12-1). */
function droppedAMinute({ rate, dropFrame }: Counting): number {
  return dropFrame && canDrop(rate) ? nominalOf(rate) / 15 : 0;
}

/** How many frames have a label; after these, labels start again, as on a clock. */
export function framesADay(counting: Counting): number {
  return 144 * (600 * nominalOf(counting.rate) - 9 * droppedAMinute(counting));
}

/** The label of a frame counted from 00:00:00:00: `01:02:03:04`, with `;` before the frames where labels are dropped. */
export function formatTimecode(frame: number, counting: Counting): string {
  const nominal = nominalOf(counting.rate);
  const dropped = droppedAMinute(counting);
  const [tenMinutes, oneMinute] = [600 * nominal - 9 * dropped, 60 * nominal - dropped];
  const day = framesADay(counting);
  const inDay = ((frame % day) + day) % day;
  const [tens, rest] = [Math.floor(inDay / tenMinutes), inDay % tenMinutes];
  // The first minute of ten is whole, so it is longer by the labels that the others leave out.
  const minutes = rest < 60 * nominal ? 0 : 1 + Math.floor((rest - 60 * nominal) / oneMinute);
  const label = inDay + dropped * (9 * tens + minutes);
  const part = (value: number): string => String(value).padStart(2, '0');
  const seconds = Math.floor(label / nominal);
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(part).join(':');
  const width = Math.max(2, String(nominal - 1).length);
  return `${clock}${dropped > 0 ? ';' : ':'}${String(label % nominal).padStart(width, '0')}`;
}

const LABEL = /^(\d{2}):(\d{2}):(\d{2})([:;.,])(\d{2,3})$/;

/** True for labels in drop-frame notation, false for others, `null` for text that is not a label. */
export function isDropLabel(text: string): boolean | null {
  const match = LABEL.exec(text);
  return match && match[4] !== ':';
}

/** The frame of a label, counted from 00:00:00:00; `null` if there is no such label at this rate. */
export function parseTimecode(text: string, counting: Counting): number | null {
  const match = LABEL.exec(text);
  if (match === null) return null;
  const [hours = 0, minutes = 0, seconds = 0, frames = 0] = [1, 2, 3, 5].map((group) => Number(match[group]));
  const nominal = nominalOf(counting.rate);
  const dropped = droppedAMinute(counting);
  if (hours > 23 || minutes > 59 || seconds > 59 || frames >= nominal) return null;
  if (seconds === 0 && frames < dropped && minutes % 10 !== 0) return null;
  const allMinutes = 60 * hours + minutes;
  const label = nominal * (60 * allMinutes + seconds) + frames;
  return label - dropped * (allMinutes - Math.floor(allMinutes / 10));
}
