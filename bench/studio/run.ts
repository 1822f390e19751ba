// npm run bench:studio [-- PAGE]     how long frames take on a map of thousands of shots, in Chromium; after a build
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { random, UsageError } from '../../src/base/index.js';
import type { Selection, Topic, Work } from '../../src/studio/contract.js';
import { startServer } from '../../src/studio/server.js';
import { openBrowser } from '../../test/studio/browser.js';
import { machineFacts } from '../machine.js';

const VIDEOS = 50;
const SHOTS = 120;
const idle: Work = {
  state: 'idle',
  failed: null,
  secondsLeft: null,
  stage: null,
  fraction: null,
  item: null,
  message: null,
  items: [],
  reasons: [],
};
const steering: Selection['steering'] = {
  ...{ length: '15%', shared: 0.5, method: 'cvs', concept: null, pin: [], veto: [] },
  ...{ sequence: [], topicSequence: [], leftOut: [] },
}; // prettier-ignore

/** A topic of clouds of shots, each video its own; the scores are other ones at every balance. */
function selectionAt(shared: number): Selection {
  const { next } = random(Math.round(1 + 100 * shared));
  const videos = Array.from({ length: VIDEOS }, (_, video) => ({
    ...{ id: `v${video}`, name: `video-${video}.mp4`, seconds: 3 * SHOTS, chosenSeconds: 0.45 * SHOTS },
    ...{ remarks: [], clips: [], belonging: null, doubleOf: null, frameRate: 25 },
    shots: Array.from({ length: SHOTS }, (_, index) => {
      const score = next();
      return {
        ...{ index, from: 3 * index, to: 3 * index + 3, rank: index, score, own: score, shared: 0 },
        ...{ chosen: score > 0.85, pinned: false, vetoed: false, bad: null },
      };
    }),
  }));
  return { steering: { ...steering, shared }, videos, film: null };
}

const { normal } = random(7);
const raw = Array.from({ length: VIDEOS * SHOTS }, (_, at) => {
  const video = Math.floor(at / SHOTS);
  const place = { x: 0.5 + 0.3 * Math.cos(video), y: 0.5 + 0.3 * Math.sin(1.7 * video) };
  const inside = (value: number): number => Math.min(1, Math.max(0, value));
  return { video: `v${video}`, shot: at % SHOTS, x: inside(place.x + 0.09 * normal()), y: inside(place.y + 0.09 * normal()) };
}); // prettier-ignore
const topic: Topic = {
  ...{ name: 'thousands', folder: 'thousands', known: VIDEOS, mostUpload: 1, work: idle, selection: selectionAt(0.5) },
  ...{ skipped: [], notes: [], methods: [], rates: [], report: null, clips: [] },
  document: { revision: 0, undo: null, redo: null, steering },
  output: { films: false, format: 'mp4', preview: 'none', pictures: 'none', surround: 'blur', music: null },
};

const refused = (): Promise<never> => Promise.reject(new UsageError('not-here', 'This is a measurement.'));
const handlers = new Proxy(
  {
    readTopic: async () => topic,
    map: async () => ({ points: raw }),
    preview: async ({ body }: { body: Selection['steering'] }) => selectionAt(body.shared),
    edit: async () => ({ document: topic.document, selection: topic.selection }),
  } as Record<string, unknown>,
  { get: (known, name: string) => known[name] ?? refused },
);
const server = await startServer(
  {
    handlers: handlers as never,
    ...{ picture: async () => null, media: () => null, results: () => null, studyCsv: refused },
    subscribe(listener: (kind: 'work', work: typeof idle) => void) {
      listener('work', idle);
      return () => undefined;
    },
  } as unknown as Parameters<typeof startServer>[0],
  { port: 0, version: 'bench', page: process.argv[2] ?? join(import.meta.dirname, '../../dist/studio/web') },
);
const browser = await openBrowser();
if (browser === null) throw new UsageError('no-browser', 'Expected Chromium, found none: apt-get install chromium');
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
await page.goto(server.address);
await page.getByRole('tab', { name: 'Map' }).click();
await page.getByRole('application', { name: `Map of ${raw.length} shots` }).waitFor();

const WATCH = `(() => {
  window.frames_ = [];
  let last = performance.now();
  const step = (now) => { window.frames_.push(now - last); last = now; window.next_ = requestAnimationFrame(step); };
  window.next_ = requestAnimationFrame(step);
})()`;
const lines: string[] = [
  `${raw.length} shots of ${VIDEOS} videos on the map; Chromium ${browser.version()} without a graphics card. ${(await machineFacts()).join(', ')}`,
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
await browser.close();
await server.close();
writeFileSync(join(import.meta.dirname, 'results.txt'), `${lines.join('\n')}\n`);
console.log(lines.join('\n'));
