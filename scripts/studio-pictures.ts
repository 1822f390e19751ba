import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';

import { openStudioPage } from '../test/studio/studio-page.js';

/** Made-up marks for a picture of a table; no study was made of the demo. */
const MARKS = [8, 4, 6, 5, 7, 3, 9, 6];

/** The page for reviewers, on a phone, with a comment. */
async function keepReview(browser: Browser, address: string, images: string): Promise<void> {
  const page = await browser.newPage({
    viewport: { width: 390, height: 640 },
    colorScheme: 'dark',
    deviceScaleFactor: 2,
  });
  await page.goto(address);
  await page.locator('.reel video').first().waitFor();
  await page.getByLabel('Position in the film').fill('4');
  await page.getByLabel('Comment at this moment').fill('Hold this one a little longer');
  await page.getByLabel('Your name').fill('Ada');
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  await page.getByText('Hold this one').waitFor();
  await page.waitForTimeout(1500);
  await sharp(await page.screenshot())
    .resize({ width: 390 })
    .png({ palette: true, quality: 90 })
    .toFile(join(images, 'studio-review.png'));
  await page.close();
}

/** Takes the pictures of the studio, with the tests' browser set-up on the videos of the demo. */
export async function drawStudio(browser: Browser, topic: string, images: string): Promise<void> {
  const stage = await openStudioPage(browser, (folder) => cp(topic, folder, { recursive: true }), { share: true });
  const { page, studio } = stage;
  const keep = async (name: string): Promise<void> => {
    await page.waitForTimeout(1500);
    const png = sharp(await page.screenshot()).png({ palette: true, quality: 90 });
    await png.toFile(join(images, `${name}.png`));
  };
  const tab = (name: string): Promise<void> => page.getByRole('tab', { name }).click();
  try {
    await page.goto(studio.address);
    await page.locator('.video').first().waitFor({ timeout: 600_000 });
    await page.getByLabel(/^Length/).fill('25');
    // Rows open where something is chosen: as they will when the studio is opened again.
    await page.waitForTimeout(1500);
    await page.reload();
    await page.locator('.video').first().waitFor();
    // A shot in the middle of the film that has other takes, in the viewer, standing still.
    for (let at = 1; (await page.locator('.takes .use').count()) === 0; at++) {
      await page.locator('.film-row .block').nth(at).click();
      await page.keyboard.press('k');
      await page.getByRole('heading', { name: 'Why' }).waitFor();
    }
    await page.mouse.move(0, 0);
    await keep('studio');
    await keepReview(browser, studio.review!, images);

    await tab('Map');
    const plane = page.getByRole('application', { name: /^Map of [1-9]/ });
    await plane.waitFor();
    const { x, y, width, height } = (await plane.boundingBox())!;
    const at = (angle: number): [number, number] => [
      x + width * (0.3 + 0.24 * Math.cos(angle)),
      y + height * (0.45 + 0.4 * Math.sin(angle)),
    ];
    await page.mouse.move(...at(0));
    await page.mouse.down();
    for (let angle = 0.2; angle < 6.2; angle += 0.2) await page.mouse.move(...at(angle));
    await page.mouse.up();
    await keep('studio-map');

    await page.emulateMedia({ colorScheme: 'light' });
    await tab('Rate');
    await page.getByLabel('Key word').fill('Harbour town');
    await page.locator('input[value="random"]').check();
    await page.getByRole('button', { name: 'Open the study' }).click();
    for (const [shift, name] of ['Ada', 'Bo', 'Chidi'].entries()) {
      await page.getByRole('link', { name: 'Rate', exact: true }).click({ timeout: 120_000 });
      await page.getByLabel('Your name or number').fill(name);
      await page.keyboard.press('Enter');
      for (const place of MARKS.keys()) {
        await page.locator('.letters [aria-current]').waitFor();
        if (name === 'Ada' && place === 2) await keep('studio-rate');
        await page.keyboard.press(String(MARKS[(place + 3 * shift) % MARKS.length]));
        await page.getByText(`${place + 1} of ${MARKS.length} marked`).waitFor();
        if (place < MARKS.length - 1) await page.getByRole('button', { name: 'Next' }).click();
      }
      await page.getByRole('button', { name: 'Hand in' }).click();
      await page.getByRole('link', { name: 'To the studio' }).click();
      await page.locator('.video').first().waitFor();
      await tab('Rate');
    }
  } finally {
    await stage.close();
  }
}
