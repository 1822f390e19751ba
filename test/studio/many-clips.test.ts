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

  it('are all listed, folded, and only those near the window are drawn', async () => {
    expect(await page.locator('.video').count()).toBe(400);
    expect(await page.locator('.video .shot').count()).toBe(0);
    expect(await drawn()).toBeLessThan(80);
    await page.locator('.video').last().scrollIntoViewIfNeeded();
    await page.getByRole('region', { name: 'video-399.mp4', exact: true }).locator('.lane').waitFor();
    await expect.poll(drawn).toBeLessThan(80);
  });

  it('can be found and left out in a few keys', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('video-237');
    const row = page.getByRole('region', { name: 'video-237.mp4', exact: true });
    await expect.poll(() => page.locator('.video').count()).toBe(1);
    await row.getByRole('button', { name: 'Leave out' }).click();
    await row.getByRole('button', { name: 'Put back' }).waitFor();
    await page.getByLabel('Search clips').fill('');
    await page.getByRole('combobox', { name: /^Show/ }).selectOption('Left out');
    await expect.poll(() => page.locator('.video').count()).toBe(1);
  });
});
