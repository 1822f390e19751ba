import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { updateTopic } from 'throughline-video';
import type { Topic } from '../../src/studio/contract.js';
import { drawTopic } from '../fixtures/drawn-topic.js';
import { openBrowser } from './browser.js';
import { openStudioPage, type StudioPage } from './studio-page.js';

const browser = await openBrowser();

describe.skipIf(browser === null)('a film that is cut by hand', () => {
  let stage: StudioPage;
  let page: Page;
  beforeAll(async () => {
    stage = await openStudioPage(
      browser!,
      async (folder, ffmpeg) => void (await drawTopic({ folder, ffmpeg, scale: 0.2, videoCount: 4 })),
      { share: true },
    );
    page = stage.page;
    await stage.enter();
  });
  afterAll(async () => {
    await stage?.close();
    await browser?.close();
  });

  type Shot = { video: string; shot: number; from: number; to: number };
  const read = async (): Promise<Topic> => {
    const headers = { Authorization: `Bearer ${stage.studio.token}` };
    return (
      await page.request.get(new URL('/api/topic', stage.studio.address).href, { headers })
    ).json() as Promise<Topic>;
  };
  const film = async (): Promise<Shot[]> =>
    (await read()).selection!.film!.shots.map(({ video, shot, from, to }) => ({ video, shot, from, to }));
  const lane = () => page.getByRole('group', { name: 'Film of the topic on the timeline' });
  const blocks = () => lane().locator('.block');
  const rounded = (shots: readonly Shot[]) =>
    shots.map(({ from, to, ...shot }) => ({ ...shot, from: from.toFixed(2), to: to.toFixed(2) }));
  const panel = () => page.getByRole('complementary', { name: 'Film of the topic, playing' });
  const playhead = (): Promise<number> => page.getByLabel('Position in the film').evaluate((slider) => Number((slider as unknown as { value: string }).value)); // prettier-ignore

  const undo = async (before: readonly Shot[]): Promise<void> => {
    await page.keyboard.press('Control+z');
    await expect.poll(film).toEqual(before);
    await page.locator('.film-row small').first().getByText(`${before.length} shots`).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Release cut' }).count()).toBe(0);
  };

  it('goes to the moment of a click on its lane, and from cut to cut by the arrows', async () => {
    const before = await film();
    await blocks().nth(1).focus();
    await page.keyboard.press('Enter');
    await panel().waitFor();
    await page.keyboard.press('k');
    const start = before[0]!.to - before[0]!.from;
    await expect.poll(playhead).toBeCloseTo(start, 1);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(playhead).toBeCloseTo(0, 1);
    await page.keyboard.press('ArrowRight');
    await expect.poll(playhead).toBeCloseTo(start, 1);
    expect(await blocks().nth(1).getAttribute('aria-pressed')).toBe('true');
    await stage.picture('film-lane');
    expect(await stage.unreadable()).toEqual([]);
  });

  it('loses a shot and gets shorter, everything else unchanged; and has it back by undo', async () => {
    const before = await film();
    await page.keyboard.press('Delete');
    await expect.poll(film).toHaveLength(before.length - 1);
    expect(rounded(await film())).toEqual(rounded(before.toSpliced(1, 1)));
    await page.getByRole('button', { name: 'Release cut' }).waitFor();
    await undo(before);
  });

  it('plays another take instead, best first, for the same time', async () => {
    const before = await film();
    const offered = panel().locator('.use');
    let at = 1;
    for (; at < before.length; at++) {
      await blocks().nth(at).focus();
      await page.keyboard.press('Enter');
      await panel()
        .getByText(`${at + 1} of ${before.length}`)
        .waitFor();
      await panel().getByRole('heading', { name: 'Why' }).waitFor();
      if ((await offered.count()) > 0) break;
    }
    const name = (await offered.first().getAttribute('aria-label'))!;
    const [, number, video] = /shot (\d+) of (\S+)\.mp4/.exec(name)!;
    await offered.first().click();
    await expect
      .poll(async () => (await film())[at]!.video + (await film())[at]!.shot)
      .toBe(`${video}${Number(number) - 1}`);
    const after = await film();
    expect(rounded(after.toSpliced(at, 1))).toEqual(rounded(before.toSpliced(at, 1)));
    expect(after[at]!.to - after[at]!.from).toBeLessThanOrEqual(before[at]!.to - before[at]!.from + 0.05);
    await stage.picture('takes');
    await undo(before);
  });

  it('is trimmed to the frame by dragging an edge and by O; the command line makes the same film', async () => {
    await page.keyboard.press('f');
    const before = await film();
    const box = (await blocks().nth(0).boundingBox())!;
    const wide = before[0]!.to - before[0]!.from;
    await page.mouse.move(box.x + box.width - 3, box.y + 20);
    await page.keyboard.down('Alt');
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.8, box.y + 20, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Alt');
    await expect.poll(async () => (await film())[0]!.to).not.toBe(before[0]!.to);
    const dragged = await film();
    const { frameRate } = (await read()).selection!.videos.find(({ id }) => id === before[0]!.video)!;
    expect(Math.abs(dragged[0]!.to - before[0]!.from - 0.8 * wide)).toBeLessThan(0.1 * wide);
    expect(dragged[0]!.to * frameRate).toBeCloseTo(Math.round(dragged[0]!.to * frameRate), 2);
    expect(rounded(dragged.slice(1))).toEqual(rounded(before.slice(1)));
    await blocks().nth(0).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('k');
    const { revision } = (await read()).document;
    await page.keyboard.press('}');
    // The record is written before the revision is announced.
    await expect.poll(async () => (await read()).document.revision).toBe(revision + 1);
    expect((await film())[0]!.to).toBeCloseTo(dragged[0]!.to + 1 / frameRate, 3);
    const { outcome } = await updateTopic({ films: false }, { folder: join(stage.home, 'town-topic') });
    const made = outcome!.document.concept!.shots;
    expect(made.map(({ video, shot }) => [video, shot])).toEqual(
      (await film()).map(({ video, shot }) => [video, shot]),
    );
    const seconds = made.map(({ range }) => ((range.end - range.start) * range.base.num) / range.base.den);
    (await film()).forEach(({ from, to }, at) => expect(seconds[at]).toBeCloseTo(to - from, 3));
    await page.getByRole('button', { name: 'Release cut' }).click();
    await expect.poll(async () => (await read()).document.steering.pin).toEqual([]);
    await page.keyboard.press('Escape');
  });

  it('has named versions, which are compared with now and gone back to', async () => {
    const menu = page.locator('.menu').filter({ hasText: 'Versions' });
    const first = await film();
    await menu.locator('summary').click();
    await page.getByLabel('Name of the version').fill('first cut');
    await page.keyboard.press('Enter');
    await menu.getByText('first cut').waitFor();
    await menu.locator('summary').click();
    await blocks().nth(0).focus();
    await page.keyboard.press('Enter');
    await panel().waitFor();
    await page.keyboard.press('Delete');
    await expect.poll(film).toHaveLength(first.length - 1);
    await page.reload();
    await page.locator('.video .shot').first().waitFor();
    await menu.locator('summary').click();
    await page.getByRole('button', { name: 'Compare with first cut' }).click();
    const row = page.getByRole('region', { name: 'Film of the topic', exact: true }).locator('.method').nth(1);
    await row.getByText(`of ${first.length} also in the first row`).waitFor();
    await stage.picture('versions');
    await page.getByRole('button', { name: 'Go back to first cut' }).click();
    await expect.poll(film).toEqual(first);
    expect((await read()).document.versions.map(({ name }) => name)).toEqual(['first cut']);
    await page.getByRole('tab', { name: 'Topic' }).click();
  });

  it('splits what plays of a clip, and removes a part of it', async () => {
    await page.keyboard.press('Escape');
    const { selection } = await read();
    const video = selection!.videos.find(({ clips }) => clips.length > 0)!;
    const [clip] = video.clips;
    const row = page.getByRole('region', { name: video.name, exact: true });
    await row.getByRole('button', { name: 'Play summary' }).click();
    await page.keyboard.press('k');
    for (let step = 0; step < 5; step++) await page.keyboard.press('.');
    await page.keyboard.press('b');
    const parts = async () => (await read()).selection!.videos.find(({ id }) => id === video.id)!.clips;
    await expect.poll(async () => (await parts()).length).toBe(video.clips.length + 1);
    const [one, two] = await parts();
    expect([one!.from, one!.to, two!.to]).toEqual(
      [clip!.from, two!.from, clip!.to].map((each) => expect.closeTo(each, 2)),
    );
    await page.keyboard.press('Control+z');
    await expect.poll(async () => (await parts()).length).toBe(video.clips.length);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
  });

  it('is in the address: tab, shot and zoom', async () => {
    await page.locator('.video .shot button').nth(2).click();
    const name = await page.locator('.panel h2').textContent();
    await page.keyboard.press('+');
    await page.getByRole('tab', { name: 'Map' }).click();
    await expect.poll(() => page.url()).toMatch(/#tab=map&shot=[^&]+%2F3&zoom=2/);
    await page.reload();
    await expect.poll(() => page.locator('.panel h2').textContent()).toBe(name);
    expect(await page.getByRole('tab', { name: 'Map' }).getAttribute('aria-selected')).toBe('true');
    await page.goBack();
    await expect.poll(() => page.getByRole('tab', { name: 'Topic' }).getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('0');
    await page.keyboard.press('Escape');
  });

  it('leaves several clips out at once', async () => {
    await page.getByLabel('Tick bruno.mp4').check({ force: true });
    await page.getByLabel('Tick aiko.mp4').click({ modifiers: ['Shift'], force: true });
    const tools = page.getByRole('toolbar', { name: 'Ticked clips' });
    await tools.getByText('2 clips ticked').waitFor();
    await tools.getByRole('button', { name: 'Leave out' }).click();
    await expect.poll(async () => (await read()).document.steering.leftOut).toEqual(['aiko.mp4', 'bruno.mp4']);
    await tools.getByRole('button', { name: 'Put back' }).click();
    await expect.poll(async () => (await read()).document.steering.leftOut).toEqual([]);
    await tools.getByRole('button', { name: 'Clear' }).click();
  });

  it('is reviewed by others, whose comments come back as markers', async () => {
    const context = await browser!.newContext({ viewport: { width: 390, height: 844 } });
    const reviewer = await context.newPage();
    await reviewer.goto(stage.studio.review!);
    await reviewer.locator('.reel video').first().waitFor();
    await reviewer.getByLabel('Comment at this moment').fill('Too early?');
    await reviewer.getByLabel('Your name').fill('Noor');
    await reviewer.getByRole('button', { name: 'Comment' }).click();
    await reviewer.getByText('Too early?').waitFor();
    expect(await reviewer.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    const marker = lane().getByRole('button', { name: 'Comment of Noor: Too early?' });
    await marker.click();
    await panel().getByText('Too early?').waitFor();
    await panel().getByRole('button', { name: 'Done' }).click();
    await expect.poll(() => marker.count()).toBe(0);
    await reviewer.locator('.comments .done').waitFor();
    const kept = await readFile(join(stage.home, 'town-topic', 'comments.json'), 'utf8');
    expect(JSON.parse(kept)).toMatchObject({ comments: [{ by: 'Noor', text: 'Too early?', isDone: true }] });
    // Where a study is open, they rate.
    await page.getByRole('tab', { name: 'Rate' }).click();
    await page.getByLabel('Key word').fill('Town');
    await page.getByRole('button', { name: 'Open the study' }).click();
    await page.getByRole('link', { name: 'Rate', exact: true }).waitFor({ timeout: 120_000 });
    await page.getByRole('tab', { name: 'Topic' }).click();
    await reviewer.reload();
    await reviewer.getByRole('link', { name: 'Rate the films of “Town”' }).click();
    await reviewer.getByLabel('Your name or number').fill('Noor');
    await reviewer.keyboard.press('Enter');
    await reviewer.locator('.letters [aria-current]').waitFor();
    // A reviewer can ask for nothing else, and nobody without the token for anything.
    const { origin, hash } = new URL(stage.studio.review!);
    const headers = { Authorization: `Bearer ${hash.slice('#token='.length)}` };
    for (const path of ['/api/topic', '/api/edits', '/api/results', '/results.zip', '/api/comments/1']) {
      expect((await reviewer.request.get(`${origin}${path}`, { headers })).status()).toBe(404);
    }
    expect((await reviewer.request.post(`${origin}/api/edits`, { headers, data: {} })).status()).toBe(404);
    expect((await page.request.get(`${origin}/api/review`)).status()).toBe(403);
    const studio = new URL('/api/topic', stage.studio.address).href;
    expect((await page.request.get(studio, { headers: { ...headers, Cookie: '' } })).status()).toBe(403);
    await context.close();
  });

  it('is downloaded with everything else as one archive', async () => {
    await page.getByRole('button', { name: 'Render' }).click();
    await page.getByRole('link', { name: 'Report' }).waitFor({ timeout: 300_000 });
    await page.getByRole('tab', { name: 'Export' }).click();
    const offered = page.waitForEvent('download');
    await page.getByRole('link', { name: /^Download all/ }).click();
    const path = await stage.save(await offered);
    const python = ['-c', 'import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print("\\n".join(z.namelist()))', path]; // prettier-ignore
    const { stdout } = await promisify(execFile)('python3', python);
    expect(stdout.split('\n')).toEqual(expect.arrayContaining(['report.html', 'concept.mp4', 'summary.json']));
  });

  it('made no error, and asked nobody but its own server', () => {
    expect(stage.faults).toEqual([]);
  });
});
