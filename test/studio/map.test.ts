import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { drawTopic } from '../fixtures/drawn-topic.js';
import type { ShotMap } from '../../src/studio/contract.js';
import { openBrowser } from './browser.js';
import { openStudioPage, type StudioPage } from './studio-page.js';

const browser = await openBrowser();

describe.skipIf(browser === null)('the map in a browser', () => {
  let stage: StudioPage;
  let points: ShotMap['points'];
  beforeAll(async () => {
    stage = await openStudioPage(browser!, async (folder, ffmpeg) => {
      await drawTopic({ folder, ffmpeg, scale: 0.2, videoCount: 3 });
    });
    const { page, studio } = stage;
    await page.goto(studio.address);
    await page.locator('.video .shot').first().waitFor();
    points = ((await (await page.request.get(new URL('/api/map', studio.address).href)).json()) as ShotMap).points;
    await page.getByRole('tab', { name: 'Map' }).click();
    await page.getByRole('application', { name: `Map of ${points.length} shots` }).waitFor();
  });
  afterAll(async () => {
    await stage?.close();
    await browser?.close();
  });
  const plane = () => stage.page.getByRole('application', { name: /^Map of/ });
  const inspected = () => stage.page.getByRole('region', { name: 'Inspected shots' });
  /** Where a point is on the page; the map has a margin of 24 pixels. */
  const onPage = async ({ x, y }: { x: number; y: number }): Promise<[number, number]> => {
    const box = (await plane().boundingBox())!;
    return [box.x + 24 + x * (box.width - 48), box.y + 24 + y * (box.height - 48)];
  };
  const lasso = async (...corners: { x: number; y: number }[]): Promise<void> => {
    const { mouse } = stage.page;
    await mouse.move(...(await onPage(corners[0]!)));
    await mouse.down();
    for (const corner of corners.slice(1)) await mouse.move(...(await onPage(corner)), { steps: 4 });
    await mouse.up();
  };
  const counts = async (): Promise<number[]> =>
    (await inspected().getByRole('list', { name: 'Shots by video' }).locator('b').allTextContents()).map(Number);

  it('inspects what a line was drawn around, with a count by video', async () => {
    const [left, right] = [-0.02, 0.5];
    await lasso({ x: left, y: -0.02 }, { x: right, y: -0.02 }, { x: right, y: 1.02 }, { x: left, y: 1.02 });
    const inside = points.filter(({ x }) => x < right);
    expect(inside.length).toBeGreaterThan(0);
    expect(inside.length).toBeLessThan(points.length);
    const byVideo = [...new Set(points.map(({ video }) => video))]
      .map((id) => inside.filter(({ video }) => video === id).length)
      .filter((many) => many > 0);
    await expect.poll(counts).toEqual(byVideo);
    expect(await inspected().locator('.shot').count()).toBe(inside.length);
    expect(await stage.unreadable()).toEqual([]);
    await stage.picture('map');
  });

  it('looks at the shot that is clicked, and leaves the inspected ones', async () => {
    const { video, shot } = points[0]!;
    const before = await counts();
    await stage.page.mouse.click(...(await onPage(points[0]!)));
    const panel = stage.page.getByRole('complementary', { name: 'Why this shot' });
    await panel.waitFor();
    // Where dots lie over each other the one on top is taken, so only the place is sure.
    const heading = (await panel.locator('h2').textContent())!;
    const near = points.filter(({ x, y }) => Math.hypot(x - points[0]!.x, y - points[0]!.y) < 0.03);
    expect(near.some((one) => heading.includes(`Shot ${one.shot + 1} `) && heading.includes(one.video))).toBe(true);
    expect(near).toContainEqual(expect.objectContaining({ video, shot }));
    expect(await counts()).toEqual(before);
  });

  it('does all of it from the keyboard', async () => {
    const { page } = stage;
    await plane().focus();
    await page.keyboard.press('Escape');
    await expect.poll(() => inspected().count()).toBe(0);
    const heading = page.getByRole('complementary', { name: 'Why this shot' }).locator('h2');
    const seen = new Set<string | null>();
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp', 'ArrowRight']) {
      await page.keyboard.press(key);
      await page.keyboard.press('Enter');
      await inspected().waitFor();
      seen.add(await heading.textContent());
    }
    expect(seen.size).toBeGreaterThan(1);
    await page.keyboard.press('Escape');
    await expect.poll(() => inspected().count()).toBe(0);

    const legend = page.getByRole('group', { name: 'Videos shown' });
    await legend.getByRole('button', { name: 'Hide all' }).focus();
    await page.keyboard.press('Enter');
    await legend.getByRole('button').first().focus();
    await page.keyboard.press('Space');
    await legend.getByRole('button', { name: 'Inspect visible shots' }).focus();
    await page.keyboard.press('Enter');
    await inspected().waitFor();
    expect(await counts()).toEqual([points.filter(({ video }) => video === points[0]!.video).length]);
    await legend.getByRole('button', { name: 'Show all' }).click();
    expect(await plane().getAttribute('aria-label')).toContain(`Map of ${points.length} shots`);
  });

  it('made no error, and asked nobody but its own server', () => {
    expect(stage.faults).toEqual([]);
  });
});
