import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Response } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { drawTopic } from '../fixtures/drawn-topic.js';
import { METHOD_NAMES } from '../../src/select/index.js';
import { openBrowser } from './browser.js';
import { openStudioPage, type StudioPage } from './studio-page.js';

const browser = await openBrowser();
const LETTERS = ['A', 'B', 'C'];
const METHODS = ['cvs', 'kmeans', 'random'];

describe.skipIf(browser === null)('rating in a browser', () => {
  let stage: StudioPage;
  /** Everything the rater's page received: addresses, headers, bodies. */
  const received: string[] = [];
  beforeAll(async () => {
    stage = await openStudioPage(browser!, async (folder, ffmpeg) => {
      await drawTopic({ folder, ffmpeg, scale: 0.2, videoCount: 3 });
    });
    await stage.enter();
  });
  afterAll(async () => {
    await stage?.close();
    await browser?.close();
  });
  const note = async (response: Response): Promise<void> => {
    const { pathname, href } = new URL(response.url());
    const isText = !pathname.startsWith('/media') && pathname !== '/studio.js';
    const headers = JSON.stringify(await response.allHeaders());
    received.push(`${href} ${headers} ${isText ? await response.text().catch(() => '') : ''}`);
  };
  const markAll = async (marks: readonly number[]): Promise<void> => {
    for (const [place, mark] of marks.entries()) {
      await stage.page.keyboard.press(mark === 10 ? '0' : String(mark));
      await expect.poll(() => stage.page.locator('.letters [aria-current] span').textContent()).toBe(String(mark));
      if (place < marks.length - 1) await stage.page.getByRole('button', { name: 'Next' }).click();
    }
  };
  const join_ = async (name: string): Promise<void> => {
    await stage.page.getByLabel('Your name or number').fill(name);
    await stage.page.keyboard.press('Enter');
    await stage.page.getByRole('navigation', { name: 'Summaries' }).waitFor();
  };

  it('opens a study of the topic’s film, with chance as a control', async () => {
    const { page } = stage;
    await page.getByRole('tab', { name: 'Rate' }).click();
    const methods = page.getByRole('group', { name: 'Methods' });
    for (const name of METHOD_NAMES) await methods.locator(`input[value="${name}"]`).setChecked(METHODS.includes(name));
    await page.getByLabel('Key word').fill('Harbour, "old town"');
    expect(await stage.unreadable()).toEqual([]);
    await stage.picture('rate-new');
    await page.getByRole('button', { name: 'Open the study' }).click();
    await page.getByRole('link', { name: 'Rate', exact: true }).waitFor();
    expect(await page.getByRole('region', { name: /Study of Harbour/ }).textContent()).toContain('A to C');
  });

  it('shows a rater the key word and letters, takes marks, and finds them again', async () => {
    const { page } = stage;
    page.on('response', (response) => void note(response));
    await page.getByRole('link', { name: 'Rate', exact: true }).click();
    await page.getByLabel('Your name or number').waitFor();
    expect(await stage.unreadable()).toEqual([]);
    await join_('Ada');
    expect(await page.locator('h1').textContent()).toBe('Harbour, "old town"');
    expect(await page.locator('.letters b').allTextContents()).toEqual(LETTERS);
    expect(await page.getByRole('button', { name: 'Hand in' }).isDisabled()).toBe(true);
    await page.getByRole('radio', { name: '4', exact: true }).check();
    await page.getByText('1 of 3 marked').waitFor();
    await page.reload();
    await page.locator('.letters').waitFor();
    expect(await page.locator('.letters span').allTextContents()).toEqual(['4', '–', '–']);
    await page.getByRole('button', { name: /summary A/ }).click();
    await markAll([7, 10, 3]);
    expect(await page.locator('.letters span').allTextContents()).toEqual(['7', '10', '3']);
    expect(await stage.unreadable()).toEqual([]);
    await stage.picture('rate-marking');
  });

  it('plays a summary through its clips, from the originals', async () => {
    const { page } = stage;
    await page.getByRole('button', { name: /summary B/ }).click();
    const time = (): Promise<number> => page.getByLabel('Position in the film').evaluate((slider) => Number((slider as unknown as { value: string }).value)); // prettier-ignore
    await expect.poll(time).toBeGreaterThan(0.5);
  });

  it('tells a rater with the developer tools nothing', async () => {
    const { page } = stage;
    await page.getByRole('button', { name: 'Hand in' }).click();
    await page.getByText('Thank you, Ada').waitFor();
    const dom = await page.evaluate('document.documentElement.outerHTML');
    const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
    expect(received.length).toBeGreaterThan(5);
    const asked = received.map((line) => new URL(line.split(' ')[0]!).pathname);
    for (const path of asked) expect(path).toMatch(/^\/(studio\.(js|css)|media\/.*|api\/studies\/.*)?$/);
    for (const name of METHOD_NAMES) {
      const pattern = new RegExp(`(?<![-\\w])${name}(?![-\\w])`, 'i');
      for (const text of [...received, dom, stored]) expect(text).not.toMatch(pattern);
    }
    const early = await page.request.get(new URL('/studies/study-1.csv', stage.studio.address).href);
    expect([early.status(), ((await early.json()) as { code: string }).code]).toEqual([422, 'study-open']);
  });

  it('takes a second rater, ends, and shows the table; the CSV holds every mark', async () => {
    const { page } = stage;
    await page.getByRole('link', { name: 'Back to the studio' }).click();
    await page.locator('.video .shot').first().waitFor();
    await page.getByRole('tab', { name: 'Rate' }).click();
    await page.getByRole('link', { name: 'Rate', exact: true }).click();
    await join_('Bo');
    await markAll([5, 6, 2]);
    await page.getByRole('button', { name: 'Hand in' }).click();
    await page.getByRole('link', { name: 'Back to the studio' }).click();
    await page.getByRole('tab', { name: 'Rate' }).click();
    await page.getByRole('button', { name: 'End…' }).click();
    await page.getByRole('button', { name: 'End and show the methods' }).click();
    await page.getByRole('table').waitFor();
    const named = await page.getByRole('rowheader').allTextContents();
    expect(named.toSorted()).toEqual(METHODS.toSorted());
    expect(await stage.unreadable()).toEqual([]);
    await stage.picture('rate-results');

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('study-1.csv');
    const lines = (await readFile(await stage.save(download), 'utf8')).trim().split('\r\n');
    expect(lines).toHaveLength(1 + 2 * 3);
    const rows = lines
      .slice(1)
      .map((line) => /,(\w+),yes,film,The film of the topic,1,([ABC]),(\w+),(\d+)$/.exec(line)!);
    expect(rows.map(([, rater, letter, , mark]) => `${rater} ${letter} ${mark}`)).toEqual(
      ['Ada A 7', 'Ada B 10', 'Ada C 3', 'Bo A 5', 'Bo B 6', 'Bo C 2'], // prettier-ignore
    );
    const record = JSON.parse(await readFile(join(stage.home, 'town-topic', 'studies', 'study-1.json'), 'utf8')) as {
      raters: { ballots: { order: string[] }[] }[];
    };
    const orders = record.raters.flatMap(({ ballots }) => ballots[0]!.order);
    expect(rows.map(([, , , method]) => method)).toEqual(orders);
  });

  it('made no error, and asked nobody but its own server', () => {
    expect(stage.faults).toEqual([]);
  });
});
