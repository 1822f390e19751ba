import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { drawTopic } from '../fixtures/drawn-topic.js';
import { probe } from '../../src/media/index.js';
import { openBrowser } from './browser.js';
import { openStudioPage, type StudioPage } from './studio-page.js';

const browser = await openBrowser();

describe.skipIf(browser === null)('what leaves the studio', () => {
  let stage: StudioPage;
  beforeAll(async () => {
    stage = await openStudioPage(browser!, async (folder, ffmpeg) => {
      await drawTopic({ folder, ffmpeg, scale: 0.2, videoCount: 2 });
    });
    await stage.enter();
    await stage.page.getByRole('tab', { name: 'Export' }).click();
  });
  afterAll(async () => {
    await stage?.close();
    await browser?.close();
  });

  const field = (name: string) => stage.page.locator('label', { hasText: new RegExp(`^${name}`) }).locator('select');
  const saved = async (button: string): Promise<{ name: string; text: string }> => {
    const [download] = await Promise.all([
      stage.page.waitForEvent('download'),
      stage.page.getByRole('button', { name: button, exact: true }).click(),
    ]);
    return { name: download.suggestedFilename(), text: await readFile(await stage.save(download), 'utf8') };
  };

  it('gives the film of the topic to an editing system, before anything is rendered', async () => {
    await stage.page.getByText('Nothing rendered yet.').waitFor();
    const fcpxml = await saved('Download');
    expect(fcpxml.name).toBe('town-topic-film.fcpxml');
    expect(fcpxml.text).toContain('<fcpxml');
    // Sources are named where they are.
    expect(fcpxml.text).toContain(`file://${join(stage.home, 'town')}/`);
  });

  it('gives one video, in another format, at another rate', async () => {
    await field('Content').selectOption({ label: 'bruno.mp4' });
    await field('Format').selectOption('edl');
    await stage.page.getByLabel('Frame rate').selectOption('30');
    const edl = await saved('Download');
    expect(edl.name).toBe('bruno.edl');
    expect(edl.text).toMatch(/FCM: NON-DROP FRAME/);
    expect(edl.text).toContain('bruno.mp4');
    // The timeline is not as fast as the source, and the page says so.
    await stage.page.getByText('The timeline has 30 frames per second').waitFor();
  });

  it('makes what is ticked, tells how far it is, and offers the files', async () => {
    await stage.page.getByLabel('A film of each video').uncheck();
    await stage.page.getByLabel('Contact sheets of all shots').check();
    await stage.page.getByRole('button', { name: 'Render' }).click();
    await stage.page.getByRole('link', { name: 'report.html', exact: true }).waitFor();
    const files = await stage.page.locator('.files li > a:first-child').allTextContents();
    expect(files.slice(0, 2)).toEqual(['report.html', 'concept.mp4']);
    expect(files.filter((name) => name.endsWith('.mp4'))).toEqual(['concept.mp4']);
    expect(files.some((name) => /contact|sheet/.test(name))).toBe(true);
    expect(await stage.kept()).toMatchObject({ films: false, pictures: 'storyboard,sheet' });
    const [download] = await Promise.all([
      stage.page.waitForEvent('download'),
      stage.page.getByRole('link', { name: 'Download concept.mp4' }).click(),
    ]);
    expect((await probe(await stage.save(download))).widthPx).toBeGreaterThan(0);
    await stage.picture('export');
    expect(await stage.unreadable()).toEqual([]);
  });

  it('stops on request, and says that what was finished is kept', async () => {
    await stage.page.getByLabel('A film of each video').check();
    await stage.page.getByLabel('Film format').selectOption('webm');
    // On a quick machine the work may be over before a tester sees the button: the page presses it as soon as it is there.
    await stage.page.evaluate(`new MutationObserver((_, observer) => {
      const cancel = [...document.querySelectorAll('button')].find((button) => button.textContent === 'Cancel');
      if (!cancel) return;
      observer.disconnect();
      cancel.click();
    }).observe(document.body, { childList: true, subtree: true })`);
    await stage.page.getByRole('button', { name: 'Render' }).click();
    await stage.page.getByText('Cancelled; finished work is kept.').waitFor();
    await expect.poll(() => stage.page.getByRole('button', { name: 'Render' }).isEnabled()).toBe(true);
  });

  it('made no error, and asked nobody but its own server', () => {
    expect(stage.faults).toEqual([]);
  });
});
