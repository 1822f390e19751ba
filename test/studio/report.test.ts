import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser, Page } from 'playwright-core';

import { renderReport } from '../../src/render/index.js';
import { sampleConcept, sampleDocument, sampleShot, sampleVideo } from '../../src/render/report/sample.case.js';
import { locateFfmpeg } from '../../src/media/index.js';
import { openBrowser } from './browser.js';

/** Content that does not break by itself: one long word, and words of many scripts. */
const WORD = 'VID_20240131_142530_'.repeat(12);
const SCRIPTS = 'Ночь на набережной · 夜の港祭り花火大会 · مهرجان الميناء ليلاً · Straßenfest';
const REASON = `Five of the seven other videos show this: the closest are ${WORD}.mp4 and ${SCRIPTS}. ${'It is the only night view. '.repeat(20)}`;

let browser: Browser | null = null;
let folder: string;
beforeAll(async () => {
  browser = await openBrowser();
  folder = await mkdtemp(join(tmpdir(), 'throughline-report-'));
  const board = await sharp({ create: { width: 1600, height: 900, channels: 3, background: '#357' } })
    .png()
    .toBuffer();
  await writeFile(join(folder, 'concept.storyboard.png'), board);
  const { path: ffmpeg } = await locateFfmpeg();
  execFileSync(ffmpeg, ['-v', 'error', '-f', 'lavfi', '-i', 'color=size=640x360:duration=1', join(folder, 'concept.mp4')]); // prettier-ignore
  const jpeg = await sharp({ create: { width: 320, height: 180, channels: 3, background: '#a63' } })
    .jpeg()
    .toBuffer();
  const page: string[] = [];
  for await (const part of renderReport(nasty(), () => Promise.resolve(jpeg))) page.push(part);
  await writeFile(join(folder, 'report.html'), page.join(''));
});
afterAll(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Many videos with long names and long lists, of several shapes, one of them with very many shots. */
function nasty() {
  const names = [WORD, SCRIPTS, ...Array.from({ length: 22 }, (_, k) => `${k}-${WORD}`)];
  const support = names.map((_, k) => ({ video: `v${k}`, share: 1 / 24, shot: 0 }));
  const videos = names.map((name, k) => {
    const count = k === 3 ? 300 : 6;
    const shots = Array.from({ length: count }, (_, at) =>
      sampleShot(at, { chosen: at % 2 === 0, shared: 0.5, support: at % 2 === 0 ? support.slice(0, 12) : [] }),
    );
    const standing = { weight: 0.25, isStray: k === 1, ...(k === 2 ? { doubleOf: 'v0' } : {}) };
    const shape = k % 3 === 1 ? { widthPx: 1080, heightPx: 1920 } : {};
    return sampleVideo(`v${k}`, shots, { path: `${WORD}/${name}.mp4`, standing, ...shape });
  });
  const concept = sampleConcept(videos, videos.map(({ id }) => [id, 0] as const), {
    order: { rule: 'position', reason: REASON },
  }); // prettier-ignore
  return sampleDocument(videos, {
    topic: `${SCRIPTS} ${WORD}`,
    options: { title: `${SCRIPTS} ${WORD}`, pin: [`${WORD}.mp4@0:01-0:02`, WORD], length: '15%' },
    concept: { ...concept, shots: concept.shots.map((shot) => ({ ...shot, reason: REASON })) },
    skipped: [{ path: `${WORD}.txt`, code: 'not-video-'.repeat(12), message: `${REASON} ${WORD}` }],
    notes: [REASON, WORD],
  });
}

async function open(width: number): Promise<Page | null> {
  const page = await browser?.newPage({ viewport: { width, height: 740 }, isMobile: width < 500 });
  await page?.goto(pathToFileURL(join(folder, 'report.html')).href);
  return page ?? null;
}

/** How far the page scrolls sideways, and what sticks out of it; the timelines pan in a strip of their own. */
function overhang(page: Page): Promise<{ sideways: number; out: string }> {
  return page.evaluate(`(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    const out = [...document.querySelectorAll('main *')].filter(
      (each) => each.closest('.scroll') === null && each.getBoundingClientRect().right > clientWidth + 1,
    );
    const names = out.map((each) => each.parentElement.className + ' ' + each.tagName + '.' + each.className);
    return { sideways: scrollWidth - clientWidth, out: [...new Set(names)].join(', ') };
  })()`);
}

describe('the report, with long names, many scripts and long reasons', () => {
  it.each([320, 360, 768, 1280])('never scrolls sideways at %i px', async (width) => {
    const page = await open(width);
    if (page === null) return expect(browser).toBeNull();
    await page.evaluate(`for (const each of document.querySelectorAll('details')) each.open = true;
      for (const each of document.querySelectorAll('.video')) each.style.contentVisibility = 'visible';`);
    const { sideways, out } = await overhang(page);
    expect(sideways, out).toBe(0);
    // The card of a shot stays inside, too.
    await page.locator('.shot').first().click();
    const card = await page.locator('#card').boundingBox();
    expect(card!.x).toBeGreaterThanOrEqual(0);
    expect(card!.x + card!.width).toBeLessThanOrEqual(width);
    await page.close();
  });

  it('prints storyboards instead of films, on white, nothing cut off', async () => {
    const page = await open(1280);
    if (page === null) return expect(browser).toBeNull();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    const look: Record<string, unknown> = await page.evaluate(`(() => {
      const visible = (selector) =>
        [...document.querySelectorAll(selector)].filter((each) => each.getBoundingClientRect().height > 0).length;
      return {
        films: visible('video'),
        boards: visible('.concept .board'),
        cards: visible('.card'),
        ground: getComputedStyle(document.documentElement).backgroundColor,
        link: getComputedStyle(document.querySelector('.concept .links a'), '::after').content,
        broken: getComputedStyle(document.querySelector('.cue')).breakInside,
      };
    })()`);
    expect(look).toMatchObject({ films: 0, boards: 1, cards: 0, ground: 'rgb(255, 255, 255)', broken: 'avoid' });
    expect(look['link']).toContain('concept.mp4');
    const pdf = await page.pdf({ printBackground: true });
    expect(pdf.length).toBeGreaterThan(10_000);
    await page.close();
  });
});
