import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Download, Page } from 'playwright-core';

import { locateFfmpeg } from '../../src/media/index.js';
import { startStudio } from '../../src/studio/index.js';
import { buildPage } from './build-page.js';

/** Pictures of what the tests saw; git does not keep them. `THROUGHLINE_SCREENSHOTS` names another folder. */
const PICTURES =
  process.env['THROUGHLINE_SCREENSHOTS'] ?? fileURLToPath(new URL('../../test-results/studio', import.meta.url));

/** A studio on a topic of its own, opened in a browser. Must be closed. */
export type StudioPage = {
  readonly home: string;
  readonly studio: Awaited<ReturnType<typeof startStudio>>;
  readonly page: Page;
  /** Errors of the page, and requests to anybody else. */
  readonly faults: string[];
  /** Goes to the page and waits until the shots are there. */
  enter(): Promise<void>;
  /** What the topic's record keeps. */
  kept(): Promise<Record<string, unknown>>;
  /** What the accessibility check finds, dark and light. */
  unreadable(): Promise<unknown[]>;
  /** The path of a file that the page offered and the browser, which tests share, has downloaded. */
  save(download: Download): Promise<string>;
  /** Pictures of the page as it stands: desk and tablet, dark and light. */
  picture(name: string): Promise<void>;
  close(): Promise<void>;
};

type Start = Parameters<typeof startStudio>;

/** Fills a folder `town` and opens the studio on it; or, where none is chosen, beside it. */
export async function openStudioPage(
  browser: Browser,
  fill: (folder: string, ffmpeg: string) => Promise<void>,
  { isChosen = true, ...options }: Start[1] & { isChosen?: boolean } = {},
): Promise<StudioPage> {
  const home = await mkdtemp(join(tmpdir(), 'throughline-studio-'));
  const folder = join(home, 'town');
  await mkdir(folder);
  await fill(folder, (await locateFfmpeg()).path);
  const built = await buildPage();
  const studio = await startStudio(isChosen ? folder : undefined, { page: built, home, jobs: 2, ...options });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'dark' });
  // Long enough for a machine with other work.
  context.setDefaultTimeout(300_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (line) => line.type() === 'error' && faults.push(line.text()));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (!['data:', 'blob:'].includes(url.protocol) && url.host !== `127.0.0.1:${studio.port}`) faults.push(url.href);
  });
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  return {
    ...{ home, studio, page, faults },
    async enter() {
      await page.goto(studio.address);
      await page.locator('.video .shot').first().waitFor();
    },
    kept: async () =>
      (JSON.parse(await readFile(join(home, 'town-topic', 'topic.json'), 'utf8')) as { options: object })
        .options as Record<string, unknown>,
    async unreadable() {
      const found: unknown[] = [];
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        // The page's own rules let no foreign script in; the tester's context is not bound by them.
        await page.evaluate(axe);
        const run = (await page.evaluate('axe.run()')) as { violations: { id: string; nodes: { html: string }[] }[] };
        found.push(...run.violations.map(({ id, nodes }) => [colorScheme, id, nodes[0]?.html]));
      }
      return found;
    },
    async save(download) {
      const path = join(home, 'downloads', download.suggestedFilename());
      await download.saveAs(path);
      return path;
    },
    async picture(name) {
      await mkdir(PICTURES, { recursive: true });
      for (const [size, width, height] of [
        ['desk', 1280, 800],
        ['tablet', 820, 1180],
      ] as const) {
        await page.setViewportSize({ width, height });
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          await page.screenshot({ path: join(PICTURES, `${name}-${size}-${colorScheme}.png`) });
        }
      }
      await page.setViewportSize({ width: 1280, height: 800 });
    },
    async close() {
      await context.close();
      await studio.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}
