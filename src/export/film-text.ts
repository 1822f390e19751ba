import sharp from 'sharp';

import type { Overlay } from '../media/index.js';
import { drawText, fitText, measureText } from './storyboard-font.js';

type Size = { readonly widthPx: number; readonly heightPx: number };

const INK = '#f5f3ee';
const even = (size: number): number => 2 * Math.round(size / 2);

/** A line in the lower left corner, on a dark plate so that it is readable on any picture. */
export async function drawCaption(text: string, frame: Size): Promise<Overlay> {
  // Captions of broadcast size: capitals of a thirtieth of the shorter side, within the inner nine tenths.
  const shorter = Math.min(frame.widthPx, frame.heightPx);
  const capitals = Math.max(8, Math.round(shorter / 30));
  const margin = even(shorter / 20);
  const line = fitText(text, capitals, frame.widthPx - 2 * margin - 2 * capitals);
  const widthPx = Math.min(frame.widthPx - 2 * margin, even(measureText(line, capitals) + 2 * capitals));
  const heightPx = Math.min(frame.heightPx, even(capitals * 2.6));
  const plate = `<rect width="${widthPx}" height="${heightPx}" rx="${capitals / 3}" fill="#101114" opacity="0.62"/>`;
  const words = drawText(line, { x: capitals, y: capitals * 0.75, heightPx: capitals, color: INK });
  const topPx = Math.max(0, even(frame.heightPx - margin - heightPx));
  return { leftPx: margin, topPx, ...(await paint(plate + words, { widthPx, heightPx })) };
}

/** A title in the middle of the picture, smaller if it is long. */
export async function drawTitle(text: string, frame: Size): Promise<Overlay> {
  const [widthPx, largest] = [frame.widthPx, Math.min(frame.widthPx, frame.heightPx) / 12];
  const room = widthPx * 0.84;
  const capitals = Math.max(largest / 2, Math.min(largest, (largest * room) / Math.max(1, measureText(text, largest))));
  const line = fitText(text, capitals, room);
  const heightPx = even(capitals * 2);
  const x = (widthPx - measureText(line, capitals)) / 2;
  const words = drawText(line, { x, y: capitals * 0.5, heightPx: capitals, color: INK, bold: true });
  return { leftPx: 0, topPx: even((frame.heightPx - heightPx) / 2), ...(await paint(words, { widthPx, heightPx })) };
}

async function paint(shapes: string, { widthPx, heightPx }: Size): Promise<Size & { rgba: Uint8Array }> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${widthPx}" height="${heightPx}">${shapes}</svg>`;
  const rgba = await sharp(Buffer.from(svg)).ensureAlpha().raw().toBuffer();
  return { widthPx, heightPx, rgba };
}
