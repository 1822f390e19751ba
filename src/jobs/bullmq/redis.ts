import { Redis, type RedisOptions } from 'ioredis';

import { ThroughlineError, UsageError } from '../../base/index.js';
import { hide, secretsOf, showRedis } from './secrets.js';

/** Redis could not be reached, or does not let us in. */
class QueueError extends ThroughlineError {
  override readonly name = 'QueueError';
}

/** Checks a Redis URL. One that does not read as such may be a password all through, and is not repeated. */
function checkRedisUrl(given: string): string {
  const url = given.trim();
  if (/^rediss?:\/\/[^\s]+$/.test(url) && URL.canParse(url) && !hasStrayAt(new URL(url))) return url;
  throw new UsageError(
    'bad-redis',
    'Expected redis://host:6379 or rediss://user:password@host:6379, found something else, which is not repeated here because it may hold a password. In a password write / as %2F, ? as %3F, # as %23, % as %25 and @ as %40.',
  );
}

/** An @ behind the host is the end of a password that was cut at its slash. */
function hasStrayAt({ pathname, hash }: URL): boolean {
  return `${pathname}${hash}`.includes('@');
}

/** Tries to reach a Redis that was there before: about a minute. */
const COMEBACK_TRIES = 35;

/** A connection for commands that must work now or say why not. */
export async function openRedis(url: string): Promise<Redis> {
  const redis = new Redis(checkRedisUrl(url), {
    lazyConnect: true,
    connectTimeout: 5_000,
    maxRetriesPerRequest: 3,
    retryStrategy: (times) => (times > 3 ? null : 200 * times),
  });
  let last: unknown = null;
  redis.on('error', (error) => (last = error));
  try {
    await redis.connect();
    await redis.ping();
    // Once it was there, it may come back: a command that waits for a topic outlives a restart.
    redis.options.maxRetriesPerRequest = null;
    redis.options.retryStrategy = (times) => (times > COMEBACK_TRIES ? null : Math.min(2_000, 200 * times));
    return redis;
  } catch (error) {
    redis.disconnect();
    throw explainRedis(isVague(error) ? (last ?? error) : error, url);
  }
}

/** A connection for workers: whatever happens to Redis, it comes back. */
export function openLastingRedis(url: string, options: RedisOptions = {}): Redis {
  return new Redis(checkRedisUrl(url), {
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(5_000, 200 * times),
    ...options,
  });
}

/** What went wrong with Redis, in a sentence. */
export function explainRedis(error: unknown, url: string): QueueError {
  const found = hide(reasonOf(error), secretsOf(url));
  const where = showRedis(url);
  if (/NOAUTH|WRONGPASS|invalid (username|password)|NOPERM/i.test(found)) {
    return new QueueError(
      'redis-refused',
      `Redis at ${where} does not let us in: ${found}. Check user and password, best given in THROUGHLINE_REDIS.`,
    );
  }
  return new QueueError(
    'redis-unreachable',
    `Expected Redis at ${where}, found none: ${found}. Start it, or check host, port and network.`,
  );
}

// A host with several addresses fails with an error for each and none of its own.
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.replace(/\.$/, '');
}

/** An error that says no more than that the connection is gone. */
export function isVague(error: unknown): boolean {
  return error instanceof Error && /Connection is closed|max retries per request/i.test(error.message);
}
