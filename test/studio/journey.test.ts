import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { drawTopic } from '../fixtures/drawn-topic.js';
import { openBrowser } from './browser.js';
import { openStudioPage, type StudioPage } from './studio-page.js';

const browser = await openBrowser();
let stage: StudioPage;
beforeAll(async () => {
  if (browser === null) return;
  stage = await openStudioPage(browser, async (folder, ffmpeg) => {
    await drawTopic({ folder, ffmpeg, scale: 0.2, videoCount: 3 });
  });
});
afterAll(async () => {
  await stage?.close();
  await browser?.close();
});

/** One editor's afternoon, from the first look to the reload. */
it.skipIf(browser === null)(
  'opens, waits, steers, pins, plays, compares, rates, exports, reloads and finds it all again',
  async () => {
    const { page, studio } = stage;
    const tab = (name: string): Promise<void> => page.getByRole('tab', { name }).click();
    const chosen = (): Promise<(string | null)[]> =>
      page.locator('.video .shot.chosen button').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
    const pinned = () => page.locator('.video .shot.pinned button');

    await page.goto(studio.address);
    await page.locator('.video .shot').first().waitFor();
    const first = await chosen();
    await page.getByLabel(/^Length/).fill('40');
    await expect.poll(chosen).not.toEqual(first);
    await expect.poll(async () => (await stage.kept())['length']).toBe('40%');

    await page.locator('.video .shot:not(.chosen) button').first().click();
    await page.keyboard.press('p');
    await expect.poll(() => pinned().count()).toBe(1);
    const pin = /shot \d+ of \S+,/.exec((await pinned().getAttribute('aria-label'))!)![0];

    await page.getByRole('button', { name: 'Play summary' }).first().click();
    const player = "document.querySelector('.reel video:not(.spare)')";
    const time = (): Promise<number> => page.evaluate(`${player}.currentTime`);
    await expect.poll(() => page.evaluate(`${player}.readyState`)).toBeGreaterThan(1);
    const from = await time();
    await expect.poll(time).toBeGreaterThan(from + 0.2);
    await page.getByRole('button', { name: 'Close', exact: true }).click();

    await tab('Compare');
    await page.getByLabel('random', { exact: true }).check();
    await expect.poll(() => page.locator('.method').count()).toBe(12);
    // Three methods: two rows for each of three videos, and for the film, which also says how long it is.
    expect(await page.getByText(/^\d+ of \d+ also in the first row$/).count()).toBe(6);
    expect(await page.getByText(/^\d+ of \d+ also in the first row, \d+:/).count()).toBe(2);
    await page.getByRole('button', { name: 'Keep these settings as a row' }).click();
    await expect.poll(() => page.locator('.method').count()).toBe(16);
    expect(await stage.unreadable()).toEqual([]);
    await stage.picture('compare');

    await tab('Rate');
    for (const name of ['spectral', 'smrs', 'livelight', 'cocluster', 'cosum'])
      await page.locator(`input[value="${name}"]`).uncheck();
    await page.getByRole('button', { name: 'Open the study' }).click();
    await page.getByRole('link', { name: 'Rate', exact: true }).click();
    for (const [name, keys] of [
      ['Ada', '82'],
      ['Bo', '73'],
    ] as const) {
      // prettier-ignore
      await page.getByLabel('Your name or number').fill(name);
      await page.keyboard.press('Enter');
      await page.locator('.letters').waitFor();
      await page.keyboard.press(keys[0]!);
      await page.getByText('1 of 2 marked').waitFor();
      await page.getByRole('button', { name: 'Next' }).click();
      await page.keyboard.press(keys[1]!);
      await page.getByText('2 of 2 marked').waitFor();
      await page.getByRole('button', { name: 'Hand in' }).click();
      await page.getByRole('link', { name: 'Back to the studio' }).click();
      await page.locator('.video .shot').first().waitFor();
      await tab('Rate');
      if (name === 'Ada') await page.getByRole('link', { name: 'Rate', exact: true }).click();
    }
    await page.getByRole('button', { name: 'End…' }).click();
    await page.getByRole('button', { name: 'End and show the methods' }).click();
    await page.getByRole('table').waitFor();
    const csv = async (): Promise<string> => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Export CSV' }).click(),
      ]);
      return readFile(await stage.save(download), 'utf8');
    };
    const table = await page.getByRole('table').textContent();
    const marks = await csv();
    expect(marks.trim().split('\r\n')).toHaveLength(1 + 2 * 2);

    await tab('Topic');
    const before = await chosen();
    await page.reload();
    await page.locator('.video .shot').first().waitFor();
    expect(await chosen()).toEqual(before);
    expect(await pinned().getAttribute('aria-label')).toContain(pin);
    expect(await page.getByLabel(/^Length/).inputValue()).toBe('40');
    await tab('Rate');
    await page.getByRole('table').waitFor();
    expect(await page.getByRole('table').textContent()).toBe(table);
    expect(await csv()).toBe(marks);
    expect(stage.faults).toEqual([]);
  },
  400_000,
);
