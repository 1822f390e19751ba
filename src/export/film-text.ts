import type { Overlay } from '../media/index.js';
import { drawText, fitText, inkWidth, paintShapes } from './text.js';

type Size = { readonly widthPx: number; readonly heightPx: number };

const INK = '#f5f3ee';
const even = (size: number): number => 2 * Math.round(size / 2);

/** A line in the lower left corner, on a dark plate so that it is readable on any picture. */
export async function drawCaption(text: string, frame: Size): Promise<Overlay> {
  // Captions of broadcast size: capitals of a thirtieth of the shorter side, within the inner nine tenths.
  const shorter = Math.min(frame.widthPx, frame.heightPx);
  const capitals = Math.max(8, Math.round(shorter / 30));
  const margin = even(shorter / 20);
  const most = even(frame.widthPx - 2 * margin);
  const heightPx = Math.min(frame.heightPx, even(capitals * 2.6));
  const room = most - 2 * capitals;
  const line = (await inkWidth(text, capitals)) <= room ? text : fitText(text, capitals, room);
  const words = drawText(line, { x: capitals, y: capitals * 0.75, heightPx: capitals, color: INK });
  const widthPx = Math.min(most, even((await inkWidth(line, capitals)) + 2 * capitals));
  const plate = `<rect width="${widthPx}" height="${heightPx}" rx="${capitals / 3}" fill="#101114" opacity="0.62"/>`;
  const topPx = Math.max(0, even(frame.heightPx - margin - heightPx));
  return { leftPx: margin, topPx, widthPx, heightPx, rgba: await paintShapes(plate + words, widthPx, heightPx) };
}

/** A title in the middle of the picture, smaller if it is long. */
export async function drawTitle(text: string, frame: Size): Promise<Overlay> {
  const [widthPx, largest] = [frame.widthPx, Math.round(Math.min(frame.widthPx, frame.heightPx) / 12)];
  const room = widthPx * 0.84;
  const share = room / Math.max(1, await inkWidth(text, largest));
  const capitals = Math.max(largest / 2, Math.min(largest, largest * share));
  const line = share >= 0.5 ? text : fitText(text, capitals, room);
  // Marks above and below the letters of some scripts reach far.
  const heightPx = even(capitals * 3);
  const style = { x: widthPx / 2, y: capitals, heightPx: capitals, color: INK, bold: true, centred: true };
  const rgba = await paintShapes(drawText(line, style), widthPx, heightPx);
  return { leftPx: 0, topPx: even((frame.heightPx - heightPx) / 2), widthPx, heightPx, rgba };
}
