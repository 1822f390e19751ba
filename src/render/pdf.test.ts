import sharp from 'sharp';
import { describe, expect, it } from 'vitest';

import { drawPdf } from './sheet.js';

const picture = (width: number, height: number, background: string): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();

describe('a PDF of pictures', () => {
  it('has a page for each, whole within its margins, and a table that finds every object', async () => {
    const pdf = await drawPdf([await picture(400, 100, '#ff0000'), await picture(100, 300, '#0000ff')]);
    const text = pdf.toString('latin1');
    const table = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(text)![1]);
    expect(text.slice(table, table + 4)).toBe('xref');
    const offsets = [...text.slice(table).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, offset]) => Number(offset));
    expect(offsets).toHaveLength(8);
    offsets.forEach((offset, at) => expect(text.slice(offset, offset + 7)).toBe(`${at + 1} 0 obj`));
    expect(text).toContain('/Count 2 /Kids [3 0 R 6 0 R]');
    // 786 × 539 points of room: the first is as wide, the second as high.
    expect([...text.matchAll(/q (.*) cm/g)].map(([, matrix]) => matrix)).toEqual([
      '786.000 0.000 0.000 196.500 28.000 199.250',
      '179.667 0.000 0.000 539.000 331.167 28.000',
    ]);
    for (const [at, red] of [
      [0, 255],
      [1, 0],
    ] as const) {
      const [, length, start] = [...text.matchAll(/DCTDecode \/Length (\d+) >>\nstream\n/g)].map((match) => [0, Number(match[1]), match.index + match[0].length])[at]!; // prettier-ignore
      const pixels = await sharp(pdf.subarray(start, start! + length!))
        .raw()
        .toBuffer();
      expect(Math.abs(pixels[0]! - red)).toBeLessThan(4);
      expect(text.slice(start! + length!, start! + length! + 10)).toBe('\nendstream');
    }
  });

  it('is the same for the same pictures', async () => {
    const pictures = [await picture(30, 20, '#123456')];
    expect((await drawPdf(pictures)).equals(await drawPdf(pictures))).toBe(true);
  });
});
