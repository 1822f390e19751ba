import { describe, expect, it, vi } from 'vitest';

import { MediaError, StoreError, ThroughlineError, UsageError } from '../../base/index.js';
import { hide, openFleet, openLog, secretsOf } from './index.js';
import { openBackoffs } from './queues.js';
import { afterFailure, failureOf } from './processor.js';
import { showRedis } from './redis.js';

const never = { passing: 0, crash: 0 };

/** Waits until a task is given up, with the least and the most that chance can make of them. */
function waits(kind: 'passing' | 'crash', chance: number): number[] {
  const found: number[] = [];
  for (let tries = never; ;) {
    const next = afterFailure({ kind, message: 'trouble' }, tries, chance);
    if ('giveUp' in next) return found;
    found.push(next.waitMs);
    tries = next.again;
  }
}

describe('trying again', () => {
  it('gives up at once what can never be done', () => {
    expect(afterFailure({ kind: 'final', message: 'no videos' }, never, 0)).toEqual({ giveUp: 'no videos' });
  });

  it('gives up a task that crashed three times, with its reason', () => {
    const next = afterFailure({ kind: 'crash', message: 'out of memory.' }, { passing: 9, crash: 2 }, 0);
    expect(next).toEqual({ giveUp: 'out of memory; given up after 3 tries' });
    expect(waits('crash', 0)).toEqual([500, 1000]);
  });

  it('waits longer each time, up to a minute, for a quarter to half an hour', () => {
    const [least, most] = [waits('passing', 0), waits('passing', 0.999999)];
    expect(most.slice(0, 7)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000]);
    expect(most.reduce((sum, wait) => sum + wait)).toBeGreaterThan(30 * 60_000);
    expect(least.reduce((sum, wait) => sum + wait)).toBeGreaterThan(15 * 60_000);
    least.forEach((wait, at) => expect(wait * 2).toBe(most[at]));
  });

  it('counts trouble and crashes apart', () => {
    const next = afterFailure({ kind: 'passing', message: 'x' }, { passing: 1, crash: 2 }, 0);
    expect(next).toMatchObject({ again: { passing: 2, crash: 2 } });
  });
});

describe('what an error means', () => {
  it('tells trouble of a machine from trouble that passes, from a crash and from what can never be done', () => {
    const errno = (code: string): Error => Object.assign(new Error(code), { code });
    const kinds: [Error, string][] = [
      [new UsageError('no-model', 'x'), 'machine'],
      [new UsageError('bad-model', 'x'), 'machine'],
      [new MediaError('disk-full', 'x'), 'machine'],
      [new StoreError('disk-full', 'x'), 'machine'],
      [new MediaError('no-decoder', 'x'), 'machine'],
      [new ThroughlineError('other-engine', 'x'), 'machine'],
      [errno('ENOSPC'), 'machine'],
      [errno('EAGAIN'), 'machine'],
      [errno('ECONNRESET'), 'passing'],
      [new StoreError('no-record', 'x'), 'passing'],
      [new UsageError('bad-wish', 'x'), 'final'],
      [new ThroughlineError('nothing-done', 'x'), 'final'],
      [new MediaError('decoder-died', 'x'), 'crash'],
      [new TypeError('x'), 'crash'],
    ];
    for (const [error, kind] of kinds) expect(failureOf(error), String(error)).toMatchObject({ kind });
  });

  it('tries for long what this machine cannot do: another may', () => {
    const next = afterFailure({ kind: 'machine', message: 'x' }, { passing: 1, crash: 2 }, 0);
    expect(next).toMatchObject({ again: { passing: 2, crash: 2 } });
  });
});

describe('the backoff of a kind of task', () => {
  it('takes no tasks of a kind for longer each time, until one works', () => {
    vi.useFakeTimers();
    const said: string[] = [];
    const backoffs = openBackoffs({ pause: (kind) => said.push(`pause ${kind}`), resume: (kind) => said.push(`resume ${kind}`) }); // prettier-ignore
    const waits = Array.from({ length: 6 }, () => {
      const pauseMs = backoffs.begin('extract');
      expect(backoffs.begin('extract')).toBeNull();
      vi.advanceTimersByTime(pauseMs! - 1);
      expect(said.at(-1)).toBe('pause extract');
      vi.advanceTimersByTime(1);
      expect(said.at(-1)).toBe('resume extract');
      return pauseMs;
    });
    expect(waits).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
    backoffs.worked('extract');
    expect([backoffs.begin('extract'), backoffs.begin('summarise')]).toEqual([5_000, 5_000]);
    backoffs.close();
    vi.advanceTimersByTime(100_000);
    expect(said.at(-1)).toBe('pause summarise');
    vi.useRealTimers();
  });
});

describe('secrets', () => {
  it('hides a password as written and as meant, and the keys of S3', () => {
    const secrets = secretsOf('redis://ann:p%40ss@host:6379', { AWS_SECRET_ACCESS_KEY: 'k3y', AWS_SESSION_TOKEN: '' });
    expect(hide('p%40ss and p@ss and k3y and plain', secrets)).toBe('*** and *** and *** and plain');
  });

  it('hides them in lines of JSON too', () => {
    const lines: string[] = [];
    const secrets = secretsOf('redis://:a%22b%5Cc@host', {});
    const log = openLog({ write: (text) => lines.push(text) }, { worker: 'w', asJson: true, secrets });
    log('warn', { event: 'trouble', message: 'refused a"b\\c, a%22b%5Cc' });
    expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'warn', message: 'refused ***, ***', worker: 'w' });
  });

  it('shows where Redis is without its password, whatever else is wrong with the address', () => {
    const shown: Record<string, string> = {
      'rediss://ann:secret@host:6380/2': 'rediss://ann:***@host:6380/2',
      'redis://:secret@host': 'redis://:***@host',
      'redis://host:6379': 'redis://host:6379',
      ' redis://:secret@host\n': 'redis://:***@host',
      'redis://:a@secret@host': 'redis://:***@host',
      'redis://:sec/ret@host:6379': 'redis://:***@host:6379',
      'redis://ann:12/secret@host': 'redis://ann:***@host',
      'redis://host?password=secret': 'redis://host',
      'redis://host/2?family=6&password=secret#x': 'redis://host/2',
      'redis://host?password=a@secret': 'redis://***',
      'redis://:12?secret@host': 'redis://***',
      'secret@host': '***@host',
    };
    for (const [url, expected] of Object.entries(shown)) expect(showRedis(url), url).toBe(expected);
  });

  it('hides passwords wherever an address has them', () => {
    for (const url of [
      'redis://:sec/ret@host:6379',
      ' redis://:sec/ret@host',
      'redis://ann:sec/ret@host',
      'redis://:sec%2Fret@host',
      'redis://host?password=sec/ret',
      'redis://host?password=sec%2Fret&family=6',
      'redis://host?family=6&sentinelPassword=sec%2Fret',
    ]) {
      const said = hide('refused sec/ret, sec%2Fret', secretsOf(url, {}));
      expect(said, url).toBe('refused ***, ***');
    }
    expect(hide('redis://:a@b@host', secretsOf('redis://:a@b@host', {}))).toBe('redis://:***@host');
    expect(hide('a secret: 6', secretsOf('redis://ann@host?family=6', {}))).toBe('a secret: 6');
  });

  it('never repeats an address that does not read as one', async () => {
    for (const url of [
      'redis://:sec/ret@host:6379',
      'redis://ann:12/secret@host',
      'secret@host',
      'secret',
      'http://:secret@host',
      'redis://:sec ret@host',
    ]) {
      const refused = await openFleet(url, 'test').catch((error: unknown) => error);
      expect(refused, url).toMatchObject({ code: 'bad-redis' });
      expect(String((refused as Error).stack), url).not.toMatch(/sec|ret@|12/);
    }
  });
});
