import { execFileSync } from 'node:child_process';

import { redisPath } from './fixtures/redis.js';
import { browserPath } from './studio/browser.js';

const TRIES = 3;

/** Programs that tests need, unless a variable says to do without, and how to see whether they are there. */
const WANTED = [
  { name: 'chromium', rule: process.env['THROUGHLINE_BROWSER'], find: browserPath },
  { name: 'redis-server', rule: process.env['THROUGHLINE_REDIS_SERVER'], find: redisPath },
];

/** Before the tests: gets Debian's programs where they are missing and may be installed. The tests say what follows if not. */
export default function installPrograms(): void {
  if (process.getuid?.() !== 0) return;
  const missing = (): string[] =>
    WANTED.filter(({ rule, find }) => rule !== 'none' && find() === undefined).map(({ name }) => name);
  const apt = (...args: string[]): void =>
    void execFileSync('apt-get', ['-qq', ...args], {
      ...{ stdio: 'ignore', timeout: 600_000, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } },
    });
  for (let left = TRIES; left > 0 && missing().length > 0; left--) {
    try {
      apt('update');
      apt('install', '-y', '--no-install-recommends', ...missing());
    } catch {
      // No apt-get, no network, or a mirror that is busy: tried again, and said by the tests.
    }
  }
}
