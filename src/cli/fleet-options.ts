import { type Command, InvalidArgumentError, Option } from 'commander';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { UsageError } from '../base/index.js';
import { loadQueues } from '../jobs/index.js';

/** The fleet that a command works with: its Redis, its store, and its name among others on the same Redis. */
export type FleetFlags = { redis?: string; store?: string; prefix: string };

/** Folder for temporary files, unless another is given. */
export const SCRATCH = join(tmpdir(), 'throughline');

/** Adds `--redis` and `--prefix`, `--store`, or both, to a command. */
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

const EXAMPLES = {
  redis: '--redis redis://localhost:6379',
  store: '--store /mnt/shared or --store s3://bucket/prefix',
};

/** The value of `--redis` or `--store`. Throws if it is missing. */
export function required(flags: FleetFlags, name: 'redis' | 'store'): string {
  const value = flags[name];
  if (value) return value;
  throw new UsageError(
    `no-${name}`,
    `Expected --${name} URL or THROUGHLINE_${name.toUpperCase()}, found neither. Give its address, for example ${EXAMPLES[name]}.`,
  );
}

/** Runs a command so that neither its errors nor, from now on, the list of processes shows a password. */
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

function readPrefix(text: string): string {
  if (/^[\w.-]{1,64}$/.test(text)) return text;
  throw new InvalidArgumentError('Expected letters, digits, dots, dashes and underscores, 64 at most.');
}
