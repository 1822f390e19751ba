import { Cluster, Redis, type RedisOptions } from 'ioredis';

import { ThroughlineError, UsageError } from '../../base/index.js';
import type { Client } from './topics.js';

/** Redis cannot be reached, or refuses the user or the password. */
class QueueError extends ThroughlineError {
  override readonly name = 'QueueError';
}

/** `redis+cluster://` and `redis+sentinel://` name several hosts; after those of Sentinels comes the name of the service. */
const OF_MANY = /^(rediss?)\+(cluster|sentinel):\/\/(?:([^@/?#\s]*)@)?([^@/?#\s]+?)(?:\/([\w.-]+))?$/;

/** Checks a Redis URL. The error does not repeat the URL, because any part of a malformed one may be a password. */
function checkRedisUrl(given: string): string {
  const url = given.trim();
  const [, , kind, , , service] = OF_MANY.exec(url) ?? [];
  if (kind === 'cluster' ? service === undefined : kind === 'sentinel' && service !== undefined) return url;
  if (/^rediss?:\/\/[^\s]+$/.test(url) && URL.canParse(url) && !hasStrayAt(new URL(url))) return url;
  throw new UsageError(
    'bad-redis',
    'Expected redis://host:6379 or rediss://user:password@host:6379 (for several hosts: redis+cluster://host:6379,host:6379 or redis+sentinel://host:26379,host:26379/SERVICE), found something else (not shown, as it may contain a password). In a password, write / as %2F, ? as %3F, # as %23, % as %25 and @ as %40.',
  );
}

/** A client for the address, with options for its connections. */
function clientOf(given: string, options: RedisOptions): Client {
  const url = checkRedisUrl(given);
  const [, scheme, kind, who = '', hosts = '', service] = OF_MANY.exec(url) ?? [];
  if (kind === undefined) return new Redis(url, options);
  const [username = '', ...rest] = who.split(':');
  const login: RedisOptions = {
    ...(username && { username: decode(username) }),
    ...(rest.length > 0 && { password: decode(rest.join(':')) }),
    ...(scheme === 'rediss' && { tls: {} }),
  };
  const nodes = hosts.split(',').map((host) => {
    const { hostname, port } = new URL(`redis://${host}`);
    return { host: hostname, port: Number(port || (kind === 'sentinel' ? 26_379 : 6_379)) };
  });
  if (kind === 'sentinel') {
    const secured = scheme === 'rediss' ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {};
    return new Redis({ ...options, ...login, ...secured, sentinels: nodes, name: service! });
  }
  const { lazyConnect, retryStrategy, ...each } = options;
  return new Cluster(nodes, {
    redisOptions: { ...each, ...login },
    ...(lazyConnect && { lazyConnect }),
    ...(retryStrategy && { clusterRetryStrategy: retryStrategy }),
    // Hosts of a cluster behind TLS are checked by the names in their certificates.
    ...(scheme === 'rediss' && { dnsLookup: (address, found) => found(null, address) }),
  });
}

/** An @ after the host is the rest of a password with an unescaped slash. */
function hasStrayAt({ pathname, hash }: URL): boolean {
  return `${pathname}${hash}`.includes('@');
}

/** Attempts to reconnect: about a minute in all. */
const COMEBACK_TRIES = 35;

/** A connection for commands: throws if Redis cannot be reached now. Must be disconnected. */
export async function openRedis(url: string): Promise<Client> {
  let isThere = false;
  const redis = clientOf(url, {
    lazyConnect: true,
    connectTimeout: 5_000,
    maxRetriesPerRequest: 3,
    retryStrategy: (times) =>
      isThere ? (times > COMEBACK_TRIES ? null : Math.min(2_000, 200 * times)) : times > 3 ? null : 200 * times,
  });
  let last: unknown = null;
  redis.on('error', (error) => (last = error));
  try {
    await redis.connect();
    await redis.ping();
    // From now on, wait for Redis to come back: a command that waits for a topic survives a restart.
    isThere = true;
    if (redis instanceof Redis) redis.options.maxRetriesPerRequest = null;
    return redis;
  } catch (error) {
    redis.disconnect();
    throw explainRedis(isVague(error) ? (last ?? error) : error, url);
  }
}

/** A connection for workers: tries to reconnect for ever. Must be disconnected. */
export function openLastingRedis(url: string): Client {
  return clientOf(url, { maxRetriesPerRequest: null, retryStrategy: (times) => Math.min(5_000, 200 * times) });
}

/** Another connection to the same Redis. Must be disconnected. */
export function anotherLike(redis: Client): Client {
  return redis instanceof Redis ? redis.duplicate() : redis.duplicate();
}

/** The beginning of all keys of a fleet. The braces are a hash tag: a cluster keeps all keys of a fleet on one node. */
export function keysOf(prefix: string): string {
  return `{${prefix}}`;
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

/** Texts that must never be shown: the passwords in a Redis URL, encoded and decoded, and the keys of S3. */
export function secretsOf(redisUrl: string, env: NodeJS.ProcessEnv = process.env): readonly string[] {
  const meant = passwordsIn(redisUrl).flatMap((written) => [written, decode(written)]);
  const found = [
    ...meant.flatMap((text) => [text, encodeURIComponent(text)]),
    ...[env['AWS_SECRET_ACCESS_KEY'], env['AWS_SESSION_TOKEN']],
  ];
  const plain = found.filter((text): text is string => text !== undefined && text !== '');
  // In JSON, quotes and backslashes are escaped. The longest comes first: a shorter one may be part of it.
  const written = [...new Set(plain.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]))];
  return written.sort((a, b) => b.length - a.length);
}

/** The text with every secret replaced by `***`. */
export function hide(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}

/** A Redis URL for people, without password and options. */
export function showRedis(url: string): string {
  const { scheme, who, where } = partsOf(url);
  // Options may contain a password with an @; then it is unclear where the host begins.
  if (who === null) return `${scheme}${where.replace(/[?#].*$/s, '')}`;
  if (/[?#]/.test(who)) return `${scheme}***`;
  const user = who.includes(':') ? `${who.split(':')[0]}:` : '';
  return `${scheme}${user}***@${where.replace(/[?#].*$/s, '')}`;
}

/** Splits a URL, even a malformed one; everything before the last @ may be part of a password. */
function partsOf(url: string): { readonly scheme: string; readonly who: string | null; readonly where: string } {
  const [, scheme = '', rest = ''] = /^([a-z+]+:\/\/)?(.*)$/is.exec(url.trim())!;
  const at = rest.lastIndexOf('@');
  return { scheme, who: at < 0 ? null : rest.slice(0, at), where: rest.slice(at + 1) };
}

function passwordsIn(url: string): string[] {
  const who = partsOf(url).who ?? '';
  const colon = who.indexOf(':');
  const options = [...url.matchAll(/[?&][^=&]*pass[^=&]*=([^&#]*)/gi)].map(([, value = '']) => value.trim());
  return [...(colon < 0 ? [] : [who.slice(colon + 1)]), ...options];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

type Level = 'info' | 'warn' | 'error';

/** One thing that happened: `event` is for programs, `message` for people. */
type Entry = {
  readonly event: string;
  readonly message: string;
  readonly topic?: string | undefined;
  readonly task?: string | undefined;
  readonly seconds?: number;
  /** Process id of the task. */
  readonly pid?: number | undefined;
};

/** Writes one entry to the log of a worker. */
export type Log = (level: Level, entry: Entry) => void;

/** A log with one JSON object per line for programs, or one plain line for people. Secrets are replaced by `***`. */
export function openLog(
  out: { write(text: string): unknown },
  { worker, asJson, secrets }: { worker: string; asJson: boolean; secrets: readonly string[] },
): Log {
  return (level, { event, message, ...about }) => {
    const time = new Date().toISOString();
    const line = asJson
      ? JSON.stringify({ time, level, event, message, ...about, worker })
      : `${time.slice(11, 19)} ${level === 'info' ? '' : `${level}: `}${message.replace(/\p{C}/gu, '?')}`;
    out.write(`${hide(line, secrets)}\n`);
  };
}
