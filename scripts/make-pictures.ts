/**
 * Makes the pictures of the README and the guides from runs on the demo topic, and the record that docs/how-it-works.md
 * quotes: all of them, or with `-- studio` or `-- runs` one part. Needs Debian's chromium.
 */
import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';

import { UsageError } from '../src/base/index.js';
import { drawDemo, summarizeTopic } from '../src/index.js';
import { openBrowser } from '../test/studio/browser.js';
import { drawStudio } from './studio-pictures.js';

const images = resolve(import.meta.dirname, '../docs/images');
const browser = await openBrowser();
if (browser === null) throw new UsageError('no-browser', 'Expected Chromium, found none: apt-get install chromium');
await mkdir(images, { recursive: true });
const work = await mkdtemp(join(tmpdir(), 'throughline-pictures-'));
const topic = join(work, 'harbour-town');
try {
  await drawDemo(topic);
  if (!process.argv.includes('studio')) await drawRuns(browser);
  if (!process.argv.includes('runs')) await drawStudio(browser, topic, images);
} finally {
  await browser.close();
  await rm(work, { recursive: true, force: true });
}

/** Storyboards and reports of runs. */
async function drawRuns(opened: Browser): Promise<void> {
  const { document, folder, report } = await summarizeTopic(topic, {
    length: '30%',
    concept: '14s',
    cache: join(work, 'cache'),
  });

  const followed = document.videos.find(({ path }) => path === 'bruno.mp4')!;
  const { concept } = document;
  const record = { frames: concept!.frames, video: followed };
  await writeFile(join(images, 'storyboard.json'), `${JSON.stringify(record, null, 1)}\n`);
  for (const [name, board] of [
    ['storyboard', followed.storyboard!],
    ['concept', concept!.storyboard!],
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

  for (const [name, colorScheme] of [
    ['report-dark', 'dark'],
    ['report-light', 'light'],
  ] as const) {
    const page = await opened.newPage({ viewport: { width: 1280, height: 1075 }, colorScheme });
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
}
