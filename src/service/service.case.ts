import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';

import { CancelledError } from '../base/index.js';
import type { Config } from './config.js';
import type { TopicView } from './contract.js';
import { startService, type Service, type ServiceOptions } from './server.js';
import type { Engine } from './topics.js';

export const hash = (token: string): string => createHash('sha256').update(token).digest('hex');
export const [ANNA, BERT, OPERATOR] = ['token-of-anna', 'token-of-bert', 'token-of-the-operator'];

/** Does topics in the order asked for, each when the test says so: its results are one film. */
function steeredEngine() {
  const started: { readonly id: string; readonly folder: string; finish(): void; fail(error: Error): void }[] = [];
  let isReady = true;
  const engine: Engine = {
    slots: 1,
    async run({ record, path, out }, { signal, onProgress }) {
      onProgress({ stage: 'analyse', fraction: 0.5 });
      await new Promise<void>((finish, fail) => {
        started.push({ id: record.id, folder: record.folder, finish, fail });
        signal.addEventListener('abort', () => fail(new CancelledError()));
        if (signal.aborted) fail(new CancelledError());
      });
      await mkdir(join(out, 'films'), { recursive: true });
      await writeFile(join(out, 'films', 'a b#.mp4'), `film of ${record.folder}`);
      await writeFile(join(out, '.hidden'), 'hidden');
      return [{ path: 'b.mp4', code: 'no-video-track', message: `Expected pictures in "${path}/b.mp4", found none.` }];
    },
    checkReady: async () => (isReady ? undefined : Promise.reject(new Error('away'))),
    queues: async () => [{ kind: 'extract', ready: 3, active: 0, delayed: 0, blocked: 0, failed: 0 }],
    close: async () => undefined,
  };
  return { engine, started, setReady: (value: boolean) => void (isReady = value) };
}

/** The service of the current test, and what belongs to it. */
export const world = {} as {
  home: string;
  service: Service;
  steered: ReturnType<typeof steeredEngine>;
  faults: string[];
  config: Config;
};

/** Puts files that are named like videos into a folder. */
export async function addVideos(root: string, folder: string, count = 1): Promise<void> {
  await mkdir(join(world.home, root, folder), { recursive: true });
  for (let at = 0; at < count; at++) await writeFile(join(world.home, root, folder, `${at}.mp4`), 'video');
}

export const tenant = (token: string, root: string, more: object = {}) => ({
  ...{ tokens: [hash(token)], roots: { films: join(world.home, root) }, running: 1, videos: 10, topics: 5 },
  ...{ webhooks: [], webhooksToPrivate: false },
  ...more,
});

export async function start(options: Partial<ServiceOptions> = {}): Promise<void> {
  world.steered = steeredEngine();
  world.service = await startService({
    ...{ config: world.config, folder: join(world.home, 'state'), engine: world.steered.engine, webhookRetryMs: 1 },
    onFault: (text) => void world.faults.push(text),
    ...options,
  });
}

/** Starts a service for each test of a file, with two tenants. */
export function useService(): void {
  beforeEach(async () => {
    world.home = await realpath(await mkdtemp(join(tmpdir(), 'throughline-service-')));
    world.faults = [];
    await addVideos('anna', 'paris');
    await addVideos('bert', 'rome');
    world.config = {
      tenants: { anna: tenant(ANNA, 'anna'), bert: tenant(BERT, 'bert') },
      operators: [hash(OPERATOR)],
    };
    await start();
  });
  afterEach(async () => {
    await world.service.close();
    await rm(world.home, { recursive: true, force: true });
  });
}

export type Answer = { readonly status: number; readonly headers: IncomingMessage['headers']; readonly text: string };

/** A request whose path goes out as it is written. */
export function send(method: string, path: string, { token, body, headers = {} }: { token?: string; body?: unknown; headers?: Record<string, string> } = {}): Promise<Answer> {
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  const own = { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...(text === undefined ? {} : { 'content-type': 'application/json' }), ...headers };
  return new Promise((settle, fail) => {
    const sent = request({ host: '127.0.0.1', port: world.service.port, method, path, headers: own, agent: false }, (answer) => {
      let said = '';
      answer.on('data', (part: Buffer) => (said += part.toString()));
      answer.on('end', () => settle({ status: answer.statusCode!, headers: answer.headers, text: said }));
    });
    sent.on('error', fail).end(text);
  });
} // prettier-ignore

export async function ask<T>(method: string, path: string, token: string, body?: unknown): Promise<T> {
  const { status, text } = await send(method, path, { token, body });
  expect([status, text]).toEqual([200, expect.any(String)]);
  return JSON.parse(text) as T;
}
export const submit = (token: string, folder: string, more: object = {}): Promise<TopicView> =>
  ask('POST', '/api/topics', token, { folder, ...more });
export const read = (token: string, id: string): Promise<TopicView> => ask('GET', `/api/topics/${id}`, token);
export const code = ({ status, text }: Answer): [number, string] => [
  status,
  (JSON.parse(text) as { code: string }).code,
];

/** The topic that was started as the `count`-th, as soon as it is. */
export async function startedAs(count: number) {
  await expect.poll(() => world.steered.started.length, { interval: 5 }).toBeGreaterThanOrEqual(count);
  return world.steered.started[count - 1]!;
}
export async function finish(token: string, id: string, count: number): Promise<TopicView> {
  (await startedAs(count)).finish();
  await expect.poll(async () => (await read(token, id)).state, { interval: 5 }).toBe('done');
  return read(token, id);
}
export type Results = { expires: string; files: { name: string; bytes: number; address: string }[] };
export async function done(): Promise<{ id: string; address: string; path: string }> {
  const { id } = await submit(ANNA, 'films/paris');
  await finish(ANNA, id, world.steered.started.length + 1);
  const { files } = await ask<Results>('POST', `/api/topics/${id}/results`, ANNA, {});
  const address = files[0]!.address;
  return { id, address, path: address.slice(world.service.address.length) };
}
