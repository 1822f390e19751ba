import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { locateFfmpeg } from '../../src/media/index.js';
import type { Topic } from '../../src/studio/contract.js';
import { makeVideo, readBack } from '../fixtures/make.js';
import { openBrowser } from './browser.js';
import { openStudioPage, type StudioPage } from './studio-page.js';

const browser = await openBrowser();
const RATE = 25;

/** Reads the number that each shown frame carries (test/fixtures/marks.ts) from its picture. */
const READ_FRAMES = `(() => {
  window.frames_ = [];
  const ink = Object.assign(document.createElement('canvas'), { width: 192, height: 108 }).getContext('2d', { willReadFrequently: true });
  for (const video of document.querySelectorAll('.reel video')) {
    const read = () => {
      if (video.classList.contains('spare')) return;
      ink.drawImage(video, 0, 0, 192, 108);
      let number = 0;
      for (let bit = 0; bit < 16; bit++) number = 2 * number + (ink.getImageData(12 * bit + 6, 87, 1, 1).data[0] > 127 ? 1 : 0);
      frames_.push(number);
    };
    const next = () => {
      video.requestVideoFrameCallback(next);
      read();
    };
    video.requestVideoFrameCallback(next);
    // The player that takes over shows a frame that it had ready.
    new MutationObserver(read).observe(video, { attributeFilter: ['class'] });
  }
})()`;

describe.skipIf(browser === null)('clips on a timeline', () => {
  let stage: StudioPage;
  let page: Page;
  beforeAll(async () => {
    stage = await openStudioPage(browser!, async (folder, ffmpeg) => {
      const shape = { frameCount: 200, cuts: [60, 120], hasFlashes: false };
      await makeVideo(ffmpeg, join(folder, 'arch.mp4'), { ...shape, firstNumber: 0 });
      await makeVideo(ffmpeg, join(folder, 'boat.avi'), { ...shape, firstNumber: 200, codec: 'mpeg4', container: 'avi', hasBFrames: false }); // prettier-ignore
      await makeVideo(ffmpeg, join(folder, 'cliff.mkv'), { ...shape, frameCount: 150, firstNumber: 400, codec: 'hevc-10bit', container: 'mkv' }); // prettier-ignore
      await writeFile(join(folder, 'ditch.mp4'), 'no video');
    });
    page = stage.page;
  });
  afterAll(async () => {
    await stage?.close();
    await browser?.close();
  });

  const row = (name: string) => page.getByRole('region', { name, exact: true });
  const names = (): Promise<(string | null)[]> =>
    page.locator('.video').evaluateAll((rows) => rows.map((each) => each.getAttribute('aria-label')));
  const shown = page_('.reel video:not(.spare)');
  function page_(selector: string) {
    return <T>(what: string): Promise<T> => page.evaluate(`document.querySelector('${selector}')?.${what}`);
  }
  /** What the record pins, once the page shows it too: a drag begins on what is shown. */
  const pins = async (): Promise<string[]> => {
    await page.locator('main[aria-busy="false"]').waitFor();
    return (await stage.kept())['pin'] as string[];
  };

  it('lists every clip with a picture before anything is analysed', async () => {
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/api/topic')),
      page.goto(stage.studio.address),
    ]);
    const topic = (await answer.json()) as Topic;
    expect([topic.selection, topic.work.state]).toEqual([null, 'analysing']);
    expect(topic.clips.map(({ name }) => name)).toEqual(['arch.mp4', 'boat.avi', 'cliff.mkv', 'ditch.mp4']);
    await row('arch.mp4').getByRole('button', { name: 'Play arch.mp4' }).click();
    await expect.poll(() => shown<number>('videoWidth')).toBe(192);
    await expect.poll(() => page.locator('.thumb img').evaluateAll((all) => all.filter((img) => (img as unknown as { naturalWidth: number }).naturalWidth > 0).length)).toBe(3); // prettier-ignore
    await stage.picture('analysing');
    await page.locator('.video .shot').first().waitFor();
  });

  it('plays what browsers cannot play, by a proxy, and says what cannot be shown', async () => {
    for (const name of ['boat.avi', 'cliff.mkv']) {
      await row(name)
        .getByRole('button', { name: `Play ${name}` })
        .click();
      await expect.poll(() => shown<string>('src')).toContain(`/media/${name.slice(0, -4)}?proxy`);
      await expect.poll(() => shown<number>('videoWidth')).toBe(192);
      const from = await shown<number>('currentTime');
      await expect.poll(() => shown<number>('currentTime')).not.toBe(from);
    }
    expect(await row('ditch.mp4').textContent()).toMatch(/cannot be used.*Expected a video in "ditch\.mp4", found/);
    await stage.picture('proxy');
  });

  it('finds clips by search, order and filter, and folds them', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('CL');
    expect(await names()).toEqual(['cliff.mkv']);
    await page.getByLabel('Search clips').fill('');
    await page.getByRole('combobox', { name: /^Sort/ }).selectOption('Length');
    expect((await names()).slice(0, 3)).toEqual(['arch.mp4', 'boat.avi', 'cliff.mkv']);
    for (const order of ['Share of the film', 'Belonging', 'Name']) {
      await page.getByRole('combobox', { name: /^Sort/ }).selectOption(order);
      expect((await names()).toSorted()).toEqual(['arch.mp4', 'boat.avi', 'cliff.mkv', 'ditch.mp4']);
    }
    await page.getByRole('combobox', { name: /^Show/ }).selectOption('Bad pictures');
    expect(await names()).toContain('ditch.mp4');
    await page.getByRole('combobox', { name: /^Show/ }).selectOption('Left out');
    expect(await names()).toEqual([]);
    await page.getByText('No clip matches').waitFor();
    await page.getByRole('combobox', { name: /^Show/ }).selectOption('All');
    await page.getByRole('button', { name: 'Fold all' }).click();
    await expect.poll(() => page.locator('.video .shot').count()).toBe(0);
    await row('boat.avi').getByRole('button', { name: 'boat.avi', exact: true }).click();
    await expect.poll(() => row('boat.avi').locator('.shot').count()).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Unfold all' }).click();
  });

  it('shows the moment under the pointer, on one scale for all lanes', async () => {
    const lane = row('arch.mp4').locator('.lane');
    const { x, y, width } = (await lane.boundingBox())!;
    await page.mouse.move(x + width / 2, y + 20);
    await page.locator('.hover').getByText('0:04.0').waitFor();
    await expect.poll(() => page_('.hover video')<number>('currentTime')).toBeCloseTo(4, 1);
    await page.mouse.move(5, 5);
    await expect.poll(() => page.locator('.hover').count()).toBe(0);
    await page.keyboard.press('+');
    await page.mouse.move(x + 2, y + 20);
    await page
      .locator('.hover')
      .getByText(/0:02\.0/)
      .waitFor();
    await page.keyboard.press('0');
    await stage.picture('timeline');
    expect(await stage.unreadable()).toEqual([]);
  });

  it('plays by J, K and L, steps by frames, and has a sheet of keys', async () => {
    await row('arch.mp4').getByRole('button', { name: 'Play arch.mp4' }).click();
    await expect.poll(() => shown<number>('readyState')).toBeGreaterThan(1);
    await page.keyboard.press('k');
    // The picture may stand still before the player knows that it was told to.
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await expect.poll(() => shown<boolean>('paused')).toBe(true);
    await page.keyboard.press('l');
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.keyboard.press('l');
    await expect.poll(() => shown<number>('playbackRate')).toBe(2);
    await page.keyboard.press('k');
    const lane = (await row('arch.mp4').locator('.lane').boundingBox())!;
    await page.mouse.click(lane.x + lane.width / 2, lane.y + 20);
    const time = (): Promise<number> => shown<number>('currentTime');
    await expect.poll(time).toBeCloseTo(4, 1);
    const frame = await time();
    await page.keyboard.press('.');
    await expect.poll(time).toBeCloseTo(frame + 0.04, 2);
    await page.keyboard.press('j');
    await expect.poll(time).toBeLessThan(frame - 0.1);
    await page.keyboard.press('k');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await stage.picture('keys');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });

  it('plays by Space after any click, and leaves buttons and sliders only their own keys', async () => {
    const [play, pause] = ['Play', 'Pause'].map((name) => page.getByRole('button', { name, exact: true }));
    const ripple = page.getByRole('button', { name: 'Ripple' });
    await ripple.click();
    await page.keyboard.press(' ');
    await pause!.waitFor();
    expect(await ripple.getAttribute('aria-pressed')).toBe('false');
    await page.getByLabel(/^Length/).focus();
    await page.keyboard.press('k');
    await play!.waitFor();
    // Whoever comes by keyboard presses the button.
    await page.getByRole('button', { name: 'Fit film' }).focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press(' ');
    await expect.poll(() => ripple.getAttribute('aria-pressed')).toBe('true');
    expect(await pause!.count()).toBe(0);
  });

  it('goes where the ruler is pressed or dragged, and follows the playhead out of what is shown', async () => {
    await page.keyboard.press('Escape');
    const ruler = (await page.locator('.ruler').boundingBox())!;
    const position = (): Promise<number> => page.getByLabel('Position in the film').inputValue().then(Number);
    await page.mouse.move(ruler.x + ruler.width / 4, ruler.y + 8);
    await page.mouse.down();
    await expect.poll(position).toBeCloseTo(2, 1);
    await page.mouse.move(ruler.x + ruler.width / 2, ruler.y + 8, { steps: 3 });
    await page.mouse.up();
    await expect.poll(position).toBeCloseTo(4, 1);
    for (let step = 0; step < 3; step++) await page.keyboard.press('+');
    await page.keyboard.press('Shift+.');
    await expect.poll(position).toBeCloseTo(5, 1);
    const lane = (await page.locator('.film-row .lane').boundingBox())!;
    const head = async (): Promise<number> => ((await page.locator('.film-row .playhead').boundingBox())?.x ?? -1) - lane.x; // prettier-ignore
    await expect.poll(head).toBeGreaterThanOrEqual(0);
    expect(await head()).toBeLessThan(lane.width / 2);
    await page.keyboard.press('0');
    await page.keyboard.press('Escape');
  });

  it('trims by I and O and by dragging, snapping to cuts, to the frame in the rendered film', async () => {
    const lane = (await row('arch.mp4').locator('.lane').boundingBox())!;
    const at = (seconds: number): number => lane.x + (seconds / 8) * lane.width;
    await page.keyboard.press('Escape');
    await page.mouse.click(at(3), lane.y + 20);
    await expect.poll(() => shown<number>('currentTime')).toBeCloseTo(3, 1);
    await page.keyboard.press('i');
    await expect.poll(async () => (await pins()).length).toBe(1);
    const [, from, to] = /^arch\.mp4@([\d.]+)-([\d.]+)$/.exec((await pins())[0]!)!.map(Number) as [number, number, number]; // prettier-ignore
    expect(Math.abs(from - 3)).toBeLessThan(0.06);
    await row('arch.mp4').locator('.played').first().waitFor();
    // Its end, dragged near the cut at 4.8 s, goes to the cut; with Alt it stays where it is let go.
    const drag = async (start: number, end: number): Promise<void> => {
      await page.mouse.move(at(start), lane.y + 20);
      await page.mouse.down();
      await page.mouse.move(at(end) - 3, lane.y + 20, { steps: 3 });
      await page.mouse.move(at(end), lane.y + 20);
      await page.mouse.up();
    };
    const ending = async (): Promise<number> => Number(/-([\d.]+)$/.exec((await pins())[0]!)![1]);
    await page.keyboard.down('Alt');
    await drag(to, 4);
    await page.keyboard.up('Alt');
    await expect.poll(ending).not.toBe(to);
    const loose = await ending();
    expect(Math.abs(loose - 4)).toBeLessThan(0.08);
    await drag(loose, 4.8 + 4 * (8 / lane.width));
    await expect.poll(ending).toBe(4.8);
    await page.keyboard.press('Shift+{');
    await expect.poll(ending).toBe(4.76);
    await stage.picture('trimmed');

    await page.getByLabel(/^Length/).fill('10');
    await expect.poll(async () => (await stage.kept())['length']).toBe('10%');
    await page.getByRole('button', { name: 'Render' }).click();
    await page.getByRole('link', { name: 'Report' }).waitFor();
    const film = join(stage.home, 'town-topic', 'summary', 'arch.mp4');
    const { frameNumbers } = await readBack((await locateFfmpeg()).path, film);
    const [first, last] = [Math.round(from * RATE), Math.round(4.76 * RATE)];
    expect(frameNumbers).toEqual(Array.from({ length: last - first }, (_, frame) => first + frame));
  });

  it('plays the film without a stop between its shots: after each join comes the first frame of the next shot', async () => {
    const headers = { Authorization: `Bearer ${stage.studio.token}` };
    const answer = await page.request.get(new URL('/api/topic', stage.studio.address).href, { headers });
    const { film, videos } = ((await answer.json()) as Topic).selection!;
    const first: Readonly<Record<string, number>> = { 'arch.mp4': 0, 'boat.avi': 200, 'cliff.mkv': 400 };
    const numbers = film!.shots.map(({ video, from, to }) => {
      const start = first[videos.find(({ id }) => id === video)!.name]!;
      return { from: start + Math.round(from * RATE), to: start + Math.round(to * RATE) };
    });
    expect(numbers.length).toBeGreaterThan(2);
    await page.getByRole('button', { name: 'Play the film' }).click();
    await page.evaluate(READ_FRAMES);
    const last = numbers.at(-1)!;
    const read = (): Promise<number[]> => page.evaluate('frames_');
    await expect.poll(async () => (await read()).some((frame) => frame >= last.from && frame < last.to)).toBe(true);
    const frames = await read();
    // The player is opened before its frames are read: the first shot may have begun.
    for (const { from, to } of numbers.slice(1)) {
      expect(frames.find((frame) => frame >= from && frame < to)).toBe(from);
    }
    const place = (frame: number): number => numbers.findIndex(({ from, to }) => frame >= from && frame < to);
    const places = frames.map(place).filter((at) => at >= 0);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    await page.keyboard.press('Escape');
  });

  it('made no error, and asked nobody but its own server', () => {
    expect(stage.faults).toEqual([]);
  });
});
