import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startServer, type StudioServer } from '../../src/studio/server.js';
import { openBrowser } from './browser.js';
import { buildPage } from './build-page.js';
import { drawnBackend } from './drawn-backend.js';

const browser = await openBrowser();

describe.skipIf(browser === null)('400 clips', () => {
  let server: StudioServer;
  let page: Page;
  beforeAll(async () => {
    server = await startServer(drawnBackend(400, 12), { port: 0, version: 'test', page: await buildPage() });
    page = await browser!.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(server.address);
    await page.locator('.video .lane').first().waitFor();
  });
  afterAll(async () => {
    await page?.close();
    await server?.close();
    await browser?.close();
  });

  const drawn = (): Promise<number> => page.locator('.video .lane').count();

  const row = (name: string) => page.getByRole('region', { name, exact: true });
  const show = async (what: string): Promise<void> =>
    void (await page.getByRole('combobox', { name: /^Show/ }).selectOption(what));
  const listed = (): Promise<(string | null)[]> =>
    page.locator('.video').evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')));

  it('are all listed, folded, doubles under the clip that is preferred, and only those near the window are drawn', async () => {
    expect(await page.locator('.video').count()).toBe(396);
    expect(await page.locator('.video .shot').count()).toBe(0);
    expect(await drawn()).toBeLessThan(80);
    await page.locator('.video').last().scrollIntoViewIfNeeded();
    await row('video-399.mp4').locator('.lane').waitFor();
    await expect.poll(drawn).toBeLessThan(80);
  });

  it('can be found and left out in a few keys', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('video-237');
    await expect.poll(() => page.locator('.video').count()).toBe(1);
    await row('video-237.mp4').getByRole('button', { name: 'Leave out' }).click();
    await row('video-237.mp4').getByRole('button', { name: 'Put back' }).waitFor();
    await page.getByLabel('Search clips').fill('');
    await show('Left out');
    await expect.poll(listed).toEqual(['video-237.mp4']);
    await show('All');
  });

  it('that look alike unfold from the one that is preferred', async () => {
    await page.getByLabel('Search clips').fill('');
    await row('video-106.mp4').scrollIntoViewIfNeeded();
    expect(await listed()).not.toContain('video-107.mp4');
    await row('video-106.mp4').getByRole('button', { name: '1 alike' }).click();
    const step = async (): Promise<number> => {
      const names = await listed();
      return names.indexOf('video-107.mp4') - names.indexOf('video-106.mp4');
    };
    await expect.poll(step).toBe(1);
    await row('video-106.mp4').getByRole('button', { name: '1 alike' }).click();
    await expect.poll(listed).not.toContain('video-107.mp4');
  });

  it('are filtered by what is pinned, bad or double', async () => {
    await show('Doubles');
    await expect.poll(listed).toEqual([7, 107, 207, 307].map((video) => `video-${video}.mp4`));
    await show('Bad pictures');
    await expect.poll(listed).toEqual([3, 103, 203, 303].map((video) => `video-${video}.mp4`));
    await row('video-203.mp4').getByRole('button', { name: 'video-203.mp4', exact: true }).click();
    await row('video-203.mp4').locator('.shot button').nth(4).click();
    await page.keyboard.press('p');
    await row('video-203.mp4').locator('.shot.pinned').waitFor();
    await show('Pinned');
    await expect.poll(listed).toEqual(['video-203.mp4']);
    await show('In the film');
    await expect.poll(async () => (await listed()).length).toBeGreaterThan(100);
    await show('Pinned');
  });

  it('have one stop of the Tab key per list, and move nothing for those who want no motion', async () => {
    const stops = (list: string): Promise<number> => page.locator(`${list} button[tabindex="0"]`).count();
    expect(await row('video-203.mp4').locator('.shot').count()).toBe(12);
    expect([await stops('.shots'), await stops('[role="tablist"]')]).toEqual([1, 1]);
    const moving = (): Promise<number> => page.evaluate(`[...document.querySelectorAll('*')].filter((each) => getComputedStyle(each).transitionDuration !== '0s' || getComputedStyle(each).animationName !== 'none').length`); // prettier-ignore
    expect(await moving()).toBeGreaterThan(0);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await moving()).toBe(0);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
  });
});

it('the page weighs less than 200 kB compressed', async () => {
  const folder = await buildPage();
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name))));
  expect(files.reduce((sum, file) => sum + gzipSync(file).length, 0)).toBeLessThan(200_000);
});
