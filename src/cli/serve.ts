import { once } from 'node:events';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';

import { UsageError } from '../base/index.js';
import { addFleetOptions, required, SCRATCH, withoutSecrets, type FleetFlags } from './fleet.js';
import { addDeclared, readCount } from './run-options.js';
import { EXIT } from './reporters.js';

type ServeFlags = FleetFlags & {
  tenants?: string;
  state?: string;
  host: string;
  port: number;
  publicUrl?: string;
  topics?: number;
  timeLimit: number;
  jobs?: number;
  cache?: string;
  newToken?: boolean;
};

const HELP = `
The file of tenants has, for each: tokens (hashes, from --new-token), roots (name: folder), running (topics at a time,
default 1), videos (of topics that wait or are under way, default 1000), topics (kept, default 1000), webhooks (allowed
origins, default none), webhooksToPrivate (default false). "operators" are hashes of tokens that may read /metrics.

  { "tenants": { "paris": { "tokens": ["9f86d0…"], "roots": { "films": "/srv/paris" } } }, "operators": [] }

Examples:
  throughline serve --new-token
  throughline serve --tenants tenants.json --state /var/lib/throughline
  curl -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"folder":"films/louvre"}' http://127.0.0.1:8710/api/topics

GET /openapi.json describes the interface. Put a proxy that speaks TLS in front of it before others may reach it.`;

/** Adds `serve`. `end` is called with the exit code. */
export function addServe(program: Command, end: (code: number) => void): void {
  const serve = program
    .command('serve')
    .description(
      'Take topics over HTTP from several tenants, and give out their results. With --redis and --store the workers do the work, otherwise this machine.',
    )
    .addOption(new Option('--tenants <FILE>', 'Who may use the service, and how much (below).'))
    .addOption(new Option('--state <FOLDER>', 'Where topics, results and the audit log are kept.'))
    .addOption(new Option('--host <HOST>', 'Address to listen on.').default('127.0.0.1'))
    .addOption(
      new Option('--port <NUMBER>', 'Port; 0 takes any free one.').default(8710).argParser(readCount(0, 65_535)),
    ) // prettier-ignore
    .addOption(
      new Option(
        '--public-url <URL>',
        'Where clients reach it, for signed addresses. Default: where it listens.',
      ).argParser(readUrl),
    ) // prettier-ignore
    .addOption(
      new Option(
        '--topics <COUNT>',
        'Topics at a time, of all tenants. Default: 2 on this machine, 8 on a fleet.',
      ).argParser(readCount(1, 1000)),
    ) // prettier-ignore
    .addOption(
      new Option('--time-limit <SECONDS>', 'Time limit of a topic.').default(43_200).argParser(readCount(1, 2_000_000)),
    ) // prettier-ignore
    .addOption(new Option('--new-token', 'Print a new token and its hash, and end.'));
  addFleetOptions(addDeclared(serve, ['jobs', 'cache']))
    .addHelpText('after', HELP)
    .exitOverride()
    .action(async (flags: ServeFlags) => end(await withoutSecrets(flags, () => runServe(flags))));
}

async function runServe(flags: ServeFlags): Promise<number> {
  const { drawToken, fleetEngine, localEngine, readConfig, startService } = await import('../service/index.js');
  if (flags.newToken) {
    const { token, hash } = drawToken();
    process.stdout.write(`token, for the tenant:         ${token}\nhash, for the file of tenants: ${hash}\n`);
    return EXIT.done;
  }
  const config = await readConfig(needed(flags.tenants, '--tenants FILE'));
  const folder = resolve(needed(flags.state, '--state FOLDER'));
  const at = { redis: flags.redis ?? '', prefix: flags.prefix, scratch: SCRATCH };
  const engine = flags.redis ? await fleetEngine({ ...at, store: required(flags, 'store') }) : localEngine(flags);
  const service = await startService({
    ...{ config, folder, engine, host: flags.host, port: flags.port, publicUrl: flags.publicUrl },
    ...{ slots: flags.topics, timeLimitMs: flags.timeLimit * 1000 },
    onFault: (text) => void process.stderr.write(`${text}\n`),
  }).catch(async (error: unknown) => {
    await engine.close();
    throw error;
  });
  process.stdout.write(`The service is at ${service.address}, its interface at ${service.address}/openapi.json\n`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await service.close();
  return EXIT.done;
}

function needed(value: string | undefined, flag: string): string {
  if (value !== undefined) return value;
  throw new UsageError('no-service', `Expected ${flag}, found none. "throughline serve --help" has an example.`);
}

function readUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError('Expected an address such as https://video.example.org.');
}
