import { type Command, InvalidArgumentError, Option } from 'commander';

import { loadQueues, openObjects, pruneStore } from '../jobs/index.js';
import { addFleetOptions, required, withoutSecrets, type FleetFlags } from './fleet.js';
import { counted, EXIT } from './reporters.js';

type PruneFlags = FleetFlags & { olderThan: number; keep?: 'results'; dryRun?: boolean; json?: boolean };

/** Adds `store` with its commands. `end` is called with the exit code. */
export function addStore(program: Command, end: (code: number) => void): void {
  const store = program.command('store').description('Look after the shared store of a fleet.').exitOverride();
  addFleetOptions(
    store
      .command('prune')
      .description(
        'Remove what is old: topics that are done, and the videos and analyses that no unfinished topic needs. With --redis also topics without results that the fleet does not know any more.',
      ),
  )
    .addOption(
      new Option('--older-than <TIME>', 'Age from which on something is old, such as 30d or 12h.')
        .makeOptionMandatory()
        .argParser(readAge),
    )
    .addOption(new Option('--keep <WHAT>', 'Keep the results of topics.').choices(['results']))
    .addOption(new Option('--dry-run', 'Remove nothing; show what would be removed.'))
    .addOption(new Option('--json', 'Print JSON.'))
    .exitOverride()
    .action(async (flags: PruneFlags) => {
      await withoutSecrets(flags, () => prune(flags));
      end(EXIT.done);
    });
}

async function prune(flags: PruneFlags): Promise<void> {
  const objects = await openObjects(required(flags, 'store'));
  const fleet = flags.redis ? await (await loadQueues()).openFleet(flags.redis, flags.prefix) : null;
  try {
    const wish = { olderThanMs: flags.olderThan, keepResults: flags.keep === 'results', dryRun: flags.dryRun ?? false };
    const isAbandoned = async (id: string): Promise<boolean> => fleet !== null && fleet.isAbandoned(id);
    const pruned = await pruneStore(objects, { ...wish, isAbandoned });
    if (flags.json) return void process.stdout.write(`${JSON.stringify(pruned)}\n`);
    const parts = Object.entries(pruned).sort(([, one], [, other]) => other.bytes - one.bytes);
    const lines = parts.map(
      ([name, { objects: count, bytes }]) => `${name}: ${counted(count, 'object')}, ${(bytes / 1e6).toFixed(1)} MB`,
    );
    if (lines.length === 0) lines.push('Nothing is that old.');
    else lines.unshift(flags.dryRun ? 'Would remove:' : 'Removed:');
    process.stdout.write(`${lines.join('\n')}\n`);
  } finally {
    fleet?.close();
  }
}

const HOUR_MS = 3_600_000;

function readAge(text: string): number {
  const [, count, unit] = /^(\d{1,5})(h|d)$/.exec(text) ?? [];
  const ms = Number(count) * HOUR_MS * (unit === 'd' ? 24 : 1);
  if (ms >= HOUR_MS) return ms;
  throw new InvalidArgumentError('Expected a time such as 30d or 12h, at least 1h.');
}
