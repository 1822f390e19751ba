import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { updateTopic } from 'throughline-video';
import { drawTopic } from '../fixtures/drawn-topic.js';
import { openBrowser } from './browser.js';
import { openStudioPage, type StudioPage } from './studio-page.js';

const browser: Browser | null = await openBrowser();

describe.skipIf(browser === null)('the studio in a browser', () => {
  let stage: StudioPage;
  let page: Page;

  beforeAll(async () => {
    stage = await openStudioPage(browser!, async (folder, ffmpeg) => {
      await drawTopic({ folder, ffmpeg, scale: 0.2, videoCount: 3 });
    });
    page = stage.page;
  });
  afterAll(async () => {
    await stage?.close();
    await browser?.close();
  });

  const chosen = (): Promise<(string | null)[]> =>
    page
      .locator('.video .shot.chosen button')
      .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('aria-label')));
  const move = (label: RegExp, value: string): Promise<void> => page.getByLabel(label).fill(value);

  it('opens, looks at the videos and shows every shot, the chosen ones marked', async () => {
    await page.goto(stage.studio.address);
    await page.locator('.shot').first().waitFor();
    expect(await page.locator('.video').count()).toBe(3);
    expect((await chosen()).length).toBeGreaterThan(2);
    expect(page.url()).not.toContain('token');
    await stage.picture('topic');
  });

  it('follows the sliders, and keeps what they were left at', async () => {
    const before = await chosen();
    await move(/^Length/, '45');
    await expect.poll(chosen).not.toEqual(before);
    await expect.poll(async () => (await stage.kept())['length']).toBe('45%');
    await move(/Shared/, '1');
    await expect.poll(async () => (await stage.kept())['shared']).toBe(1);
  });

  it('pins, vetoes, and takes both back', async () => {
    const cell = page.locator('.shot:not(.chosen) button').first();
    const name = /shot \d+ of \S+,/.exec((await cell.getAttribute('aria-label'))!)![0];
    await cell.click();
    await page.keyboard.press('p');
    await expect.poll(async () => (await chosen()).join()).toContain(name);
    await page.getByRole('button', { name: 'Veto', exact: true }).click();
    await expect.poll(() => page.locator('.shot.vetoed').count()).toBe(1);
    expect(await page.locator('.shot.pinned').count()).toBe(0);
    await page.keyboard.press('Control+z');
    await expect.poll(() => page.locator('.shot.pinned').count()).toBe(1);
    await page.keyboard.press('Control+Shift+z');
    await expect.poll(() => page.locator('.shot.vetoed').count()).toBe(1);
    await stage.picture('veto');
  });

  it('says why, and leads to the counterpart in another video', async () => {
    await page.locator('.topic-film .shot button[title*="other video"]:not([title*="No other"])').first().click();
    const panel = page.getByRole('complementary', { name: 'Why this shot' });
    await panel.locator('.support button').first().waitFor();
    expect(await panel.locator('h3 + p').first().textContent()).toMatch(/other videos? shows? this/);
    expect(await panel.locator('.support .number:visible').count()).toBe(0);
    const heading = await panel.locator('h2').textContent();
    await panel.locator('.support button').first().click();
    await expect.poll(() => panel.locator('h2').textContent()).not.toBe(heading);
    await stage.picture('why');
  });

  it('plays a summary from the original, from clip to clip', async () => {
    await page.getByRole('button', { name: 'Play summary' }).first().click();
    const player = "document.querySelector('.reel video:not(.spare)')";
    const time = (): Promise<number> => page.evaluate(`${player}.currentTime`);
    await expect.poll(() => page.evaluate(`${player}.readyState`)).toBeGreaterThan(1);
    const from = await time();
    await expect.poll(time).toBeGreaterThan(from + 0.2);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
  });

  it('maps all shots, and compares methods', async () => {
    await page.getByRole('tab', { name: 'Map' }).click();
    const inked = (): Promise<number> =>
      page.evaluate(`(() => {
        const canvas = document.querySelector('canvas');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return data.filter((value, at) => at % 4 === 3 && value > 0).length;
      })()`);
    await expect.poll(inked).toBeGreaterThan(100);
    await stage.picture('map');
    await page.getByRole('tab', { name: 'Compare' }).click();
    await expect.poll(() => page.locator('.method .shot').count()).toBeGreaterThan(3);
    await page.getByLabel('random', { exact: true }).check();
    // Three methods for the film of the topic and for each of three videos.
    await expect.poll(() => page.locator('.method').count()).toBe(12);
    await stage.picture('compare');
    await page.getByRole('tab', { name: 'Topic' }).click();
  });

  it('has names for everything, and colours one can read, dark and light', async () => {
    expect(await stage.unreadable()).toEqual([]);
  });

  it('works on a tablet', async () => {
    await page.setViewportSize({ width: 820, height: 1180 });
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('finds everything again after a reload; the command line gives the same', async () => {
    const before = await chosen();
    await page.reload();
    await page.locator('.shot').first().waitFor();
    expect(await chosen()).toEqual(before);
    const { outcome } = await updateTopic({ films: false }, { folder: join(stage.home, 'town-topic') });
    const shots = outcome!.document.videos.flatMap(({ shots: all }) => all.filter((shot) => shot.chosen));
    expect(shots).toHaveLength(before.length);
  });

  it('renders on request, with progress, and links the report', async () => {
    await page.reload();
    await page.getByRole('button', { name: 'Render' }).click();
    await page.getByRole('link', { name: 'Report' }).waitFor();
    const report = await page.getByRole('link', { name: 'Report' }).getAttribute('href');
    expect((await page.request.get(new URL(report!, stage.studio.address).href)).status()).toBe(200);
  });

  it('made no error, and asked nobody but its own server', () => {
    expect(stage.faults).toEqual([]);
  });
});
