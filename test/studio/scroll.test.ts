import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { drawTopic } from '../fixtures/drawn-topic.js';
import { openBrowser } from './browser.js';
import { openStudioPage, type StudioPage } from './studio-page.js';

const browser = await openBrowser();

describe.skipIf(browser === null)('a short summary in a small window', () => {
  let stage: StudioPage;
  let page: Page;
  beforeAll(async () => {
    stage = await openStudioPage(browser!, async (folder, ffmpeg) => {
      await drawTopic({ folder, ffmpeg, scale: 0.2, videoCount: 4 });
    });
    page = stage.page;
    await page.setViewportSize({ width: 1020, height: 480 });
    await stage.enter();
  });
  afterAll(async () => {
    await stage?.close();
    await browser?.close();
  });

  /** Which cells can be seen whole: inside their strip, below the bar, above the end of the window. */
  const seen = (cells: string, isAnyHeight = false): Promise<boolean[]> =>
    page.evaluate(`[...document.querySelectorAll('${cells}')].map((cell) => {
      const [own, strip] = [cell.getBoundingClientRect(), cell.closest('.shots').getBoundingClientRect()];
      const isInStrip = own.left >= strip.left && own.right <= strip.right;
      const { bottom } = document.querySelector('header.bar').getBoundingClientRect();
      return isInStrip && (${isAnyHeight} || (own.top >= bottom && own.bottom <= innerHeight));
    })`);
  const HERE = '.video .shot button[aria-pressed="true"]';
  const away = async (): Promise<void> => {
    await page.evaluate("document.querySelectorAll('.shots').forEach((strip) => (strip.scrollLeft = 0))");
    await page.evaluate('scrollTo(0, 0)');
  };

  it('opens every row where a shot is chosen', async () => {
    const rows = await page.locator('.video').count();
    for (let row = 1; row <= rows; row++)
      expect(await seen(`.rows > .video:nth-of-type(${row + 1}) .shot.chosen`, true)).toContain(true);
  });

  it('goes from chosen shot to chosen shot by keyboard, each in view', async () => {
    await away();
    const count = await page.locator('.video .shot.chosen').count();
    const labels = new Set<string>();
    for (let step = 0; step < count; step++) {
      await page.keyboard.press('Shift+ArrowRight');
      await expect.poll(() => seen(HERE)).toEqual([true]);
      labels.add((await page.locator(HERE).getAttribute('aria-label'))!);
    }
    expect([...labels].filter((label) => label.endsWith(', chosen'))).toHaveLength(count);
    await away();
    await page.keyboard.press('Shift+ArrowLeft');
    await expect.poll(() => seen(HERE)).toEqual([true]);
    await away();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => seen(HERE)).toEqual([true]);
  });

  it('passes below the bar', async () => {
    const above = `(() => {
      for (let y = 0; y < 600; y += 2) {
        scrollTo(0, y);
        for (const x of [40, 200, 360]) if (!document.elementFromPoint(x, 20).closest('header.bar')) return y;
      }
      return null;
    })()`;
    expect(await page.evaluate(above)).toBeNull();
  });

  it('shows a shot of another video that is clicked in the panel', async () => {
    const support = page.locator('.support .peer:visible');
    await away();
    await support.last().click();
    await expect.poll(() => seen(HERE)).toEqual([true]);
  });

  it('stays with the film if a shot is clicked there, and goes to it on request', async () => {
    for (const shot of [-1, -2]) {
      await away();
      await page.locator('.topic-film .shot button').nth(shot).click();
      await expect.poll(() => seen(HERE, true)).toEqual([true]);
      expect(await page.evaluate('scrollY')).toBe(0);
      await page.getByRole('button', { name: 'Go to shot' }).click();
      await expect.poll(() => seen(HERE)).toEqual([true]);
      await page.getByRole('tab', { name: 'Compare' }).click();
      await away();
      await page.getByRole('button', { name: 'Go to shot' }).click();
      await expect.poll(() => seen(HERE)).toEqual([true]);
    }
  });

  it('leaves shots alone where none are shown', async () => {
    await page.getByRole('tab', { name: 'Export' }).click();
    await page.keyboard.press('v');
    await page.getByRole('tab', { name: 'Topic' }).click();
    expect(await page.getByRole('button', { name: 'Undo' }).isDisabled()).toBe(true);
  });

  it('made no error, and asked nobody but its own server', () => {
    expect(stage.faults).toEqual([]);
  });
});
