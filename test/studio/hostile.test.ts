import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { random } from '../../src/base/index.js';
import { damage } from '../fixtures/damage.js';
import { makeVideo } from '../fixtures/video.js';
import { openBrowser } from './browser.js';
import { openStudioPage, type StudioPage } from './studio-page.js';

const SEED = Number(process.env['FC_SEED'] ?? 2017);
/** What runs if a name is taken for markup anywhere. */
const SCRIPT = 'window.owned=1';
const NAMES = [
  `<img src=x onerror=${SCRIPT}>.mp4`,
  `"><svg onload=${SCRIPT}>.mp4`,
  `'-${SCRIPT}-'.mp4`,
  `{{constructor.constructor('${SCRIPT}')()}}.mp4`,
  `javascript:${SCRIPT}.mp4`,
];

const browser = await openBrowser();
let stage: StudioPage;
beforeAll(async () => {
  if (browser === null) return;
  stage = await openStudioPage(browser, async (folder, ffmpeg) => {
    await mkdir(join(folder, '..', 'made'));
    for (const [at, name] of NAMES.entries()) {
      const plain = join(folder, '..', 'made', `${at}.mp4`);
      await makeVideo(ffmpeg, plain, { widthPx: 96, heightPx: 54, frameCount: 50, firstNumber: 70 * at });
      await cp(plain, join(folder, name));
    }
  });
  await stage.enter();
});
afterAll(async () => {
  await stage?.close();
  await browser?.close();
});

const owned = (): Promise<unknown> => stage.page.evaluate('window.owned');

describe.skipIf(browser === null)('videos whose names are markup', () => {
  it('are shown by their names, and nothing of them runs', async () => {
    for (const name of NAMES) expect(await stage.page.getByText(name, { exact: false }).count()).toBeGreaterThan(0);
    expect(await owned()).toBeUndefined();
    expect(stage.faults).toEqual([]);
  });

  it('run nothing in the report either', async () => {
    const answer = await call(
      'POST',
      '/api/render',
      '{"films":false,"format":"mp4","preview":"none","pictures":"storyboard","surround":"blur","music":null}',
    );
    expect(answer.status).toBe(200);
    await expect.poll(async () => (await (await call('GET', '/api/topic')).json() as { report: string | null }).report, { interval: 500 }).not.toBeNull(); // prettier-ignore
    const { report } = (await (await call('GET', '/api/topic')).json()) as { report: string };
    await stage.page.goto(new URL(report, `http://127.0.0.1:${stage.studio.port}`).href);
    expect(await stage.page.title()).not.toBe('');
    expect(await owned()).toBeUndefined();
    // Its own style and script are not kept from it.
    expect(stage.faults).toEqual([]);
  });

  /** A topic's folder may come from somebody else, results and all. */
  it('beside pages, drawings and scripts that somebody put among the results: none of them runs', async () => {
    const results = join(stage.home, 'town-topic', 'summary');
    const pages = {
      'own.html': `<!doctype html><title>x</title><script>${SCRIPT}</script><img src=x onerror=${SCRIPT}>`,
      'borrowed.html': '<!doctype html><title>x</title><script src="script.js"></script>',
      'module.html': '<!doctype html><title>x</title><script type="module">import "./script.js"</script>',
      'based.html': '<!doctype html><title>x</title><base href="/results/"><script src="script.js"></script>',
      'drawing.svg': `<svg xmlns="http://www.w3.org/2000/svg" onload="${SCRIPT}"><script href="script.js"/></svg>`,
    };
    await writeFile(join(results, 'script.js'), SCRIPT);
    for (const [name, text] of Object.entries(pages)) {
      await writeFile(join(results, name), text);
      const answer = await stage.page.goto(`http://127.0.0.1:${stage.studio.port}/results/${name}`);
      expect([name, answer?.status()]).toEqual([name, 200]);
      await stage.page.waitForLoadState('networkidle');
      expect([name, await owned()]).toEqual([name, undefined]);
    }
  });
});

function call(method: string, path: string, body?: string | Uint8Array): Promise<Response> {
  const headers = { authorization: `Bearer ${stage.studio.token}`, 'content-type': 'application/json' };
  const sent = method === 'GET' || body === undefined ? {} : { body: Buffer.from(body) };
  return fetch(`http://127.0.0.1:${stage.studio.port}${path}`, { method, headers, ...sent });
}

describe.skipIf(browser === null)('bodies and addresses nobody’s page sends', () => {
  it('are refused with a sentence, never a fault, and the studio goes on', async () => {
    const described = (await (await call('GET', '/api/openapi.json')).json()) as {
      paths: Record<string, Record<string, unknown>>;
    };
    const usual = Buffer.from(JSON.stringify({ length: '15%', shared: 0.5, method: 'cvs', concept: null, pin: [], veto: [], sequence: [], topicSequence: [], seed: 1, name: 'a', folder: '/', video: 'a', shot: 0, format: 'edl' })); // prettier-ignore
    const dice = random(SEED);
    const parts = ['..', '%2e%2e%2f', 'a', '0', '-1', '1e9', '%00', '%ff', 'x'.repeat(3000), '__proto__', '<script>'];
    const statuses = new Set<number>();
    for (const [path, methods] of Object.entries(described.paths)) {
      for (const method of Object.keys(methods)) {
        for (let copy = 0; copy < 25; copy++) {
          const address = path.replace(/\{[^}]+\}/g, () => parts[dice.below(parts.length)]!);
          const answer = await call(method.toUpperCase(), address, damage(usual, dice));
          statuses.add(answer.status);
          const said = await answer.text();
          if (answer.status >= 500) throw new Error(`${method} ${address}: ${answer.status} ${said}`);
          if (answer.status >= 400) expect(JSON.parse(said)).toMatchObject({ code: expect.any(String) as string, message: expect.any(String) as string }); // prettier-ignore
        }
      }
    }
    expect([...statuses].some((status) => status >= 400)).toBe(true);
    expect((await call('GET', '/api/topic')).status).toBe(200);
  });
});
