import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { Agent, request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { readConfig } from './config.js';
import { rawRoutes, routes } from './contract.js';
import {
  ANNA,
  BERT,
  OPERATOR,
  addVideos,
  ask,
  code,
  done,
  finish,
  hash,
  send,
  start,
  startedAs,
  submit,
  useService,
  world,
} from './service.case.js';

useService();

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

  it('that the disk refuses are no secret but of the operator', async () => {
    await writeFile(join(world.home, 'state', 'topics'), 'no folder');
    const answer = await send('POST', '/api/topics', { token: ANNA, body: { folder: 'films/paris' } });
    expect(code(answer)).toEqual([500, 'fault']);
    expect(answer.text).not.toContain(world.home);
    expect(world.faults.join()).toContain(world.home);
    expect(await ask('GET', '/api/topics', ANNA)).toEqual({ topics: [] });
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
        const sent = request(
          { host: '127.0.0.1', port: world.service.port, path: '/api/topics', headers, agent },
          (answer) => answer.resume().on('end', () => settle(answer.statusCode!)),
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
    const open = async (token: string, topic: string): Promise<{ status: number; close(): void }> => {
      const at = { host: '127.0.0.1', port: world.service.port, path: `/api/topics/${topic}/events`, agent: false };
      const sent = request({ ...at, headers: { authorization: `Bearer ${token}` } }).end();
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      sent.on('error', () => undefined);
      return { status: answer.statusCode!, close: () => void sent.destroy() };
    };
    const streams = [];
    for (let count = 0; count < 16; count++) streams.push(await open(ANNA, id));
    expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await open(ANNA, id)).status).toBe(429);
    const rome = await submit(BERT, 'films/rome');
    const theirs = await open(BERT, rome.id);
    expect(theirs.status).toBe(200);
    // Clients that go away leave their places.
    for (const each of [...streams, theirs]) each.close();
    const status = async (): Promise<number> => {
      const again = await open(ANNA, id);
      again.close();
      return again.status;
    };
    await expect.poll(status, { interval: 10 }).toBe(200);
  });
});

describe('a service that is started again', () => {
  it('goes on with what waited and what was under way, in order', async () => {
    const ids = [];
    for (let count = 0; count < 3; count++) ids.push((await submit(ANNA, 'films/paris')).id);
    await startedAs(1);
    await world.service.close();
    expect(JSON.parse(await readFile(join(world.home, 'state', 'topics', `${ids[0]}.json`), 'utf8'))).toMatchObject({ state: 'running' }); // prettier-ignore
    await start();
    for (let count = 1; count <= 3; count++) expect((await finish(ANNA, ids[count - 1]!, count)).id).toBe(ids[count - 1]); // prettier-ignore
    expect(world.steered.started.map(({ id }) => id)).toEqual(ids);
  });

  it('keeps addresses and knows no token that was taken out', async () => {
    const { path } = await done();
    await world.service.close();
    await start();
    expect((await send('GET', path)).status).toBe(200);
    await world.service.close();
    const { bert } = world.config.tenants;
    await start({ config: { ...world.config, tenants: { bert: bert! } } });
    expect([(await send('GET', path)).status, (await send('GET', '/api/topics', { token: ANNA })).status]).toEqual([403, 401]); // prettier-ignore
  });

  it('leaves a folder alone that another one uses', async () => {
    const first = world.service;
    await expect(start()).rejects.toMatchObject({ code: 'state-in-use' });
    world.service = first;
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
    world.steered.setReady(false);
    expect([(await send('GET', '/health')).status, (await send('GET', '/ready')).status]).toEqual([200, 503]);
    world.steered.setReady(true);
    expect((await send('GET', '/ready')).status).toBe(200);
  });

  it('finds in the audit log who did what, and no secret', async () => {
    const { id, path } = await done();
    await send('GET', path);
    await send('GET', '/api/topics', { headers: { authorization: 'Bearer guessed-token' } });
    await ask('DELETE', `/api/topics/${id}`, ANNA);
    const text = await readFile(join(world.home, 'state', 'audit.jsonl'), 'utf8');
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
    expect(world.faults).toEqual([]);
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
    const path = join(world.home, 'tenants.json');
    await writeFile(path, typeof data === 'string' ? data : JSON.stringify(data));
    await expect(readConfig(path)).rejects.toThrow(found);
  });

  it('has limits unless it names others', async () => {
    const path = join(world.home, 'tenants.json');
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
