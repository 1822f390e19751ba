import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';

import type { TopicView } from './contract.js';
import { isPublic } from './webhooks.js';
import { ANNA, BERT, ask, code, finish, read, send, start, submit, tenant, useService, world } from './service.case.js';

useService();

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
  async function restartWith(more: object, webhookRetryMs = 1): Promise<void> {
    await world.service.close();
    world.config = { ...world.config, tenants: { ...world.config.tenants, anna: tenant(ANNA, 'anna', more) } };
    await start({ webhookRetryMs });
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
    await world.service.close();
    await start();
    await restartWith({ webhooks: [origin], webhooksToPrivate: true }, 3_600_000);
    const { id } = await submit(ANNA, 'films/paris', { webhook: origin });
    await finish(ANNA, id, 1);
    await expect.poll(async () => (await read(ANNA, id)).webhook?.attempts).toBe(1);
    await world.service.close();
    await start();
    await expect.poll(async () => (await read(ANNA, id)).webhook).toEqual({ state: 'delivered', attempts: 3 });
    expect(calls.length).toBe(3);
    await close();
  });

  it('is not called any more when the operator has taken its origin out', async () => {
    const { calls, origin, close } = await listener([500]);
    await restartWith({ webhooks: [origin], webhooksToPrivate: true }, 3_600_000);
    const { id } = await submit(ANNA, 'films/paris', { webhook: origin });
    await finish(ANNA, id, 1);
    await expect.poll(async () => (await read(ANNA, id)).webhook?.attempts, { interval: 5 }).toBe(1);
    await restartWith({ webhooksToPrivate: true });
    await expect.poll(async () => (await read(ANNA, id)).webhook, { interval: 5 }).toEqual({ state: 'failed', attempts: 2 }); // prettier-ignore
    expect(calls.length).toBe(1);
    await close();
  });

  it('of a topic that was removed meanwhile is not called again, and stops nothing else', async () => {
    const { calls, origin, close } = await listener([500, 500]);
    await restartWith({ webhooks: [origin], webhooksToPrivate: true }, 50);
    const { id } = await submit(ANNA, 'films/paris', { webhook: origin });
    await finish(ANNA, id, 1);
    await expect.poll(() => calls.length, { interval: 5 }).toBe(1);
    await ask('DELETE', `/api/topics/${id}`, ANNA);
    const next = await submit(ANNA, 'films/paris', { webhook: origin });
    await finish(ANNA, next.id, 2);
    await expect.poll(async () => (await read(ANNA, next.id)).webhook?.state).toBe('delivered');
    expect([world.faults, calls.at(-1)!.body.includes(next.id)]).toEqual([[], true]);
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
