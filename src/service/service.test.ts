import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { Agent, createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { CancelledError, UsageError } from '../base/index.js';
import { optionFacts } from '../options/index.js';
import { isOneOf, readConfig, type Config } from './config.js';
import { rawRoutes, routes, type TopicView } from './contract.js';
import { checkWishes } from './places.js';
import { openSigner } from './sign.js';
import { startService, type Service, type ServiceOptions } from './server.js';
import type { Engine } from './topics.js';
import { isPublic } from './webhooks.js';

const hash = (token: string): string => createHash('sha256').update(token).digest('hex');
const [ANNA, BERT, OPERATOR] = ['token-of-anna', 'token-of-bert', 'token-of-the-operator'];

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

let home: string;
let service: Service;
let steered: ReturnType<typeof steeredEngine>;
let faults: string[];
let config: Config;

async function addVideos(root: string, folder: string, count = 1): Promise<void> {
  await mkdir(join(home, root, folder), { recursive: true });
  for (let at = 0; at < count; at++) await writeFile(join(home, root, folder, `${at}.mp4`), 'video');
}

const tenant = (token: string, root: string, more: object = {}) => ({
  ...{ tokens: [hash(token)], roots: { films: join(home, root) }, running: 1, videos: 10, topics: 5 },
  ...{ webhooks: [], webhooksToPrivate: false },
  ...more,
});

async function start(options: Partial<ServiceOptions> = {}): Promise<void> {
  steered = steeredEngine();
  service = await startService({
    ...{ config, folder: join(home, 'state'), engine: steered.engine, webhookRetryMs: 1 },
    onFault: (text) => void faults.push(text),
    ...options,
  });
}

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'throughline-service-')));
  faults = [];
  await addVideos('anna', 'paris');
  await addVideos('bert', 'rome');
  config = {
    tenants: { anna: tenant(ANNA, 'anna'), bert: tenant(BERT, 'bert') },
    operators: [hash(OPERATOR)],
  };
  await start();
});
afterEach(async () => {
  await service.close();
  await rm(home, { recursive: true, force: true });
});

type Answer = { readonly status: number; readonly headers: IncomingMessage['headers']; readonly text: string };

/** A request whose path goes out as it is written. */
function send(method: string, path: string, { token, body, headers = {} }: { token?: string; body?: unknown; headers?: Record<string, string> } = {}): Promise<Answer> {
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  const own = { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...(text === undefined ? {} : { 'content-type': 'application/json' }), ...headers };
  return new Promise((settle, fail) => {
    const sent = request({ host: '127.0.0.1', port: service.port, method, path, headers: own, agent: false }, (answer) => {
      let said = '';
      answer.on('data', (part: Buffer) => (said += part.toString()));
      answer.on('end', () => settle({ status: answer.statusCode!, headers: answer.headers, text: said }));
    });
    sent.on('error', fail).end(text);
  });
} // prettier-ignore

async function ask<T>(method: string, path: string, token: string, body?: unknown): Promise<T> {
  const { status, text } = await send(method, path, { token, body });
  expect([status, text]).toEqual([200, expect.any(String)]);
  return JSON.parse(text) as T;
}
const submit = (token: string, folder: string, more: object = {}): Promise<TopicView> =>
  ask('POST', '/api/topics', token, { folder, ...more });
const read = (token: string, id: string): Promise<TopicView> => ask('GET', `/api/topics/${id}`, token);
const code = ({ status, text }: Answer): [number, string] => [status, (JSON.parse(text) as { code: string }).code];

/** The topic that was started as the `count`-th, as soon as it is. */
async function startedAs(count: number) {
  await expect.poll(() => steered.started.length, { interval: 5 }).toBeGreaterThanOrEqual(count);
  return steered.started[count - 1]!;
}
async function finish(token: string, id: string, count: number): Promise<TopicView> {
  (await startedAs(count)).finish();
  await expect.poll(async () => (await read(token, id)).state, { interval: 5 }).toBe('done');
  return read(token, id);
}
type Results = { expires: string; files: { name: string; bytes: number; address: string }[] };
async function done(): Promise<{ id: string; address: string; path: string }> {
  const { id } = await submit(ANNA, 'films/paris');
  await finish(ANNA, id, steered.started.length + 1);
  const { files } = await ask<Results>('POST', `/api/topics/${id}/results`, ANNA, {});
  const address = files[0]!.address;
  return { id, address, path: address.slice(service.address.length) };
}

describe('a topic', () => {
  it('is queued, worked on, and given out by signed address', async () => {
    const topic = await submit(ANNA, 'films/paris', { options: { length: '30s' } });
    expect(topic).toMatchObject({ folder: 'films/paris', options: { length: '30s' }, videos: 1 });
    await startedAs(1);
    expect(await read(ANNA, topic.id)).toMatchObject({ state: 'running', progress: { stage: 'analyse', fraction: 0.5 } });
    const ended = await finish(ANNA, topic.id, 1);
    const message = 'Expected pictures in "films/paris/b.mp4", found none.';
    expect(ended).toMatchObject({ progress: null, skipped: [{ path: 'b.mp4', message }], reason: null });
    const { files } = await ask<Results>('POST', `/api/topics/${topic.id}/results`, ANNA, { seconds: 60 });
    expect(files.map(({ name, bytes }) => [name, bytes])).toEqual([['films/a b#.mp4', 19]]);
    const path = files[0]!.address.slice(service.address.length);
    const film = await send('GET', path);
    expect([film.status, film.text]).toEqual([200, 'film of films/paris']);
    expect(film.headers).toMatchObject({ 'content-disposition': 'attachment', 'x-content-type-options': 'nosniff' });
    expect(film.headers['content-security-policy']).toContain('sandbox');
    expect((await send('GET', path, { headers: { range: 'bytes=0-3' } })).text).toBe('film');
  }); // prettier-ignore

  it('sends its state whenever it changes, and ends the stream with itself', async () => {
    const { id } = await submit(ANNA, 'films/paris');
    (await startedAs(1)).finish();
    const { text, headers } = await send('GET', `/api/topics/${id}/events`, { token: ANNA });
    expect(headers['content-type']).toBe('text/event-stream');
    const states = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => (JSON.parse(data!) as TopicView).state);
    expect(states.at(-1)).toBe('done');
    expect((await send('GET', `/api/topics/${id}/events`, { token: ANNA })).text).toContain('"state":"done"');
  });

  it('stops when it is cancelled, under way or before, and leaves its place to the next', async () => {
    const [one, two, three] = [await submit(ANNA, 'films/paris'), await submit(ANNA, 'films/paris'), await submit(ANNA, 'films/paris')]; // prettier-ignore
    await startedAs(1);
    expect(await ask('POST', `/api/topics/${two.id}/cancel`, ANNA)).toMatchObject({ state: 'cancelled' });
    expect(code(await send('DELETE', `/api/topics/${one.id}`, { token: ANNA }))).toEqual([409, 'not-ended']);
    expect(await ask('POST', `/api/topics/${one.id}/cancel`, ANNA)).toMatchObject({ state: 'cancelled' });
    expect((await startedAs(2)).id).toBe(three.id);
    await ask('DELETE', `/api/topics/${one.id}`, ANNA);
    expect(code(await send('GET', `/api/topics/${one.id}`, { token: ANNA }))).toEqual([404, 'not-found']);
    expect(code(await send('POST', `/api/topics/${two.id}/results`, { token: ANNA, body: {} }))).toEqual([409, 'not-done']); // prettier-ignore
  });

  it('fails with a sentence without paths; of a fault, only the operator learns the reason', async () => {
    const [one, two] = [await submit(ANNA, 'films/paris'), await submit(ANNA, 'films/paris')];
    (await startedAs(1)).fail(new UsageError('no-videos', `Expected "${home}/anna/paris" or "${home}/else/where.mp4".`)); // prettier-ignore
    (await startedAs(2)).fail(new TypeError('secret detail'));
    await expect.poll(async () => (await read(ANNA, two.id)).state).toBe('failed');
    expect((await read(ANNA, one.id)).reason).toEqual({ code: 'no-videos', message: 'Expected "films/paris" or "where.mp4".' }); // prettier-ignore
    expect((await read(ANNA, two.id)).reason).toMatchObject({ code: 'fault', message: expect.not.stringContaining('secret') }); // prettier-ignore
    expect(faults.join()).toContain('secret detail');
  });

  it('fails when it takes too long, and the next begins', async () => {
    await service.close();
    await start({ timeLimitMs: 20 });
    const { id } = await submit(ANNA, 'films/paris');
    const next = await submit(ANNA, 'films/paris');
    await expect.poll(async () => (await read(ANNA, id)).reason?.code, { interval: 5 }).toBe('too-long');
    await expect.poll(async () => (await read(ANNA, next.id)).reason?.code, { interval: 5 }).toBe('too-long');
  });
});

describe('without a token', () => {
  const wrong = ['', 'Bearer', 'Bearer ', `Basic ${ANNA}`, `Bearer ${ANNA}x`, `Bearer ${hash(ANNA)}`, `Bearer ${OPERATOR}`]; // prettier-ignore

  it('nothing is answered but that this process is alive and what its interface is', async () => {
    const { id } = await submit(ANNA, 'films/paris');
    const paths = Object.values(routes).map(({ method, path }) => [method.toUpperCase(), path.replace(':topic', id)] as const); // prettier-ignore
    for (const [method, path] of [
      ...paths,
      ['GET', `/api/topics/${id}/events`],
      ['GET', '/metrics'],
      ['GET', '/else'],
    ] as const) {
      // prettier-ignore
      for (const authorization of path === '/metrics' ? wrong.slice(0, -1) : wrong) {
        const answer = await send(method, path, { headers: authorization === '' ? {} : { authorization } });
        expect([path, authorization, ...code(answer)]).toEqual([path, authorization, 401, 'no-token']);
      }
    }
    expect((await read(ANNA, id)).state).toBe('running');
    for (const path of ['/health', '/ready', '/openapi.json']) expect([path, (await send('GET', path)).status]).toEqual([path, 200]); // prettier-ignore
  });

  it('compares every hash', () => {
    expect(isOneOf(ANNA, [hash(BERT), hash(ANNA)])).toBe(true);
    expect([isOneOf('', [hash('')]), isOneOf(ANNA, []), isOneOf(ANNA, [hash(BERT)])]).toEqual([false, false, false]);
  });
});

describe('another tenant', () => {
  it('cannot see, watch, cancel, remove or sign a topic by its id', async () => {
    const { id } = await submit(ANNA, 'films/paris');
    const about = Object.values({ ...routes, events: { ...rawRoutes.events, method: 'get' } as const }).filter(({ path }) => path.includes(':topic')); // prettier-ignore
    expect(about.length).toBe(5);
    for (const { method, path } of about) {
      const body = method === 'post' ? {} : undefined;
      const answer = await send(method.toUpperCase(), path.replace(':topic', id), { token: BERT, body });
      expect([path, ...code(answer)]).toEqual([path, 404, 'not-found']);
    }
    expect(await ask('GET', '/api/topics', BERT)).toEqual({ topics: [] });
    expect((await read(ANNA, id)).state).toBe('running');
  });

  it('has roots of its own under the same name', async () => {
    expect(code(await send('POST', '/api/topics', { token: BERT, body: { folder: 'films/paris' } }))).toEqual([422, 'no-folder']); // prettier-ignore
    expect((await submit(BERT, 'films/rome')).videos).toBe(1);
  });

  it('cannot use or alter an address', async () => {
    const { id, path } = await done();
    const bert = await submit(BERT, 'films/rome');
    await finish(BERT, bert.id, 2);
    const [, expires, signature] = /expires=(\d+)&signature=(.+)$/.exec(path)!;
    const plain = path.split('?')[0]!;
    const forged = [
      plain,
      `${plain}?expires=${expires}`,
      `${plain}?expires=${expires}&signature=`,
      `${plain}?expires=${Number(expires) + 1}&signature=${signature}`,
      `${plain}?expires=9e99&signature=${signature}`,
      `${plain.replace(id, bert.id)}?expires=${expires}&signature=${signature}`,
      `${plain.replace('mp4', 'mp5')}?expires=${expires}&signature=${signature}`,
      `/results/${id}/films/..%2f..%2f${bert.id}%2ffilms%2fa%20b%23.mp4?expires=${expires}&signature=${signature}`,
      `/results/${id}/../../secret?expires=${expires}&signature=${signature}`,
      `/results/${'0'.repeat(32)}/a.mp4?expires=${expires}&signature=${signature}`,
    ];
    for (const each of forged) expect([each, (await send('GET', each)).status]).toEqual([each, each.includes('/../') ? 401 : 403]); // prettier-ignore
    expect((await send('GET', path)).status).toBe(200);
  });

  it('is not delayed by many topics, nor by large ones', async () => {
    await addVideos('anna', 'large', 6);
    const order: string[] = [];
    for (const folder of ['films/paris', 'films/large', 'films/paris', 'films/paris']) await submit(ANNA, folder);
    for (const folder of ['films/rome', 'films/rome', 'films/rome']) await submit(BERT, folder);
    for (let count = 1; count <= 7; count++) {
      const topic = await startedAs(count);
      order.push(topic.folder);
      topic.finish();
    }
    // After its topic of six videos, Anna has to wait until Bert has had as many.
    expect(order).toEqual(['paris', 'rome', 'large', 'rome', 'rome', 'paris', 'paris'].map((name) => `films/${name}`));
  });

  it('gets a place although one tenant could fill all', async () => {
    await service.close();
    await start({ slots: 2 });
    for (let count = 0; count < 3; count++) await submit(ANNA, 'films/paris');
    await startedAs(1);
    await submit(BERT, 'films/rome');
    expect((await startedAs(2)).folder).toBe('films/rome');
  });
});

describe('an address', () => {
  it('expires', async () => {
    const signer = await openSigner(join(home, 'state'), () => 1_000_000);
    const what = { tenant: 'anna', topic: 'a', file: 'b', expires: 1001 };
    expect([signer.check(what, signer.sign(what)), signer.check({ ...what, expires: 1000 }, signer.sign({ ...what, expires: 1000 }))]).toEqual([true, false]); // prettier-ignore
    const { id } = await done();
    const real = await openSigner(join(home, 'state'));
    const late = { tenant: 'anna', topic: id, file: 'films/a b#.mp4', expires: Math.floor(Date.now() / 1000) - 1 };
    const path = `/results/${id}/films/a%20b%23.mp4?expires=${late.expires}&signature=${real.sign(late)}`;
    expect(code(await send('GET', path))).toEqual([403, 'bad-address']);
    const soon = { ...late, expires: late.expires + 100 };
    expect((await send('GET', path.replace(/\?.*/, `?expires=${soon.expires}&signature=${real.sign(soon)}`))).status).toBe(200); // prettier-ignore
    // Signed for the wrong tenant, as only the service itself could do.
    const wrong = real.sign({ ...soon, tenant: 'bert' });
    expect((await send('GET', path.replace(/\?.*/, `?expires=${soon.expires}&signature=${wrong}`))).status).toBe(403);
    expect(code(await send('POST', `/api/topics/${id}/results`, { token: ANNA, body: { seconds: 1e9 } }))).toEqual([400, 'bad-request']); // prettier-ignore
  });

  it('leads to nothing outside the results, even if a link among them does', async () => {
    const { id } = await done();
    await symlink(join(home, 'state', 'secret'), join(home, 'state', 'results', id, 'link.mp4'));
    const signer = await openSigner(join(home, 'state'));
    for (const file of ['link.mp4', '../../secret', '..']) {
      const what = { tenant: 'anna', topic: id, file, expires: Math.floor(Date.now() / 1000) + 60 };
      const query = `expires=${what.expires}&signature=${signer.sign(what)}`;
      const answer = await send('GET', `/results/${id}/${file.replaceAll('.', '%2e').replaceAll('/', '%2f')}?${query}`);
      expect([file, answer.text.length < 200, [401, 403, 404].includes(answer.status)]).toEqual([file, true, true]);
    }
  });
});

describe('a folder', () => {
  it.each(['films/../bert/rome', 'films/paris/../../bert/rome', '../anna/paris', '/etc', 'films//etc', 'films/nothing', 'films/out', 'films/paris/0.mp4', 'else/paris', '__proto__/x', 'films/a\0b', '.'])(
    'is refused in the same words outside the root and where there is none: %j',
    async (folder) => {
      await symlink(join(home, 'bert', 'rome'), join(home, 'anna', 'out'));
      const answer = await send('POST', '/api/topics', { token: ANNA, body: { folder } });
      expect(code(answer)).toEqual([422, 'no-folder']);
      expect(answer.text).not.toContain(home);
    },
  ); // prettier-ignore

  it('is refused with a video that is a link out of the root; when it becomes one later, the topic fails', async () => {
    await symlink(join(home, 'bert', 'rome', '0.mp4'), join(home, 'anna', 'paris', 'link.mp4'));
    expect(code(await send('POST', '/api/topics', { token: ANNA, body: { folder: 'films/paris' } }))).toEqual([422, 'leads-outside']); // prettier-ignore
    await rm(join(home, 'anna', 'paris', 'link.mp4'));
    const [one, two] = [await submit(ANNA, 'films/paris'), await submit(ANNA, 'films/paris')];
    await startedAs(1);
    await symlink(join(home, 'bert', 'rome', '0.mp4'), join(home, 'anna', 'paris', 'link.mp4'));
    await finish(ANNA, one.id, 1);
    await expect.poll(async () => (await read(ANNA, two.id)).reason?.code).toBe('leads-outside');
    expect(steered.started.length).toBe(1);
  });

  it('may not hold that of the service', async () => {
    const roots = { all: home };
    const wide = { ...config, tenants: { ...config.tenants, carl: tenant('c', '.', { roots }) } };
    await service.close();
    await expect(start({ config: wide })).rejects.toMatchObject({ code: 'state-in-root' });
    await start();
  });
});

describe('options', () => {
  it('may not name files or resources of the server', () => {
    const named = optionFacts
      .filter(({ placeholder }) => /FILE|FOLDER|PATH/.test(placeholder ?? ''))
      .map(({ name }) => name);
    expect(named).toContain('model');
    for (const name of [...named, 'out', 'cache', 'shots', 'vectors', 'background', 'music', 'jobs', 'autoTopics']) {
      expect(() => checkWishes({ [name]: 'x' }), name).toThrow('which concerns files or resources');
    }
    expect(() => checkWishes({ pictures: 'storyboard,svg' })).toThrow('pictures: svg');
    expect(() => checkWishes({ lenght: '3s' })).toThrow('found "lenght"');
    expect(() => checkWishes({ length: 'long' })).toThrow('length');
    expect(checkWishes({ length: '10s' })).toEqual({ length: '10s' });
  });
});

describe('requests', () => {
  it('of more than a megabyte, or that are not what the interface says, are refused', async () => {
    const large = JSON.stringify({ folder: 'x'.repeat(2 ** 20) });
    expect(code(await send('POST', '/api/topics', { token: ANNA, body: large }))).toEqual([413, 'too-large']);
    expect(code(await send('POST', '/api/topics', { token: ANNA, body: large, headers: { 'transfer-encoding': 'chunked' } }))).toEqual([413, 'too-large']); // prettier-ignore
    const options = { title: 'x'.repeat(70_000) };
    expect(code(await send('POST', '/api/topics', { token: ANNA, body: { folder: 'films/paris', options } }))).toEqual([400, 'bad-request']); // prettier-ignore
    for (const body of ['', '{', '[]', '{"folder":1}', '{"folder":"films/paris","priority":1}']) {
      expect([body, ...code(await send('POST', '/api/topics', { token: ANNA, body }))]).toEqual([body, 400, 'bad-request']); // prettier-ignore
    }
    expect(code(await send('GET', '/api/else', { token: ANNA }))).toEqual([404, 'not-found']);
  });

  it('over a quota are refused, even if they come together', async () => {
    await addVideos('anna', 'large', 4);
    const answers = await Promise.all(Array.from({ length: 4 }, () => send('POST', '/api/topics', { token: ANNA, body: { folder: 'films/large' } }))); // prettier-ignore
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429]);
    for (let count = 2; count < 4; count++) {
      const { id } = await submit(ANNA, 'films/paris');
      await ask('POST', `/api/topics/${id}/cancel`, ANNA);
    }
    const last = await submit(ANNA, 'films/paris');
    await ask('POST', `/api/topics/${last.id}/cancel`, ANNA);
    const sixth = await send('POST', '/api/topics', { token: ANNA, body: { folder: 'films/paris' } });
    expect(code(sixth)).toEqual([429, 'quota']);
    expect(sixth.text).toContain('Expected at most 5 topics, found 5');
    expect(await ask('GET', '/api/account', ANNA)).toMatchObject({ used: { running: 1, videos: 8, topics: 5 } });
    expect((await submit(BERT, 'films/rome')).state).toBe('queued');
  });

  it('on too many connections are refused, and only those of this tenant', async () => {
    const agent = new Agent({ keepAlive: true, maxFreeSockets: 100 });
    const ask = (token: string): Promise<number> =>
      new Promise((settle, fail) => {
        const headers = { authorization: `Bearer ${token}` };
        const sent = request({ host: '127.0.0.1', port: service.port, path: '/api/topics', headers, agent }, (answer) =>
          answer.resume().on('end', () => settle(answer.statusCode!)),
        );
        sent.on('error', fail).end();
      });
    const statuses = await Promise.all(Array.from({ length: 70 }, () => ask(ANNA)));
    expect(statuses.filter((status) => status === 429).length).toBe(6);
    agent.destroy();
    expect((await send('GET', '/api/topics', { token: BERT })).status).toBe(200);
    await expect.poll(async () => (await send('GET', '/api/topics', { token: ANNA })).status).toBe(200);
  });

  it('for too many streams of events are refused, and only those of this tenant', async () => {
    const { id } = await submit(ANNA, 'films/paris');
    const open = Array.from({ length: 16 }, () => send('GET', `/api/topics/${id}/events`, { token: ANNA }));
    await expect.poll(async () => (await send('GET', `/api/topics/${id}/events`, { token: ANNA })).status).toBe(429);
    const rome = await submit(BERT, 'films/rome');
    await ask('POST', `/api/topics/${rome.id}/cancel`, BERT);
    expect((await send('GET', `/api/topics/${rome.id}/events`, { token: BERT })).status).toBe(200);
    (await startedAs(1)).finish();
    expect((await Promise.all(open)).every(({ text }) => text.includes('"state":"done"'))).toBe(true);
    await expect.poll(async () => (await send('GET', `/api/topics/${id}/events`, { token: ANNA })).status).toBe(200);
  });
});

describe('a webhook', () => {
  type Call = { readonly path: string; readonly body: string; readonly headers: IncomingMessage['headers'] };

  /** A server on this machine that answers with these statuses, one after the other, then 200. */
  async function listener(answers: readonly number[] = [], headers: Record<string, string> = {}) {
    const calls: Call[] = [];
    const server = createServer((asked, answer) => {
      let body = '';
      asked.on('data', (part: Buffer) => (body += part.toString()));
      asked.on('end', () => {
        answer.writeHead(answers[calls.length] ?? 200, headers).end();
        calls.push({ path: asked.url!, body, headers: asked.headers });
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { calls, origin, close: () => new Promise((closed) => server.close(closed)) };
  }
  async function restartWith(more: object): Promise<void> {
    await service.close();
    config = { ...config, tenants: { ...config.tenants, anna: tenant(ANNA, 'anna', more) } };
    await start();
  }
  async function called(webhook: string): Promise<NonNullable<TopicView['webhook']>> {
    const { id } = await submit(ANNA, 'films/paris', { webhook });
    await finish(ANNA, id, 1);
    await expect.poll(async () => (await read(ANNA, id)).webhook?.state, { interval: 10 }).not.toBe('waiting');
    return (await read(ANNA, id)).webhook!;
  }

  it('is signed, and called again until it answers', async () => {
    const { calls, origin, close } = await listener([500, 404]);
    await restartWith({ webhooks: [origin], webhooksToPrivate: true });
    expect(await called(`${origin}/hook?key=1`)).toEqual({ state: 'delivered', attempts: 3 });
    const { webhookKey } = await ask<{ webhookKey: string }>('GET', '/api/account', ANNA);
    expect(webhookKey).not.toBe((await ask<{ webhookKey: string }>('GET', '/api/account', BERT)).webhookKey);
    expect(calls.map(({ path }) => path)).toEqual(['/hook?key=1', '/hook?key=1', '/hook?key=1']);
    expect(new Set(calls.map(({ headers }) => headers['throughline-delivery'])).size).toBe(1);
    for (const { body, headers } of calls) {
      const [, time, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['throughline-signature']))!;
      expect(signature).toBe(createHmac('sha256', webhookKey).update(`${time}.${body}`).digest('hex'));
      expect(JSON.parse(body)).toMatchObject({ event: 'topic.done', topic: { state: 'done', folder: 'films/paris' } });
    }
    await close();
  });

  it('is given up after eight tries, and follows no redirect', async () => {
    const inside = await listener();
    const { calls, origin, close } = await listener(Array(9).fill(302), { location: `${inside.origin}/taken` });
    await restartWith({ webhooks: [origin, inside.origin], webhooksToPrivate: true });
    expect(await called(origin)).toEqual({ state: 'failed', attempts: 8 });
    expect([calls.length, inside.calls.length]).toEqual([8, 0]);
    await Promise.all([close(), inside.close()]);
  });

  it('goes on after a restart', async () => {
    const { calls, origin, close } = await listener([500, 500]);
    await service.close();
    config = { ...config, tenants: { ...config.tenants, anna: tenant(ANNA, 'anna', { webhooks: [origin], webhooksToPrivate: true }) } }; // prettier-ignore
    await start({ webhookRetryMs: 3_600_000 });
    const { id } = await submit(ANNA, 'films/paris', { webhook: origin });
    await finish(ANNA, id, 1);
    await expect.poll(async () => (await read(ANNA, id)).webhook?.attempts).toBe(1);
    await service.close();
    await start();
    await expect.poll(async () => (await read(ANNA, id)).webhook).toEqual({ state: 'delivered', attempts: 3 });
    expect(calls.length).toBe(3);
    await close();
  });

  it.each(['http://127.0.0.1:1/', 'http://169.254.169.254/latest', 'https://hooks.example.org.evil.test/', 'http://hooks.example.org/', 'https://hooks.example.org:444/', 'https://user:pass@hooks.example.org/', 'file:///etc/passwd'])(
    'is refused at an origin that the operator has not named: %s',
    async (webhook) => {
      await restartWith({ webhooks: ['https://hooks.example.org'] });
      const answer = await send('POST', '/api/topics', { token: ANNA, body: { folder: 'films/paris', webhook } });
      expect(code(answer)).toEqual([422, 'webhook-refused']);
      expect((await send('POST', '/api/topics', { token: BERT, body: { folder: 'films/rome', webhook: 'https://hooks.example.org/' } })).status).toBe(422);
    },
  ); // prettier-ignore

  it.each(['127.0.0.1', 'localhost', '[::1]', '169.254.169.254', '[::ffff:127.0.0.1]', '0.0.0.0'])(
    'is not sent to %s, although its origin is named, unless private addresses are allowed',
    async (host) => {
      const { calls, origin, close } = await listener();
      const named = origin.replace('127.0.0.1', host);
      await restartWith({ webhooks: [new URL(named).origin] });
      expect(await called(named)).toEqual({ state: 'failed', attempts: 1 });
      expect(calls).toEqual([]);
      await close();
    },
  );

  it('knows addresses that are no hosts of the public internet', () => {
    const own = ['10.1.2.3', '172.31.0.1', '192.168.1.1', '100.64.0.1', '224.0.0.1', '255.255.255.255', 'fe80::1', 'fc00::1', '::', '::ffff:8.8.8.8', '64:ff9b::7f00:1', '2002:7f00:1::', '2001::1', 'x', '']; // prettier-ignore
    expect(own.filter(isPublic)).toEqual([]);
    expect(['1.1.1.1', '172.32.0.1', '8.8.8.8', '2606:4700::1111', '2a00:1450:4001::1'].filter((each) => !isPublic(each))).toEqual([]); // prettier-ignore
  });
});

describe('a service that is started again', () => {
  it('goes on with what waited and what was under way, in order', async () => {
    const ids = [];
    for (let count = 0; count < 3; count++) ids.push((await submit(ANNA, 'films/paris')).id);
    await startedAs(1);
    await service.close();
    expect(JSON.parse(await readFile(join(home, 'state', 'topics', `${ids[0]}.json`), 'utf8'))).toMatchObject({ state: 'running' }); // prettier-ignore
    await start();
    for (let count = 1; count <= 3; count++) expect((await finish(ANNA, ids[count - 1]!, count)).id).toBe(ids[count - 1]); // prettier-ignore
    expect(steered.started.map(({ id }) => id)).toEqual(ids);
  });

  it('keeps addresses and knows no token that was taken out', async () => {
    const { path } = await done();
    await service.close();
    await start();
    expect((await send('GET', path)).status).toBe(200);
    await service.close();
    const { bert } = config.tenants;
    await start({ config: { ...config, tenants: { bert: bert! } } });
    expect([(await send('GET', path)).status, (await send('GET', '/api/topics', { token: ANNA })).status]).toEqual([403, 401]); // prettier-ignore
  });

  it('leaves a folder alone that another one uses', async () => {
    const first = service;
    await expect(start()).rejects.toMatchObject({ code: 'state-in-use' });
    service = first;
  });
});

describe('the operator', () => {
  it('sees metrics with a token of its own, also when nothing works', async () => {
    await submit(ANNA, 'films/paris');
    await submit(ANNA, 'films/paris');
    await startedAs(1);
    expect((await send('GET', '/metrics', { token: ANNA })).status).toBe(404);
    const { text } = await send('GET', '/metrics', { token: OPERATOR });
    expect(text).toContain('throughline_topics{tenant="anna",state="queued"} 1');
    expect(text).toContain('throughline_topics{tenant="anna",state="running"} 1');
    expect(text).toContain('throughline_backlog_videos{tenant="anna"} 1');
    expect(text).toMatch(/throughline_oldest_waiting_seconds\{tenant="anna"\} [\d.]+/);
    expect(text).toContain('throughline_queue_jobs{kind="extract",state="ready"} 3');
    expect(text).toMatch(/throughline_requests_total\{tenant="anna",status="200"\} \d/);
  });

  it('learns that it is alive but not ready', async () => {
    steered.setReady(false);
    expect([(await send('GET', '/health')).status, (await send('GET', '/ready')).status]).toEqual([200, 503]);
    steered.setReady(true);
    expect((await send('GET', '/ready')).status).toBe(200);
  });

  it('finds in the audit log who did what, and no secret', async () => {
    const { id, path } = await done();
    await send('GET', path);
    await send('GET', '/api/topics', { headers: { authorization: 'Bearer guessed-token' } });
    await ask('DELETE', `/api/topics/${id}`, ANNA);
    const text = await readFile(join(home, 'state', 'audit.jsonl'), 'utf8');
    const lines = text.trim().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>); // prettier-ignore
    for (const [action, more] of [
      ['topic.queued', { tenant: 'anna', topic: id }],
      ['POST /api/topics', { tenant: 'anna', status: 200, from: '127.0.0.1' }],
      ['topic.done', { tenant: 'anna', topic: id }],
      ['result', { tenant: 'anna', topic: id, status: 200 }],
      ['refused', { count: 1 }],
      [`DELETE /api/topics/${id}`, { tenant: 'anna', status: 200 }],
    ] as const) expect(lines).toContainEqual(expect.objectContaining({ action, ...more, time: expect.any(String) })); // prettier-ignore
    for (const secret of [ANNA, hash(ANNA), 'guessed-token', /signature=(.*)$/.exec(path)![1]!]) expect(text).not.toContain(secret); // prettier-ignore
    expect(faults).toEqual([]);
  });
});

describe('the file of tenants', () => {
  it.each([
    ['not JSON', '{', 'a mistake in its JSON'],
    ['a token instead of its hash', { tenants: { a: { tokens: ['secret'] } } }, 'expected the SHA-256 of a token'],
    ['an unknown word', { tenants: {}, tenant: {} }, 'tenant'],
    ['one token for two', { tenants: { a: { tokens: [hash('x')] }, b: { tokens: [hash('x')] } } }, 'one token of two'],
    ['a root that is not there', { tenants: { a: { tokens: [hash('x')], roots: { films: '/nothing/here' } } } }, 'no folder at'], // prettier-ignore
    ['a webhook that is more than an origin', { tenants: { a: { tokens: [hash('x')], webhooks: ['https://a.test/x'] } } }, 'expected an origin'], // prettier-ignore
  ])('is refused with %s', async (_, data, found) => {
    const path = join(home, 'tenants.json');
    await writeFile(path, typeof data === 'string' ? data : JSON.stringify(data));
    await expect(readConfig(path)).rejects.toThrow(found);
  });

  it('has limits unless it names others', async () => {
    const path = join(home, 'tenants.json');
    await writeFile(path, JSON.stringify({ tenants: { a: { tokens: [hash('x')] } } }));
    expect((await readConfig(path)).tenants['a']).toMatchObject({ running: 1, videos: 1000, webhooks: [], webhooksToPrivate: false }); // prettier-ignore
  });
});

describe('the OpenAPI document', () => {
  it('describes every route that is served, and each answers as it says', async () => {
    const { text } = await send('GET', '/openapi.json');
    const document = JSON.parse(text) as { openapi: string; paths: Record<string, Record<string, { operationId: string; security: object[]; responses: Record<string, object> }>> }; // prettier-ignore
    expect(document.openapi).toBe('3.1.0');
    const described = Object.entries(document.paths).flatMap(([path, all]) =>
      Object.entries(all).map(([method, { operationId, security }]) => ({ path, method, name: operationId, isOpen: security.length === 0 })),
    ); // prettier-ignore
    expect(described.map(({ name }) => name).sort()).toEqual(
      [...Object.keys(routes), ...Object.keys(rawRoutes)].sort(),
    );
    const { id, path: result } = await done();
    for (const { path, method, name, isOpen } of described) {
      const real = name === 'result' ? result : path.replace('{topic}', id);
      const token = isOpen ? undefined : name === 'metrics' ? OPERATOR : ANNA;
      const body = name === 'submit' ? { folder: 'films/paris' } : name === 'sign' ? {} : undefined;
      if (name === 'remove') continue;
      const answer = await send(method.toUpperCase(), real, { ...(token ? { token } : {}), body });
      expect([name, answer.status]).toEqual([name, 200]);
      const route = (routes as Record<string, { response: { parse(value: unknown): unknown } }>)[name];
      if (route) expect(route.response.parse(JSON.parse(answer.text))).toEqual(JSON.parse(answer.text));
    }
    await ask('DELETE', `/api/topics/${id}`, ANNA);
  });
});
