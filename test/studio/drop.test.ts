import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { drawTopic } from '../fixtures/drawn-topic.js';
import { openBrowser } from './browser.js';
import { openStudioPage, type StudioPage } from './studio-page.js';

const browser = await openBrowser();
const MAX_BYTES = 2_000_000;

describe.skipIf(browser === null)('the studio without a folder', () => {
  let stage: StudioPage;
  beforeAll(async () => {
    const fill = async (folder: string, ffmpeg: string): Promise<void> => {
      await drawTopic({ folder, ffmpeg, scale: 0.2, videoCount: 3 });
      await writeFile(join(folder, 'broken.mp4'), 'no video');
      await writeFile(join(folder, 'huge.mp4'), Buffer.alloc(MAX_BYTES + 1));
      await copyFile(join(folder, 'aiko.mp4'), join(folder, 'again.mp4'));
    };
    stage = await openStudioPage(browser!, fill, { isChosen: false, maxUpload: MAX_BYTES });
  });
  afterAll(async () => {
    await stage?.close();
    await browser?.close();
  });

  const at = (name: string): string => join(stage.home, 'town', name);
  const rows = (): Promise<string[]> => stage.page.locator('.video h2').allTextContents();
  const sent = async (): Promise<string[]> => (await readdir(join(stage.home, 'harbour-topic', 'videos'))).toSorted();
  const record = async (): Promise<{ name: string; videos: { path: string }[] }> =>
    JSON.parse(await readFile(join(stage.home, 'harbour-topic', 'topic.json'), 'utf8')) as never;

  it('asks for videos, and shows what could be opened', async () => {
    await stage.page.goto(stage.studio.address);
    await stage.page.getByRole('heading', { name: 'Drop videos of one topic here' }).waitFor();
    await stage.page.getByRole('button', { name: 'town folder, 6 videos' }).waitFor();
    await stage.picture('welcome');
    expect(await stage.unreadable()).toEqual([]);
  });

  it('takes those that are chosen, names those it cannot use, and opens the topic', async () => {
    await stage.page.getByLabel('Topic name').fill('harbour');
    const files = ['aiko.mp4', 'broken.mp4', 'huge.mp4', 'bruno.mp4'].map(at);
    // Progress may be quicker than a question about it: the page itself notes every row that ever says it.
    await stage.page.evaluate(`new MutationObserver(() => {
      for (const row of document.querySelectorAll('.video'))
        if (/analys/.test(row.querySelector('.label p')?.textContent))
          (window.bars ??= new Set()).add(row.getAttribute('aria-label'));
    }).observe(document.body, { childList: true, subtree: true, characterData: true })`);
    await stage.page.getByLabel('Choose videos').setInputFiles(files);
    await stage.page.locator('.video .shot').first().waitFor();
    // A file that cannot be used may have a row too, which says why.
    expect((await rows()).filter((name) => name !== 'broken.mp4')).toEqual(['aiko.mp4', 'bruno.mp4']);
    // Every video had its own progress while it was looked at.
    expect(await stage.page.evaluate('[...window.bars].filter((name) => name !== "broken.mp4").sort()')).toEqual([
      'aiko.mp4',
      'bruno.mp4',
    ]);
    await stage.page.getByText(/huge\.mp4: It is larger than 1 MB/).waitFor();
    await stage.page
      .getByText(/"broken\.mp4"/)
      .first()
      .waitFor();
    // What cannot be used is neither kept nor remembered, and no part of anything is left.
    expect(await sent()).toEqual(['aiko.mp4', 'bruno.mp4']);
    const { name, videos } = await record();
    expect([name, videos.map(({ path }) => path)]).toEqual(['harbour', ['videos/aiko.mp4', 'videos/bruno.mp4']]);
    await stage.picture('refused');
    expect(await stage.unreadable()).toEqual([]);
    const dismiss = stage.page.getByRole('button', { name: 'Dismiss' });
    await dismiss.first().click();
    await dismiss.click();
    expect(await dismiss.count()).toBe(0);
    // What was put away is still among the notes.
    expect(await stage.page.getByRole('region', { name: 'Notes' }).textContent()).toContain('broken.mp4');
  });

  it('takes more that are dropped on the topic, each content once', async () => {
    const drop = async (name: string, content: Buffer): Promise<void> => {
      const script = `(() => {
        const bytes = Uint8Array.from(atob('${content.toString('base64')}'), (letter) => letter.charCodeAt(0));
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([bytes], '${name}', { type: 'video/mp4' }));
        for (const type of ['dragenter', 'dragover', 'drop'])
          document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
      })()`;
      await stage.page.evaluate(script);
    };
    await drop('carla.mp4', await readFile(at('carla.mp4')));
    await expect.poll(rows).toEqual(['aiko.mp4', 'bruno.mp4', 'carla.mp4']);
    await expect.poll(async () => (await record()).videos.length).toBe(3);
    await drop('again.mp4', await readFile(at('again.mp4')));
    await stage.page.getByText('1 of 1 video copied.').waitFor({ state: 'attached' });
    await expect.poll(sent).toEqual(['aiko.mp4', 'bruno.mp4', 'carla.mp4']);
    await stage.page.getByText('"again.mp4" has the same content as a video of this topic').waitFor();
    expect((await record()).videos).toHaveLength(3);
    // Another video of a name that is taken gets a number.
    await drop('carla.mp4', await readFile(at('bruno.mp4')).then((bytes) => Buffer.concat([bytes, Buffer.alloc(9)])));
    await expect.poll(rows).toContain('carla-2.mp4');
  });

  it('says so when the server is gone, and where everything is', async () => {
    expect(stage.faults).toEqual([]);
    await stage.studio.close();
    await stage.page.getByText('The studio is not responding').waitFor();
    expect(await stage.page.locator('.problem').textContent()).toContain(join(stage.home, 'harbour-topic'));
    await stage.picture('gone');
    expect(await stage.unreadable()).toEqual([]);
  });
});

describe.skipIf(browser === null)('a folder with nothing to see', () => {
  it('without videos asks for some; with none that can be used says why, and goes on when there are', async () => {
    const again = await openBrowser();
    const empty = await openStudioPage(again!, async () => undefined);
    try {
      await empty.page.goto(empty.studio.address);
      await empty.page.getByRole('heading', { name: 'No videos in this topic yet' }).waitFor();
      await empty.picture('no-videos');
      expect(await empty.unreadable()).toEqual([]);
    } finally {
      await empty.close();
    }
    const unusable = await openStudioPage(again!, (folder) => writeFile(join(folder, 'notes.mp4'), 'no video'));
    try {
      await unusable.page.goto(unusable.studio.address);
      const alert = unusable.page.getByRole('alert');
      await alert.getByText(/None of the videos could be used/).waitFor();
      await alert.getByText(/"?notes\.mp4"?/).waitFor();
      await unusable.picture('unusable');
      expect(await unusable.unreadable()).toEqual([]);
      await alert.getByRole('button', { name: 'Retry' }).click();
      await alert.getByText(/None of the videos could be used/).waitFor();
    } finally {
      await unusable.close();
      await again?.close();
    }
  });
});
