import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { defaultCacheFolder, updateTopic } from 'throughline-video';
import { startStudio } from '../../src/studio/index.js';
import { drawTopic } from '../fixtures/drawn-topic.js';
import { buildPage } from './build-page.js';
import { openBrowser } from './browser.js';
import { openStudioPage, type StudioPage } from './studio-page.js';

const browser = await openBrowser();

describe.skipIf(browser === null)('a topic that several pages edit', () => {
  let stage: StudioPage;
  let [first, second]: Page[] = [];
  beforeAll(async () => {
    stage = await openStudioPage(browser!, async (folder, ffmpeg) => {
      await drawTopic({ folder, ffmpeg, scale: 0.2, videoCount: 3 });
    });
    await stage.enter();
    first = stage.page;
    second = await first.context().newPage();
    await second.goto(stage.studio.address);
    await second.locator('.video .shot').first().waitFor();
  });
  afterAll(async () => {
    await second?.close();
    await stage?.close();
    await browser?.close();
  });

  const lengthOn = (page: Page): Promise<string | null> => page.locator('.steering b').first().textContent();
  const stored = async (name: string): Promise<unknown> => (await stage.kept())[name];

  it('pushes a change to every other page', async () => {
    await first!.getByLabel(/^Length/).fill('40');
    await expect.poll(() => lengthOn(second!)).toBe('40%');
    await second!.locator('.video .shot:not(.chosen) button').first().click();
    await second!.keyboard.press('p');
    await expect.poll(() => first!.locator('.video .shot.pinned').count()).toBe(1);
    expect(await stored('length')).toBe('40%');
    expect(await stored('pin')).toHaveLength(1);
  });

  it('refuses a stale change, shows it, and applies it on request', async () => {
    // This page hears nothing of what others do.
    await second!.route('**/api/events', (route) => route.abort());
    await second!.reload();
    await second!.locator('.video .shot').first().waitFor();
    await first!.getByLabel(/^Length/).fill('30');
    await expect.poll(() => stored('length')).toBe('30%');
    await second!.locator('.video .shot.pinned button').first().click();
    await second!.keyboard.press('v');
    const alert = second!.getByRole('alert').filter({ hasText: 'was not applied' });
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(/Somebody else changed the topic first \(Length 30%\)\. “Veto shot/);
    // Nothing was lost: neither the change of the other page, nor, for long, one's own.
    expect(await lengthOn(second!)).toBe('30%');
    expect(await stored('pin')).toHaveLength(1);
    await alert.getByRole('button', { name: 'Apply it now' }).click();
    await expect.poll(() => first!.locator('.video .shot.vetoed').count()).toBe(1);
    expect([await stored('length'), await stored('pin')]).toEqual(['30%', []]);
    await second!.unroute('**/api/events');
  });

  it('undoes while a slider has the focus, and after a reload', async () => {
    const slider = first!.getByLabel(/^Length/);
    await slider.focus();
    await first!.keyboard.press('ArrowRight');
    await expect.poll(() => stored('length')).toBe('31%');
    await first!.keyboard.press('Control+z');
    await expect.poll(() => stored('length')).toBe('30%');
    await first!.reload();
    await first!.locator('.video .shot').first().waitFor();
    await first!.keyboard.press('Control+z');
    await expect.poll(() => first!.locator('.video .shot.pinned').count()).toBe(1);
    await first!.keyboard.press('Control+Shift+z');
    await expect.poll(() => first!.locator('.video .shot.vetoed').count()).toBe(1);
    await first!.keyboard.press('Control+Shift+z');
    await expect.poll(() => stored('length')).toBe('31%');
  });

  it('leaves a video out, and puts it back; the command line does as well', async () => {
    const row = first!.getByRole('region', { name: 'aiko.mp4' });
    const chosen = (): Promise<string[]> => first!.locator('.video .shot.chosen button').evaluateAll((all) => all.map(({ id }) => id)); // prettier-ignore
    const before = await chosen();
    // Wishes about a video that is left out wait until it is put back.
    await row.locator('.shot button').first().click();
    await first!.keyboard.press('p');
    await row.locator('.shot.pinned').waitFor();
    await row.getByRole('button', { name: 'Leave out' }).click();
    await row.getByRole('button', { name: 'Put back' }).waitFor();
    await expect.poll(async () => (await chosen()).some((id) => id.includes('aiko'))).toBe(false);
    const { project, outcome } = await updateTopic({ films: false }, { folder: join(stage.home, 'town-topic') });
    expect(project.videos.map(({ leftOut }) => leftOut === true).filter(Boolean)).toHaveLength(1);
    expect(outcome!.document.videos.map(({ path }) => path)).not.toContain('aiko.mp4');
    const listed = outcome!.document.videos.flatMap(({ id, shots }) =>
      shots.filter((shot) => shot.chosen).map((shot) => `shot-${id}-${shot.index}`),
    );
    expect(await chosen()).toEqual(listed);
    await stage.picture('left-out');
    await row.getByRole('button', { name: 'Put back' }).click();
    await row.locator('.shot.pinned').waitFor();
    await first!.keyboard.press('Control+z');
    await first!.keyboard.press('Control+z');
    await first!.keyboard.press('Control+z');
    await expect.poll(chosen).toEqual(before);
  });

  it('renders again after a render that failed', async () => {
    const results = join(stage.home, 'town-topic', 'summary');
    await rm(results, { recursive: true, force: true });
    await writeFile(results, 'in the way');
    await first!.getByRole('button', { name: 'Render' }).click();
    const alert = first!.getByRole('alert').filter({ hasText: 'Rendering failed.' });
    await alert.waitFor();
    expect(await first!.getByRole('button', { name: 'Render' }).isEnabled()).toBe(true);
    await stage.picture('failed');
    await rm(results);
    await alert.getByRole('button', { name: 'Retry' }).click();
    await first!.getByRole('link', { name: 'Report' }).waitFor();
    expect(await alert.count()).toBe(0);
  });

  it('says that a page without a token is read-only, or how to get in', async () => {
    const { origin } = new URL(stage.studio.address);
    const third = await first!.context().newPage();
    await third.goto(origin);
    await third.getByText('Read-only: this page was opened without a token.').waitFor();
    await third.locator('.video .shot').first().waitFor();
    expect(await third.getByLabel(/^Length/).isDisabled()).toBe(true);
    await third.close();
    const stranger = await browser!.newContext();
    const locked = await stranger.newPage();
    await locked.goto(origin);
    await locked.getByText('This page has no token').waitFor();
    expect(await locked.locator('.video').count()).toBe(0);
    await stranger.close();
  });

  it('works on in an open page after a restart, with the undo of before', async () => {
    const { studio, home, page } = stage;
    await studio.close();
    await page.getByText('The studio is not responding').waitFor();
    const again = await startStudio(join(home, 'town'), { page: await buildPage(), home, jobs: 2 });
    try {
      expect([again.token, again.port]).toEqual([studio.token, studio.port]);
      await expect.poll(() => page.getByText('The studio is not responding').count()).toBe(0);
      await page.locator('.video .shot').first().waitFor({ timeout: 200_000 });
      await page.getByRole('button', { name: 'Undo' }).and(page.locator(':enabled')).waitFor();
      const length = await stored('length');
      await page.keyboard.press('Control+z');
      await expect.poll(() => stored('length')).not.toBe(length);
      const folder = join(defaultCacheFolder(), 'studio');
      const modes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).mode & 0o777)); // prettier-ignore
      expect(new Set(modes)).toEqual(new Set([0o600]));
    } finally {
      await again.close();
    }
  });
});
