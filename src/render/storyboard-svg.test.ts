import sharp from 'sharp';
import { describe, expect, it } from 'vitest';

import { drawLinkedStoryboard, parsePictures, type LinkedShot } from './index.js';
import { attributesNamed, tagsOf } from './report/tags.case.js';

const picture = await sharp({ create: { width: 32, height: 18, channels: 3, background: '#c08040' } })
  .jpeg()
  .toBuffer();
const shot = (change: Partial<LinkedShot>): LinkedShot => ({
  ...{ picture: async () => picture, label: '0:01.000', chosen: false, score01: 1, own01: 0.6, shared01: 0.8 },
  ...{ from: 1, to: 2.5, ...change },
});

async function draw(video: string, shots: readonly LinkedShot[], title = 'a title'): Promise<string> {
  let text = '';
  for await (const part of drawLinkedStoryboard({ title, video, shots })) text += part;
  return text;
}

describe('a storyboard with links', () => {
  it('is a picture that can be drawn, each shot a link to its time', async () => {
    const text = await draw('../in/a b.mp4', [shot({}), shot({ from: 2.5, to: 4, chosen: true })]);
    expect(await sharp(Buffer.from(text)).metadata()).toMatchObject({ format: 'svg', width: 1680 });
    const links = tagsOf(text)
      .filter(({ name }) => name === 'a')
      .flatMap((tag) => attributesNamed([tag], 'href'));
    expect(links).toEqual(['./../in/a%20b.mp4#t=1,2.5', './../in/a%20b.mp4#t=2.5,4']);
  });

  it('draws own and shared as parts of the importance: 0.36 and 0.64 of 256', async () => {
    const text = await draw('a.mp4', [shot({})]);
    expect(text).toContain('width="92.16" height="5"');
    expect(text).toContain('width="163.84" height="5"');
  });

  it('lets no name become markup or another address', async () => {
    const text = await draw('java"script:x?y#z.mp4', [shot({ label: '</text><script>' })], '<&">');
    expect(text).not.toContain('<script>');
    expect(text).toContain('href="./java%22script%3Ax%3Fy%23z.mp4#t=1,2.5"');
    expect((await sharp(Buffer.from(text)).metadata()).format).toBe('svg');
  });

  it('has no character that XML forbids', async () => {
    const text = await draw('a\uffff.mp4', [shot({ label: 'x\ufffe\u0000\ud800' })], 'b\uffff');
    expect(text).not.toMatch(/[\u0000\ufffe\uffff\ud800]/);
    expect((await sharp(Buffer.from(text)).metadata()).format).toBe('svg');
  });

  it('leaves a cell empty where there is no picture', async () => {
    expect(await draw('a.mp4', [shot({ picture: async () => null })])).not.toContain('<image');
  });
});

it('reads which pictures are wanted, and refuses unknown ones', () => {
  expect([...parsePictures('stills, svg')!]).toEqual(['svg', 'stills']);
  expect([...parsePictures('none')!]).toEqual([]);
  expect(['', 'svg,', 'svg,none', 'gif', 'svg;stills'].map(parsePictures)).toEqual([null, null, null, null, null]);
});
