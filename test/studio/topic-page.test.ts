import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { updateTopic } from 'throughline-video';
import { drawTopic } from '../fixtures/drawn-topic.js';
import { makePatterns } from '../fixtures/patterns.js';
import { runFfmpeg } from '../fixtures/run.js';
import { openBrowser } from './browser.js';
import { openStudioPage, type StudioPage } from './studio-page.js';

const browser = await openBrowser();

describe.skipIf(browser === null)('the page of a topic with a stray and a double', () => {
  let stage: StudioPage;
  beforeAll(async () => {
    stage = await openStudioPage(browser!, async (folder, ffmpeg) => {
      await drawTopic({ folder, ffmpeg, scale: 0.2, videoCount: 5 });
      const copy = ['-ss', '1', '-i', join(folder, 'carla.mp4'), '-vf', 'scale=96:-2', '-an', '-c:v', 'mpeg4'];
      await runFfmpeg(ffmpeg, ['-v', 'error', '-y', ...copy, '-q:v', '5', join(folder, 'reupload.mp4')]);
      await makePatterns(ffmpeg, join(folder, 'patterns.mp4'));
    });
    await stage.enter();
  });
  afterAll(async () => {
    await stage?.close();
    await browser?.close();
  });

  const film = (): Promise<(string | null)[]> =>
    stage.page
      .locator('.topic-film .shot button')
      .evaluateAll((cells) => cells.map((cell) => /shot \d+ of \S+\.mp4/.exec(cell.getAttribute('aria-label')!)![0]));
  const row = (name: string) => stage.page.getByRole('region', { name, exact: true });

  it('flags both, with the evidence, and nobody else', async () => {
    expect(await stage.page.locator('.badge').allTextContents()).toEqual(['Double', 'Stray']);
    expect(await row('reupload.mp4').textContent()).toContain('shows the same as "carla.mp4" in the same order');
    expect(await row('patterns.mp4').textContent()).toMatch(/does not seem to belong .* less than half/);
  });

  it('shows the film of the topic on top, as long as asked for, while the slider moves', async () => {
    const before = await film();
    expect(before.length).toBeGreaterThan(2);
    const slider = stage.page.getByLabel(/^Film length/);
    await slider.fill('9');
    await expect.poll(film).not.toEqual(before);
    await expect.poll(async () => (await stage.kept())['concept']).toBe('9s');
    const shown = await stage.page.locator('.topic-film header strong').textContent();
    expect(Number(shown!.split(':')[1])).toBeLessThanOrEqual(9);
    await stage.page.keyboard.press('Escape');
    await stage.page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(film).toEqual(before);
    await slider.fill('12');
    await expect.poll(async () => (await stage.kept())['concept']).toBe('12s');
  });

  it('plays it at once, from one original to the next', async () => {
    const player = '.reel video:not(.spare)';
    await stage.page.getByRole('button', { name: 'Play the film' }).click();
    await stage.page.evaluate(`(() => {
      const seen = window.sources_ = new Set();
      const look = () => {
        const shown = document.querySelector('${player}');
        if (shown?.readyState > 1) seen.add(shown.getAttribute('src'));
        requestAnimationFrame(look);
      };
      look();
    })()`);
    await expect.poll(() => stage.page.evaluate('sources_.size')).toBeGreaterThan(1);
    expect(await stage.page.locator('.strip .now').count()).toBe(1);
    await stage.page.keyboard.press('k');
    await stage.page.getByLabel('Position in the film').fill('0');
    const [, first] = / of (\S+)\.mp4$/.exec((await film())[0]!)!;
    await expect.poll(() => stage.page.locator(player).getAttribute('src')).toBe(`/media/${first}`);
    await stage.picture('topic-film');
    expect(await stage.unreadable()).toEqual([]);
    await stage.page.getByRole('button', { name: 'Close', exact: true }).click();
  });

  it('takes another order by dragging and by keyboard, says so, and takes it back', async () => {
    const before = await film();
    const cells = stage.page.locator('.topic-film .shot');
    const [first, third] = [await cells.nth(0).boundingBox(), await cells.nth(2).boundingBox()];
    await stage.page.mouse.move(first!.x + 40, first!.y + 40);
    await stage.page.mouse.down();
    await stage.page.mouse.move(third!.x + 40, first!.y + 40, { steps: 4 });
    await stage.page.mouse.move(third!.x + third!.width - 10, first!.y + 40, { steps: 4 });
    await stage.page.mouse.up();
    const dragged = [before[1], before[2], before[0], ...before.slice(3)];
    await expect.poll(film).toEqual(dragged);
    // A drag is no click: no shot was opened.
    expect(await stage.page.getByRole('complementary', { name: 'Why this shot' }).count()).toBe(0);
    await cells.nth(2).locator('button').focus();
    await stage.page.keyboard.press('Alt+ArrowLeft');
    await expect.poll(film).toEqual([before[1], before[0], before[2], ...before.slice(3)]);
    const heard = await stage.page.locator('.unseen').textContent();
    expect(heard!.toLowerCase()).toBe(`${before[0]!}: now 2 of ${before.length}.`);
    const focused = await stage.page.evaluate('document.activeElement.getAttribute("aria-label")');
    expect(focused).toContain(before[0]);
    await stage.page.keyboard.press('ArrowRight');
    expect(await stage.page.evaluate('document.activeElement.id')).toBe('film-2');
    await stage.page.keyboard.press('Control+z');
    await expect.poll(film).toEqual(dragged);
    await stage.page.keyboard.press('Control+z');
    await expect.poll(film).toEqual(before);
    await stage.page.keyboard.press('Control+Shift+z');
    await expect.poll(film).toEqual(dragged);
    await expect.poll(async () => ((await stage.kept())['topicSequence'] as string[])?.length).toBe(before.length);
    await stage.picture('reordered');
  });

  it('arranges the film of one video, apart from the film of the topic', async () => {
    await stage.page.getByLabel(/^Length/).fill('20');
    // The first and the last shot make two clips, whatever is between them.
    for (const [count, shot] of [
      row('aiko.mp4').locator('.shot button').first(),
      row('aiko.mp4').locator('.shot button').last(),
    ].entries()) {
      // prettier-ignore
      await shot.click();
      await stage.page.keyboard.press('p');
      await expect.poll(() => row('aiko.mp4').locator('.shot.pinned').count()).toBe(count + 1);
    }
    await row('aiko.mp4').getByRole('button', { name: 'Play summary' }).click();
    const clips = stage.page.locator('.clip-order .shot button');
    const times = (): Promise<string[]> => clips.locator('.caption').allTextContents();
    await expect.poll(async () => (await times()).length).toBeGreaterThan(1);
    const [filmed, whole] = [await times(), await film()];
    await clips.nth(0).focus();
    await stage.page.keyboard.press('Alt+ArrowRight');
    await expect.poll(times).toEqual([filmed[1], filmed[0], ...filmed.slice(2)]);
    const sequence = async (): Promise<string[]> => (await stage.kept())['sequence'] as string[];
    await expect.poll(async () => (await sequence())?.length).toBeGreaterThan(1);
    expect((await sequence()).every((name) => name.startsWith('aiko.mp4#'))).toBe(true);
    await stage.picture('clip-order');
    expect(await stage.unreadable()).toEqual([]);
    await stage.page.getByRole('button', { name: 'Close', exact: true }).click();
    expect(await film()).toEqual(whole);
  });

  it('keeps it, and the command line makes the same film', async () => {
    const shown = await film();
    const { outcome } = await updateTopic({ films: false }, { folder: join(stage.home, 'town-topic') });
    const { concept, videos } = outcome!.document;
    const pathOf = (id: string): string => videos.find((video) => video.id === id)!.path;
    expect(concept!.shots.map(({ video, shot }) => `shot ${shot + 1} of ${pathOf(video)}`)).toEqual(shown);
    expect(concept!.film).toBe('concept.mp4');
    const [first, second] = videos.find(({ id }) => id === 'aiko')!.clips;
    expect(second!.startFrame).toBeLessThan(first!.startFrame);
  });

  it('made no error, and asked nobody but its own server', () => {
    expect(stage.faults).toEqual([]);
  });
});
