import type { HttpBindings } from '@hono/node-server';
import { Hono, type Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { constants } from 'node:fs';
import { access, chmod, readdir, realpath, stat } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join, relative, resolve, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { messageOf, UsageError } from '../base/index.js';
import { describeRoutes, explainError, inside, isWithin, listen, pushNewest, sendFile, serveRoutes, type Handlers, type Listening } from '../http/index.js'; // prettier-ignore
import { claimFolder, openFolder } from '../storage/index.js';
import { VERSION } from '../version.js';
import { openAudit } from './audit.js';
import { isOneOf, tokenOf, type Config, type Tenant } from './config.js';
import { rawRoutes, routes } from './contract.js';
import { openMetrics } from './metrics.js';
import { openSigner } from './sign.js';
import { FAULT, openDesk, type Engine } from './topics.js';

/** How a service runs. */
export type ServiceOptions = {
  readonly config: Config;
  /** Where topics, results, secret and audit log are kept; no other service may use it meanwhile. */
  readonly folder: string;
  readonly engine: Engine;
  readonly host?: string;
  readonly port?: number;
  /** The address at which clients reach it, for signed addresses; by default where it listens. */
  readonly publicUrl?: string | undefined;
  /** Topics at a time, of all tenants. */
  readonly slots?: number | undefined;
  readonly timeLimitMs?: number;
  readonly webhookRetryMs?: number;
  /** Receives faults, for the operator. */
  readonly onFault?: (text: string) => void;
};

/** A running service. Must be closed; topics under way go on at the next start. */
export type Service = { readonly address: string; readonly port: number; close(): Promise<void> };

type Env = { Bindings: HttpBindings };

const REQUEST_MS = 30_000;
const CONNECTIONS_PER_TENANT = 64;
/** Of clients that have shown nothing yet. */
const OTHER_CONNECTIONS = 256;
const STREAMS_PER_TENANT = 16;
const READY_MS = 5_000;
const HALF_DAY_MS = 43_200_000;

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

/** Starts the service. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, engine, host = '127.0.0.1', onFault = () => undefined } = options;
  const tenants = new Map(Object.entries(config.tenants).map(([name, tenant]) => [name, { ...tenant, name }]));
  await openFolder(resolve(options.folder));
  const folder = await realpath(options.folder);
  refuseOverlap(folder, tenants);
  await chmod(folder, 0o700);
  const release = await claimFolder(folder).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError('state-in-use', `Expected a folder that no other service uses, found that one uses "${folder}". Stop it, or choose another with --state.`); // prettier-ignore
  });
  const audit = openAudit(join(folder, 'audit.jsonl'));
  const signer = await openSigner(folder);
  const desk = await openDesk({
    ...{ folder, tenants, engine, slots: options.slots ?? engine.slots },
    timeLimitMs: options.timeLimitMs ?? HALF_DAY_MS,
    webhookKey: signer.webhookKey,
    webhookRetryMs: options.webhookRetryMs ?? 5_000,
    log({ fault, ...entry }) {
      if (fault !== undefined)
        onFault(`${entry.action}: ${fault instanceof Error ? (fault.stack ?? '') : String(fault)}`);
      try {
        audit.write(entry);
      } catch (error) {
        onFault(`audit: ${messageOf(error)}`);
      }
    },
  });
  const metrics = openMetrics(desk.figures, engine.queues);
  const streams = new Map<string, number>();
  const sockets = new Map<string, Set<Socket>>();
  let server: Listening | null = null;
  let isClosing = false;

  /** Keeps a connection of a tenant, unless it has too many. */
  const admit = (tenant: string, socket: Socket): boolean => {
    const mine = sockets.get(tenant) ?? new Set();
    sockets.set(tenant, mine);
    if (!mine.has(socket) && mine.size >= CONNECTIONS_PER_TENANT) return false;
    if (!mine.has(socket)) socket.once('close', () => mine.delete(socket));
    mine.add(socket);
    server?.welcome(socket);
    return true;
  };
  const publicUrl = (): string => (options.publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${server?.port}`).replace(/\/$/, ''); // prettier-ignore

  const handlersOf = (tenant: Tenant): Handlers<typeof routes> => {
    const own = desk.of(tenant);
    return {
      submit: ({ body }) => own.submit(body),
      list: async () => ({ topics: own.list() }),
      read: async ({ parameters }) => own.read(parameters.topic),
      cancel: ({ parameters }) => own.cancel(parameters.topic),
      remove: async ({ parameters }) => (await own.remove(parameters.topic), {}),
      async sign({ parameters: { topic }, body: { seconds } }) {
        const expires = Math.floor(Date.now() / 1000) + seconds;
        const files = await filesIn(own.results(topic));
        const address = (file: string): string => {
          const signature = signer.sign({ tenant: tenant.name, topic, file, expires });
          const path = file.split('/').map(encodeURIComponent).join('/');
          return `${publicUrl()}/results/${topic}/${path}?expires=${expires}&signature=${signature}`;
        };
        return {
          expires: new Date(expires * 1000).toISOString(),
          files: files.map((file) => ({ ...file, address: address(file.name) })),
        };
      },
      account: async () => ({
        ...{ tenant: tenant.name, roots: Object.keys(tenant.roots), used: own.used(), webhooks: tenant.webhooks },
        limits: { running: tenant.running, videos: tenant.videos, topics: tenant.topics },
        webhookKey: signer.webhookKey(tenant.name),
      }),
    };
  };

  /** What a tenant can reach: a server of its own, which knows no other tenant. */
  const appOf = (tenant: Tenant): Hono<Env> => {
    const app = new Hono<Env>();
    const own = desk.of(tenant);
    app.get(rawRoutes.events.path, (context) => {
      const topic = context.req.param('topic');
      own.read(topic);
      const open = streams.get(tenant.name) ?? 0;
      if (open >= STREAMS_PER_TENANT) throw new UsageError('quota', `Expected at most ${STREAMS_PER_TENANT} streams of events at a time, found more. Close some.`); // prettier-ignore
      streams.set(tenant.name, open + 1);
      return streamSSE(context, (stream) =>
        pushNewest(stream, (push) => own.watch(topic, (view, isLast) => push('topic', view, isLast))).finally(() =>
          streams.set(tenant.name, streams.get(tenant.name)! - 1),
        ),
      );
    });
    app.route('/', serveRoutes(routes, handlersOf(tenant)));
    return app.onError(explain).notFound(nothing);
  };

  const explain = (error: Error, context: Context): Response => {
    // Other errors are about this machine, and name its paths.
    if (error instanceof UsageError) return explainError(error, context);
    onFault(`${context.req.method} ${context.req.path}: ${error.stack ?? ''}`);
    return context.json(FAULT, 500);
  };
  const apps = new Map([...tenants.values()].map((tenant) => [tenant.name, appOf(tenant)]));
  const checkReady = shared(async () => {
    await access(folder, constants.W_OK);
    await Promise.race([
      engine.checkReady(),
      sleep(READY_MS, undefined, { ref: false }).then(() => Promise.reject(new Error('no answer'))),
    ]);
  });
  const metricsText = shared(() => metrics.text());

  const app = new Hono<Env>();
  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(HEADERS)) context.res.headers.set(name, value);
    // Whatever else comes on the connection of a refused request is not read.
    if ([401, 403, 404, 413].includes(context.res.status)) context.res.headers.set('Connection', 'close');
  });
  app.get(rawRoutes.health.path, (context) => context.text('ok\n'));
  app.get(rawRoutes.ready.path, async (context) => {
    const isReady = !isClosing && (await checkReady().then(() => true, () => false)); // prettier-ignore
    return isReady ? context.text('ok\n') : context.text('not ready\n', 503);
  });
  app.get(rawRoutes.description.path, (context) =>
    context.json(describeRoutes(routes, { title: 'Throughline', version: VERSION, raw: rawRoutes })),
  );
  app.get(rawRoutes.result.path, async (context) => {
    const { topic, file } = context.req.param() as { topic: string; file: string };
    const tenant = tenants.get(desk.tenantOf(topic) ?? '');
    const what = { tenant: tenant?.name ?? '', topic, file, expires: Number(context.req.query('expires')) };
    const isSigned = signer.check(what, context.req.query('signature') ?? '');
    const { socket } = context.env.incoming;
    if (!isSigned || !tenant) {
      audit.refused(socket.remoteAddress);
      return context.json({ code: 'bad-address', message: 'Expected an address that this service signed and that has not expired, found another. Ask for a new one.' }, 403); // prettier-ignore
    }
    if (!admit(tenant.name, socket)) return tooMany(context);
    const path = await inside(desk.of(tenant).results(topic), file);
    audit.write({ action: 'result', tenant: tenant.name, topic, from: socket.remoteAddress, status: path ? 200 : 404 });
    if (path === null) return nothing(context);
    const answer = await sendFile(path, context.req.raw);
    // A report runs its script when somebody opens the file, never at this address.
    answer.headers.set('Content-Disposition', 'attachment');
    return answer;
  });
  app.get(rawRoutes.metrics.path, async (context, next) => {
    if (!isOneOf(tokenOf(context.req.header('authorization')), config.operators)) return next();
    return context.text(await metricsText(), 200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' });
  });
  app.all('*', async (context) => {
    const { socket } = context.env.incoming;
    const token = tokenOf(context.req.header('authorization'));
    // Every tenant is compared, so that the time says nothing.
    const [tenant] = [...tenants.values()].filter(({ tokens }) => isOneOf(token, tokens));
    if (!tenant) {
      audit.refused(socket.remoteAddress);
      context.header('WWW-Authenticate', 'Bearer');
      return context.json({ code: 'no-token', message: 'Expected "Authorization: Bearer TOKEN" with a token of this service, found none that it knows. Ask the operator for one.' }, 401); // prettier-ignore
    }
    if (!admit(tenant.name, socket)) return tooMany(context);
    const answer = await apps.get(tenant.name)!.fetch(context.req.raw, context.env);
    metrics.count(tenant.name, answer.status);
    const action = `${context.req.method} ${context.req.path}`;
    if (context.req.method !== 'GET') audit.write({ action, tenant: tenant.name, from: socket.remoteAddress, status: answer.status }); // prettier-ignore
    return answer;
  });
  app.onError(explain);

  const close = async (): Promise<void> => {
    isClosing = true;
    await server?.close();
    await desk.close();
    await engine.close();
    await release();
  };
  try {
    const maxConnections = OTHER_CONNECTIONS + CONNECTIONS_PER_TENANT * tenants.size;
    const limits = { maxConnections, requestMs: REQUEST_MS };
    server = await listen(app.fetch, { host, port: options.port ?? 0, limits });
  } catch (error) {
    await close();
    throw error;
  }
  return { address: publicUrl(), port: server.port, close };
}

function nothing(context: Context): Response {
  return context.json({ code: 'not-found', message: 'Expected one of the addresses in /openapi.json, found another.' }, 404); // prettier-ignore
}

function tooMany(context: Context): Response {
  context.header('Connection', 'close');
  return context.json({ code: 'quota', message: `Expected at most ${CONNECTIONS_PER_TENANT} connections of a tenant, found more. Close some.` }, 429); // prettier-ignore
}

/** Requests that come while one is being answered share its answer. */
function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null;
  return () => (underWay ??= work().finally(() => (underWay = null)));
}

/** A tenant whose root holds the folder of the service could read the results of others. */
function refuseOverlap(folder: string, tenants: ReadonlyMap<string, Tenant>): void {
  for (const { name, roots } of tenants.values()) {
    for (const root of Object.values(roots)) {
      if (folder !== root && !isWithin(folder, root) && !isWithin(root, folder)) continue;
      throw new UsageError('state-in-root', `Expected a folder for the service apart from the roots of tenants, found "${folder}" and the root "${root}" of ${name}. Choose another with --state.`); // prettier-ignore
    }
  }
}

/** The files of a folder of results, without hidden ones. */
async function filesIn(folder: string): Promise<{ name: string; bytes: number }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep))
    .filter((parts) => parts.every((part) => !part.startsWith('.')))
    .map((parts) => parts.join('/'))
    .sort();
  return Promise.all(names.map(async (name) => ({ name, bytes: (await stat(join(folder, name))).size })));
}
