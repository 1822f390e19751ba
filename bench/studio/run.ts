// npm run bench:studio [-- PAGE]     how long frames take on a map of thousands of shots; lists of clips of three sizes to open and
// to change; folders of three sizes that were never seen; joins of the film. In Chromium, after a build
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

import { UsageError } from '../../src/base/index.js';
import { locateFfmpeg } from '../../src/media/index.js';
import { startStudio } from '../../src/studio/index.js';
import { startServer, type StudioServer } from '../../src/studio/server.js';
import { drawTopic } from '../../test/fixtures/drawn-topic.js';
import { makeVideo } from '../../test/fixtures/make.js';
import { openBrowser } from '../../test/studio/browser.js';
import { drawnBackend } from '../../test/studio/drawn-backend.js';
import { machineFacts } from '../machine.js';

const VIDEOS = 50;
const SHOTS = 120;
const built = process.argv[2] ?? join(import.meta.dirname, '../../dist/studio/web');
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
const change = (slider: 'length' | 'shared'): string => `new Promise((done) => {
  const slider = document.querySelectorAll('.steering input[type=range]')[${slider === 'length' ? 0 : 1}];
  const shown = document.querySelector('.rows');
  const from = performance.now();
  const look = () => requestAnimationFrame(() => (shown.dataset.seen !== shown.textContent ? done(performance.now() - from) : look()));
  shown.dataset.seen = shown.textContent;
  slider.value = String(${slider === 'length' ? '1 + ((Number(slider.value) + 7) % 50)' : '(Number(slider.value) + 0.35) % 1'});
  slider.dispatchEvent(new Event('input', { bubbles: true }));
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
  const session = await view.context().newCDPSession(view);
  await session.send('Performance.enable');
  const busy = async (): Promise<number> =>
    (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')!.value;
  const before = await busy();
  for (let turn = 0; turn < 20; turn++) times.push((await view.evaluate(change('shared'))) as number);
  const work = (1000 * ((await busy()) - before)) / times.length;
  const known = times.filter(Number.isFinite).toSorted((a, b) => a - b);
  const heap = (await view.evaluate('performance.memory.usedJSHeapSize')) as number;
  const nodes = (await view.evaluate("document.querySelectorAll('*').length")) as number;
  const median = known[Math.floor(known.length / 2)]?.toFixed(0) ?? '–';
  lines.push(`${String(videos).padStart(3)} clips: first lane after ${opened.toFixed(0)} ms; from input to changed selection, median ${median} ms, of which the page works ${work.toFixed(0)} ms (mean); ${nodes} elements, ${(heap / 2 ** 20).toFixed(0)} MB in the page`); // prettier-ignore
  await view.close();
  await listed.close();
}
for (const videos of [8, 40, 400]) await openList(videos);

const { path: ffmpeg } = await locateFfmpeg();
const home = mkdtempSync(join(tmpdir(), 'throughline-bench-'));
process.env['THROUGHLINE_CACHE'] = join(home, 'cache');

/** Waits for an expression to hold in a page. */
async function until(view: Page, expression: string): Promise<void> {
  while (!(await view.evaluate(expression))) await view.waitForTimeout(5);
}

/** A folder that was never seen: until its clips are listed, the first has a picture, and plays. */
async function openFolder(videos: number): Promise<void> {
  const folder = mkdtempSync(join(home, 'clips-'));
  for (let at = 0; at < videos; at++) {
    const file = join(folder, `clip-${at}.mp4`);
    if (at < 8)
      await makeVideo(ffmpeg, file, { firstNumber: 200 * at, frameCount: 150, cuts: [60, 100], hasFlashes: false });
    else copyFileSync(join(folder, `clip-${at % 8}.mp4`), file);
  }
  const view = await browser!.newPage({ viewport: { width: 1280, height: 800 } });
  const from = performance.now();
  const studio = await startStudio(folder, { page: built, jobs: 2 });
  await view.goto(studio.address);
  await view.locator('.video').first().waitFor();
  const list = performance.now() - from;
  await until(view, "[...document.querySelectorAll('.thumb img')].some((image) => image.naturalWidth > 0)");
  const picture = performance.now() - from;
  await view.locator('.thumb').first().click();
  await until(
    view,
    "[...document.querySelectorAll('.reel video')].some((video) => video.currentTime > 0 && !video.paused)",
  );
  const plays = performance.now() - from;
  const memory = process.memoryUsage().rss / 2 ** 20;
  lines.push(`${String(videos).padStart(3)} clips never seen, from the start of the server: listed after ${list.toFixed(0)} ms, first picture ${picture.toFixed(0)} ms, plays ${plays.toFixed(0)} ms; server ${memory.toFixed(0)} MB`); // prettier-ignore
  await view.close();
  await studio.close();
}
for (const videos of [8, 40, 400]) await openFolder(videos);

/** Every frame that is shown: of which player, and its time in the original. The player that takes over has its first ready. */
const FRAMES = `(() => {
  window.shown_ = [];
  for (const video of document.querySelectorAll('.reel video')) {
    const isSpare = () => video.classList.contains('spare');
    const show = (now, time) => isSpare() || shown_.push({ now, time, of: video.getAttribute('src') });
    const next = (now, { mediaTime }) => {
      show(now, mediaTime);
      video.requestVideoFrameCallback(next);
    };
    video.requestVideoFrameCallback(next);
    new MutationObserver(() => show(performance.now(), video.currentTime)).observe(video, { attributeFilter: ['class'] });
  }
})()`;

/** The film of a drawn topic is changed and played: the ranking is included, and what happens at its joins. */
async function playFilm(): Promise<void> {
  const folder = mkdtempSync(join(home, 'topic-'));
  await drawTopic({ folder, ffmpeg, scale: 0.2, videoCount: 6 });
  const studio = await startStudio(folder, { page: built, jobs: 2 });
  const view = await browser!.newPage({ viewport: { width: 1280, height: 800 } });
  await view.goto(studio.address);
  await view.locator('.video .shot').first().waitFor({ timeout: 600_000 });
  const times: number[] = [];
  for (let turn = 0; turn < 20; turn++) times.push((await view.evaluate(change('length'))) as number);
  const known = times.filter(Number.isFinite).toSorted((a, b) => a - b);
  lines.push(
    `6 clips, ranked: from input to changed selection, median ${known[Math.floor(known.length / 2)]?.toFixed(0) ?? '–'} ms`,
  );
  await view.getByRole('button', { name: 'Play the film' }).click();
  await view.evaluate(FRAMES);
  await view.waitForTimeout(30_000);
  type Shown = { now: number; time: number; of: string };
  const shown = (await view.evaluate('shown_')) as Shown[];
  const steps = shown.slice(1).map((frame, at) => ({ ...frame, before: shown[at]! }));
  const isJoin = ({ of, time, before }: (typeof steps)[number]): boolean =>
    of !== before.of || Math.abs(time - before.time) > 0.5;
  const lasted = ({ now, before }: (typeof steps)[number]): number => now - before.now;
  // At a join the last picture of a shot stands, then the first of the next: the longer of the two is what is seen.
  const gaps = steps.flatMap((step, k) => (isJoin(step) && steps[k + 1] ? [Math.max(lasted(step), lasted(steps[k + 1]!))] : [])).toSorted((a, b) => a - b); // prettier-ignore
  const inside = steps.filter((step) => !isJoin(step)).map(lasted).toSorted((a, b) => a - b); // prettier-ignore
  const at = (list: readonly number[], share: number): string => list[Math.min(list.length - 1, Math.floor(share * list.length))]?.toFixed(0) ?? '–'; // prettier-ignore
  lines.push(`film: ${shown.length} frames shown in 30 s; from frame to frame median ${at(inside, 0.5)} ms, 95 % ${at(inside, 0.95)} ms; at ${gaps.length} joins a picture stands for median ${at(gaps, 0.5)} ms, longest ${at(gaps, 1)} ms`); // prettier-ignore
  await view.close();
  await studio.close();
}
await playFilm();
rmSync(home, { recursive: true, force: true });
await browser.close();
writeFileSync(join(import.meta.dirname, 'results.txt'), `${lines.join('\n')}\n`);
console.log(lines.join('\n'));
