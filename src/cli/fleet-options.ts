import { type Command, InvalidArgumentError, Option } from 'commander';

import { UsageError } from '../base/index.js';
import { loadQueues } from '../jobs/index.js';

/** Where a fleet is: its queues, its files, and its name among others on the same Redis. */
export type FleetFlags = { redis?: string; store?: string; prefix: string };

/** Gives a command `--redis`, `--store` and `--prefix`, or those of them it needs. */
export function addFleetOptions(
  command: Command,
  needed: readonly ('redis' | 'store')[] = ['redis', 'store'],
): Command {
  if (needed.includes('redis')) {
    command
      .addOption(
        new Option('--redis <URL>', 'Redis server that holds the queues, such as redis://host:6379 or rediss://….').env(
          'THROUGHLINE_REDIS',
        ),
      )
      .addOption(
        new Option('--prefix <NAME>', 'Name of the fleet, if several share one Redis.')
          .default('throughline')
          .argParser(readPrefix),
      );
  }
  if (needed.includes('store')) {
    command.addOption(
      new Option(
        '--store <URL>',
        'Where all machines keep files: s3://bucket/prefix, or a folder that all of them can reach.',
      ).env('THROUGHLINE_STORE'),
    );
  }
  return command;
}

/** As one would type them. */
const EXAMPLES = {
  redis: '--redis redis://localhost:6379',
  store: '--store /mnt/shared or --store s3://bucket/prefix',
};

/** The value of `--redis` or `--store`, or what to do about its absence. */
export function required(flags: FleetFlags, name: 'redis' | 'store'): string {
  const value = flags[name];
  if (value) return value;
  throw new UsageError(
    `no-${name}`,
    `Expected --${name} URL or THROUGHLINE_${name.toUpperCase()}, found neither. Give its address, for example ${EXAMPLES[name]}.`,
  );
}

/**
 * Does something with a fleet. Whatever goes wrong, no password is in what is said about it; nor, from here on, in the list
 * of processes.
 */
export async function withoutSecrets<T>({ redis = '' }: FleetFlags, work: () => Promise<T>): Promise<T> {
  const { explainRedis, hide, isVague, secretsOf } = await loadQueues();
  const secrets = secretsOf(redis);
  process.title = 'throughline';
  try {
    return await work();
  } catch (error) {
    if (isVague(error)) throw explainRedis(error, redis);
    if (error instanceof Error) {
      const stack = hide(error.stack ?? '', secrets);
      error.message = hide(error.message, secrets);
      error.stack = stack;
    }
    throw error;
  }
}

/** A whole number from `least` to `most`, for options that count. */
export function readCount(least: number, most: number): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (text.trim() !== '' && Number.isInteger(count) && count >= least && count <= most) return count;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
}

function readPrefix(text: string): string {
  if (/^[\w.-]{1,64}$/.test(text)) return text;
  throw new InvalidArgumentError('Expected letters, digits, dots, dashes and underscores, 64 at most.');
}
