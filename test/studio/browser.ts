import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const PLACES = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** A browser on this machine; `null` where there is none. */
export async function openBrowser(): Promise<Browser | null> {
  const executablePath = PLACES.find((place) => place !== undefined && existsSync(place));
  if (executablePath === undefined) return null;
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}
