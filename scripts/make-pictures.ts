/** Makes the pictures of the README and the guides from runs on the demo topic. Needs Debian's chromium for the report. */
import { mkdtemp, mkdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import sharp from 'sharp';

import { drawDemo, summarizeTopic } from '../src/index.js';

const images = resolve(import.meta.dirname, '../docs/images');
const work = await mkdtemp(join(tmpdir(), 'throughline-pictures-'));
await mkdir(images, { recursive: true });
try {
  const topic = join(work, 'harbour-town');
  await drawDemo(topic);
  const { document, folder, report } = await summarizeTopic(topic, {
    length: '30%',
    concept: '20s',
    cache: join(work, 'cache'),
  });

  for (const [name, board] of [
    ['storyboard', document.videos[0]!.storyboard!],
    ['concept', document.concept!.storyboard!],
  ] as const) {
    await sharp(await readFile(join(folder, board)))
      .resize({ width: 1400 })
      .png({ palette: true })
      .toFile(join(images, `${name}.png`));
  }

  for (const [name, options] of Object.entries({
    'shared-0': { shared: 0 },
    'shared-half': { shared: 0.5 },
    'shared-1': { shared: 1 },
    wishes: { pin: ['carla.mp4@0:02-0:04', 'carla.mp4#6'], veto: ['carla.mp4#3'] },
  })) {
    const length = name === 'wishes' ? '4 shots' : '2 shots';
    const wished = await summarizeTopic(topic, {
      ...{ length, cache: join(work, 'cache'), out: join(work, name), films: false },
      ...options,
    });
    const { storyboard } = wished.document.videos.find(({ path }) => path === 'carla.mp4')!;
    await sharp(await readFile(join(wished.folder, storyboard!)))
      .resize({ width: 1000 })
      .jpeg({ quality: 72, mozjpeg: true })
      .toFile(join(images, `${name}.jpg`));
  }

  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  for (const [name, colorScheme] of [
    ['report-dark', 'dark'],
    ['report-light', 'light'],
  ] as const) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 1560 }, colorScheme });
    await page.goto(pathToFileURL(report).href);
    await page
      .locator('video')
      .first()
      .evaluate((video) => {
        (video as unknown as { preload: string; load(): void }).preload = 'auto';
        (video as unknown as { preload: string; load(): void }).load();
      });
    await page.waitForTimeout(1000);
    const shot = await page.screenshot();
    await sharp(shot)
      .png({ palette: true, quality: 90 })
      .toFile(join(images, `${name}.png`));
  }
  await browser.close();
} finally {
  await rm(work, { recursive: true, force: true });
}
