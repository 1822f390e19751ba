// npm run bench:studio [-- PAGE]     how long frames take on a map of thousands of shots, and lists of clips of three sizes to
// open and to change, in Chromium; after a build
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

import { UsageError } from '../../src/base/index.js';
import { startServer, type StudioServer } from '../../src/studio/server.js';
import { openBrowser } from '../../test/studio/browser.js';
import { drawnBackend } from '../../test/studio/drawn-backend.js';
import { machineFacts } from '../machine.js';

const VIDEOS = 50;
const SHOTS = 120;
const serve = (videos: number, shots: number): Promise<StudioServer> =>
  startServer(drawnBackend(videos, shots), {
    ...{ port: 0, version: 'bench', page: process.argv[2] ?? join(import.meta.dirname, '../../dist/studio/web') },
  });
const server = await serve(VIDEOS, SHOTS);
const browser = await openBrowser();
if (browser === null) throw new UsageError('no-browser', 'Expected Chromium, found none: apt-get install chromium');
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
await page.goto(server.address);
await page.getByRole('tab', { name: 'Map' }).click();
await page.getByRole('application', { name: `Map of ${VIDEOS * SHOTS} shots` }).waitFor();

const WATCH = `(() => {
  window.frames_ = [];
  let last = performance.now();
  const step = (now) => { window.frames_.push(now - last); last = now; window.next_ = requestAnimationFrame(step); };
  window.next_ = requestAnimationFrame(step);
})()`;
const lines: string[] = [
  `${VIDEOS * SHOTS} shots of ${VIDEOS} videos on the map; Chromium ${browser.version()} without a graphics card. ${(await machineFacts()).join(', ')}`,
];
async function measure(name: string, act: () => Promise<void>): Promise<void> {
  await page.evaluate(WATCH);
  await act();
  const frames = (await page.evaluate('cancelAnimationFrame(next_), frames_')) as number[];
  const sorted = frames.slice(1).toSorted((a, b) => a - b);
  const at = (share: number): string =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(1);
  lines.push(`${name.padEnd(34)} ${String(sorted.length).padStart(4)} frames   median ${at(0.5)} ms   95 % ${at(0.95)} ms   longest ${at(1)} ms`); // prettier-ignore
}

const box = (await page.locator('.plane').boundingBox())!;
const at = (angle: number): [number, number] => [
  box.x + box.width * (0.5 + 0.4 * Math.cos(angle)),
  box.y + box.height * (0.5 + 0.4 * Math.sin(angle)),
];
await measure('nothing happens', () => page.waitForTimeout(1500));
await measure('a line is drawn around 4 in 5', async () => {
  await page.mouse.move(...at(0));
  await page.mouse.down();
  for (let step = 1; step <= 120; step++) await page.mouse.move(...at((2 * Math.PI * step) / 121));
});
await measure('it is let go: shots are inspected', async () => {
  await page.mouse.up();
  await page.getByRole('region', { name: 'Inspected shots' }).waitFor();
  await page.waitForTimeout(1000);
});
await page.getByRole('button', { name: 'Clear' }).click();
await measure('the slider moves 20 steps', async () => {
  for (let step = 1; step <= 20; step++) {
    await page.getByLabel(/Shared/).fill(String((step * 0.05).toFixed(2)));
    await page.waitForTimeout(50);
  }
});
await server.close();

/** Milliseconds from a change of the length to the frame that shows its result; the ranking itself takes no time here. */
const CHANGE = `new Promise((done) => {
  const slider = document.querySelector('.steering input[type=range]');
  const shown = document.querySelector('.video .label p');
  const from = performance.now();
  const look = () => requestAnimationFrame(() => (shown.dataset.seen !== shown.textContent ? done(performance.now() - from) : look()));
  shown.dataset.seen = shown.textContent;
  slider.value = String(1 + ((Number(slider.value) + 7) % 50));
  document.querySelectorAll('.steering input[type=range]')[1].value = String(Math.round(20 * Math.random()) / 20);
  document.querySelectorAll('.steering input[type=range]')[1].dispatchEvent(new Event('input', { bubbles: true }));
  setTimeout(() => done(NaN), 3000);
  look();
})`;

async function openList(videos: number): Promise<void> {
  const listed = await serve(videos, 12);
  const view: Page = await browser!.newPage({ viewport: { width: 1280, height: 800 } });
  const from = performance.now();
  await view.goto(listed.address);
  await view.locator('.video .lane').first().waitFor();
  const opened = performance.now() - from;
  const times: number[] = [];
  for (let turn = 0; turn < 20; turn++) times.push((await view.evaluate(CHANGE)) as number);
  const known = times.filter(Number.isFinite).toSorted((a, b) => a - b);
  const heap = (await view.evaluate('performance.memory.usedJSHeapSize')) as number;
  const nodes = (await view.evaluate("document.querySelectorAll('*').length")) as number;
  const median = known[Math.floor(known.length / 2)]?.toFixed(0) ?? '–';
  lines.push(`${String(videos).padStart(3)} clips: first lane after ${opened.toFixed(0)} ms; from input to changed selection, median ${median} ms; ${nodes} elements, ${(heap / 2 ** 20).toFixed(0)} MB in the page`); // prettier-ignore
  await view.close();
  await listed.close();
}
for (const videos of [8, 40, 400]) await openList(videos);
await browser.close();
writeFileSync(join(import.meta.dirname, 'results.txt'), `${lines.join('\n')}\n`);
console.log(lines.join('\n'));
