import { execFileSync } from 'node:child_process';

import { browserPath } from './studio/browser.js';

const TRIES = 3;

/** Before the tests: gets Debian's chromium where it is missing and may be installed. The tests say what follows if not. */
export default function installBrowser(): void {
  const mayInstall = process.getuid?.() === 0 && process.env['THROUGHLINE_BROWSER'] !== 'none';
  if (!mayInstall || browserPath() !== undefined) return;
  const apt = (...args: string[]): void =>
    void execFileSync('apt-get', ['-qq', ...args], {
      ...{ stdio: 'ignore', timeout: 600_000, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } },
    });
  for (let left = TRIES; left > 0 && browserPath() === undefined; left--) {
    try {
      apt('update');
      apt('install', '-y', '--no-install-recommends', 'chromium');
    } catch {
      // No apt-get, no network, or a mirror that is busy: tried again, and said by the tests.
    }
  }
}
