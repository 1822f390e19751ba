import { Redis, type RedisOptions } from 'ioredis';

import { ThroughlineError, UsageError } from '../../base/index.js';
import { hide, secretsOf, showRedis } from './secrets.js';

/** Redis cannot be reached, or refuses the user or the password. */
class QueueError extends ThroughlineError {
  override readonly name = 'QueueError';
}

/** Checks a Redis URL. The error does not repeat the URL, because any part of a malformed one may be a password. */
function checkRedisUrl(given: string): string {
  const url = given.trim();
  if (/^rediss?:\/\/[^\s]+$/.test(url) && URL.canParse(url) && !hasStrayAt(new URL(url))) return url;
  throw new UsageError(
    'bad-redis',
    'Expected redis://host:6379 or rediss://user:password@host:6379, found something else (not shown, as it may contain a password). In a password, write / as %2F, ? as %3F, # as %23, % as %25 and @ as %40.',
  );
}

/** An @ after the host is the rest of a password with an unescaped slash. */
function hasStrayAt({ pathname, hash }: URL): boolean {
  return `${pathname}${hash}`.includes('@');
}

/** Attempts to reconnect: about a minute in all. */
const COMEBACK_TRIES = 35;

/** A connection for commands: throws if Redis cannot be reached now. Must be disconnected. */
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
    // From now on, wait for Redis to come back: a command that waits for a topic survives a restart.
    redis.options.maxRetriesPerRequest = null;
    redis.options.retryStrategy = (times) => (times > COMEBACK_TRIES ? null : Math.min(2_000, 200 * times));
    return redis;
  } catch (error) {
    redis.disconnect();
    throw explainRedis(isVague(error) ? (last ?? error) : error, url);
  }
}

/** A connection for workers: tries to reconnect for ever. Must be disconnected. */
export function openLastingRedis(url: string, options: RedisOptions = {}): Redis {
  return new Redis(checkRedisUrl(url), {
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(5_000, 200 * times),
    ...options,
  });
}

/** An error of the connection as a sentence, without the password. */
export function explainRedis(error: unknown, url: string): QueueError {
  const found = hide(reasonOf(error), secretsOf(url));
  const where = showRedis(url);
  if (/NOAUTH|WRONGPASS|invalid (username|password)|NOPERM/i.test(found)) {
    return new QueueError(
      'redis-refused',
      `Expected Redis at ${where} to accept the user and password, found: ${found}. Check them; the safest place for them is THROUGHLINE_REDIS.`,
    );
  }
  return new QueueError(
    'redis-unreachable',
    `Expected Redis at ${where}, found none: ${found}. Start it, or check host, port and network.`,
  );
}

// If a host has several addresses, the error has one part for each and no message of its own.
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.replace(/\.$/, '');
}

/** Whether an error says only that the connection is gone, and not why. */
export function isVague(error: unknown): boolean {
  return error instanceof Error && /Connection is closed|max retries per request/i.test(error.message);
}
