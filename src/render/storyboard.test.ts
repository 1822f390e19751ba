import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { drawStoryboard, type StoryboardShot } from './index.js';
import { STORYBOARD_LIMIT } from './storyboard.js';

const jpeg = (width: number, height: number, background = '#c08040'): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background } })
    .jpeg()
    .toBuffer();

const shot = (picture: Buffer | null, change: Partial<StoryboardShot> = {}): StoryboardShot => ({
  picture: async () => picture,
  label: '0:01.2',
  chosen: false,
  score01: 0.5,
  own01: 0.3,
  shared01: 0.4,
  ...change,
});

type Sheet = { width: number; height: number; at(x: number, y: number): number[]; mean(x: number, y: number): number };

async function decode(png: Buffer): Promise<Sheet> {
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number): number[] => [
    ...data.subarray(3 * (y * info.width + x), 3 * (y * info.width + x) + 3),
  ];
  return {
    width: info.width,
    height: info.height,
    at,
    mean: (x, y) => at(x, y).reduce((sum, value) => sum + value, 0) / 3,
  };
}

// Wide pictures make cells of 256 × 144 from (32, 84) on, 16 apart; under each stand 38 pixels of caption.
const LEFT = 32;
const TOP = 84;

describe('a storyboard', () => {
  it('is a grid of cells in film order', async () => {
    const wide = await jpeg(320, 180);
    const sheet = await decode(
      await drawStoryboard({ title: 'a', shots: Array.from({ length: 7 }, () => shot(wide)), columns: 3 }),
    );
    expect([sheet.width, sheet.height]).toEqual([2 * 32 + 3 * 256 + 2 * 16, 84 + 3 * (144 + 38) + 2 * 16 + 32]);
    expect(sheet.mean(LEFT + 128, TOP + 2 * 198 + 72)).toBeGreaterThan(40);
    expect(sheet.mean(LEFT + 272 + 128, TOP + 2 * 198 + 72)).toBeLessThan(30);
  });

  it('shows chosen shots bright and framed, others dim and bare', async () => {
    const wide = await jpeg(320, 180);
    const shots = [shot(wide), shot(wide, { chosen: true })];
    const sheet = await decode(await drawStoryboard({ title: 'a', shots, columns: 2 }));
    const chosen = LEFT + 272;
    // The picture's own light is 128; a shot that was not chosen keeps clearly less of it.
    expect(Math.abs(sheet.mean(chosen + 128, TOP + 72) - 128)).toBeLessThan(3);
    expect(sheet.mean(LEFT + 128, TOP + 72)).toBeLessThan(0.6 * 128);
    expect(sheet.at(chosen + 128, TOP - 2)).toEqual([255, 91, 58]);
    expect(sheet.at(LEFT + 128, TOP - 2)).toEqual([20, 21, 24]);
  });

  it('marks pinned shots by a band, vetoed ones by a stroke', async () => {
    const wide = await jpeg(320, 180);
    const shots = [shot(wide, { chosen: true, wish: 'pinned' }), shot(wide, { wish: 'vetoed' }), shot(wide)];
    const sheet = await decode(await drawStoryboard({ title: 'a', shots, columns: 3 }));
    expect(sheet.at(LEFT + 128, TOP + 6)).toEqual([255, 91, 58]);
    expect(sheet.at(LEFT + 272 + 128, TOP + 72)).toEqual([141, 144, 152]);
    expect(sheet.at(LEFT + 544 + 128, TOP + 72)).not.toEqual([141, 144, 152]);
  });

  it('draws importance to length, own² to shared²', async () => {
    const wide = await jpeg(320, 180);
    const shots = [shot(wide, { chosen: true, score01: 0.5, own01: 0.3, shared01: 0.4 })];
    const sheet = await decode(await drawStoryboard({ title: 'a', shots, columns: 1 }));
    const bar = TOP + 144 + 10;
    // Half of 256 pixels, of it 36 % own: 46 pixels, then shared up to 128, then the empty track.
    expect(sheet.at(LEFT + 40, bar)).toEqual([224, 166, 64]);
    expect(sheet.at(LEFT + 52, bar)).toEqual([88, 166, 214]);
    expect(sheet.at(LEFT + 124, bar)).toEqual([88, 166, 214]);
    expect(sheet.at(LEFT + 134, bar)).toEqual([43, 46, 52]);
  });

  it('writes labels', async () => {
    const wide = await jpeg(320, 180);
    const ink = async (label: string): Promise<number> => {
      const sheet = await decode(
        await drawStoryboard({ title: '', shots: [shot(wide, { label, chosen: true })], columns: 1 }),
      );
      let lit = 0;
      for (let x = LEFT + 18; x < LEFT + 256; x++) {
        for (let y = TOP + 144 + 19; y < TOP + 144 + 36; y++) if (sheet.mean(x, y) > 128) lit++;
      }
      return lit;
    };
    expect(await ink('')).toBe(0);
    expect(await ink('8')).toBeGreaterThan(10);
    expect(await ink('0:12.345')).toBeGreaterThan(3 * (await ink('8')));
  });

  it('takes the shape of upright films, and fits odd pictures whole', async () => {
    const upright = await decode(await drawStoryboard({ title: 'a', shots: [shot(await jpeg(180, 320))], columns: 1 }));
    expect(upright.height).toBe(84 + 256 + 38 + 32);

    const mixed = [shot(await jpeg(320, 180)), shot(await jpeg(180, 320, '#ffffff'), { chosen: true })];
    const sheet = await decode(await drawStoryboard({ title: 'a', shots: mixed, columns: 2 }));
    const second = LEFT + 272;
    expect(sheet.mean(second + 128, TOP + 72)).toBeGreaterThan(250);
    expect(sheet.at(second + 30, TOP + 72)).toEqual([30, 32, 36]);
  });

  it('draws missing and unreadable pictures as empty cells', async () => {
    const shots = [shot(null), shot(Buffer.from('not a picture'))];
    const sheet = await decode(await drawStoryboard({ title: 'a', shots, columns: 2 }));
    expect(sheet.at(LEFT + 128, TOP + 72)).toEqual([30, 32, 36]);
    expect(sheet.at(LEFT + 272 + 128, TOP + 72)).toEqual([30, 32, 36]);
  });

  it('is still a picture without shots', async () => {
    expect((await decode(await drawStoryboard({ title: 'empty', shots: [] }))).width).toBeGreaterThan(0);
  });

  it('is the same bytes every time', async () => {
    const wide = await jpeg(320, 180);
    const shots = Array.from({ length: 9 }, (_, index) => shot(wide, { chosen: index % 4 === 0, score01: index / 9 }));
    const [first, second] = [await drawStoryboard({ title: 'a', shots }), await drawStoryboard({ title: 'a', shots })];
    expect(first.equals(second)).toBe(true);
  });

  it('thins very long films but keeps every chosen shot', { tags: 'slow' }, async () => {
    const shots = Array.from({ length: 3000 }, (_, index) => shot(null, { chosen: index % 100 === 99 }));
    const thinned = await decode(await drawStoryboard({ title: 'a', shots, columns: 8 }));
    expect([thinned.width, thinned.height]).toEqual([
      2 * 32 + 8 * 272 - 16,
      84 + (STORYBOARD_LIMIT / 8) * 198 - 16 + 32,
    ]);
    let framed = 0;
    for (let row = 0; row < STORYBOARD_LIMIT / 8; row++) {
      for (let column = 0; column < 8; column++) {
        if (thinned.at(LEFT + column * 272 + 128, TOP + row * 198 - 2)[0] === 255) framed++;
      }
    }
    expect(framed).toBe(30);
  });
});
