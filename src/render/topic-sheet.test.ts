import sharp from 'sharp';
import { describe, expect, it } from 'vitest';

import { drawTopicSheet, type TopicCell } from './index.js';

const jpeg = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#c08040' } })
    .jpeg()
    .toBuffer();

const cell = (picture: Buffer | null, change: Partial<TopicCell> = {}): TopicCell => ({
  picture: async () => picture,
  label: 'a.mp4',
  note: '0:01.2 · in 5 of 7 other videos',
  score01: 0.5,
  ...change,
});

async function draw(cells: readonly TopicCell[]) {
  const png = await drawTopicSheet({ title: 'harbour', facts: 'two shots', cells });
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { ...info, at: (x: number, y: number) => [...data.subarray(3 * (y * info.width + x), 3 * (y * info.width + x) + 3)] }; // prettier-ignore
}

describe('the storyboard of a topic’s film', () => {
  it('has cells of 256 × 144, five per row, whatever shape the pictures have', async () => {
    const [wide, tall] = [await jpeg(320, 180), await jpeg(180, 320)];
    const sheet = await draw([cell(tall), cell(wide), cell(null), ...Array.from({ length: 3 }, () => cell(wide))]);
    expect([sheet.width, sheet.height]).toEqual([1408, 84 + 2 * 216 + 16]);
    // The upright picture stands in the middle of its cell; the next cell is full; the third is empty.
    expect(sheet.at(32 + 10, 84 + 72)).toEqual([30, 32, 36]);
    expect(sheet.at(32 + 128, 84 + 72)[0]).toBeGreaterThan(180);
    expect(sheet.at(32 + 272 + 10, 84 + 72)[0]).toBeGreaterThan(180);
    expect(sheet.at(32 + 2 * 272 + 128, 84 + 72)).toEqual([30, 32, 36]);
    // The sixth begins the second row.
    expect(sheet.at(32 + 128, 84 + 216 + 72)[0]).toBeGreaterThan(180);
    expect(sheet.at(32 + 272 + 128, 84 + 216 + 72)).toEqual([20, 21, 24]);
  });

  it('draws importance to length', async () => {
    const sheet = await draw([cell(null, { score01: 0.5 }), cell(null, { score01: 7 }), cell(null, { score01: NaN })]);
    const bar = 84 + 144 + 10;
    const filled = (column: number, share: number) =>
      sheet.at(32 + column * 272 + Math.round(256 * share), bar)[0] === 224;
    expect([filled(0, 0.48), filled(0, 0.52), filled(1, 0.99), filled(2, 0.01)]).toEqual([true, false, true, false]);
  });

  it('stays a picture one can open when the film is very long, and is the same bytes every time', async () => {
    const cells = Array.from({ length: 1000 }, () => cell(null));
    expect((await draw(cells)).height).toBe(84 + 48 * 216 + 16);
    const sheet = { title: 'a', facts: '', cells: cells.slice(0, 3) };
    expect((await drawTopicSheet(sheet)).equals(await drawTopicSheet(sheet))).toBe(true);
  });
});
