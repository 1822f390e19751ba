import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserServer } from 'playwright-core';

const ARGS = ['--no-sandbox', '--disable-gpu'];

const PLACES = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Where a browser is on this machine. */
export function browserPath(): string | undefined {
  return PLACES.find((place) => place !== undefined && existsSync(place));
}

/** Starts the browser that all tests of a run share, if there is one; `openBrowser` connects to it. */
export async function startBrowserServer(): Promise<BrowserServer | null> {
  const executablePath = browserPath();
  if (process.env['THROUGHLINE_BROWSER'] === 'none' || executablePath === undefined) return null;
  const server = await chromium.launchServer({ executablePath, args: ARGS });
  process.env['THROUGHLINE_BROWSER_SERVER'] = server.wsEndpoint();
  return server;
}

/**
 * A browser on this machine; `null` where there is none, or `THROUGHLINE_BROWSER=none` says to do without. With
 * `THROUGHLINE_BROWSER=required`, as CI has it, none is a failure.
 */
export async function openBrowser(): Promise<Browser | null> {
  const shared = process.env['THROUGHLINE_BROWSER_SERVER'];
  if (shared !== undefined) return chromium.connect(shared);
  const rule = process.env['THROUGHLINE_BROWSER'];
  const executablePath = browserPath();
  if (rule !== 'none' && executablePath !== undefined) return chromium.launch({ executablePath, args: ARGS });
  if (rule === 'required')
    throw new Error('A browser is required here, and none was found: apt-get install chromium, or set CHROMIUM_PATH.');
  const why = rule === 'none' ? 'THROUGHLINE_BROWSER is none' : 'no browser was found; install chromium';
  process.stderr.write(`The studio’s page was not tested: ${why}.\n`);
  return null;
}
