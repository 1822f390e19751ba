import type { Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { openMetrics, serveMetrics } from './index.js';

let server: Server;
let [looks, isReady] = [0, true];
let held: Promise<void> | undefined;
const sockets: Socket[] = [];

async function start(patienceMs: number): Promise<void> {
  [looks, isReady, held] = [0, true, undefined];
  const metrics = openMetrics('1.2.3');
  metrics.count('extract', 'done', 3);
  const ready = async (): Promise<void> => {
    looks++;
    await held;
    if (!isReady) throw new Error('redis://:secret@10.0.0.5 does not answer');
  };
  server = await serveMetrics(metrics, ready, { host: '127.0.0.1', port: 0, patienceMs });
}
async function stop(): Promise<void> {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
beforeEach(() => start(2000));
afterEach(stop);

const portOf = (): number => (server.address() as AddressInfo).port;
const ask = (path: string): Promise<{ status: number; text: string }> =>
  fetch(`http://127.0.0.1:${portOf()}${path}`).then(async (answer) => ({
    status: answer.status,
    text: await answer.text(),
  }));

/** Sends bytes on a connection of its own; what comes back until the server ends it. */
function say(bytes: string | Buffer, onOpen?: (socket: Socket) => void): Promise<string> {
  return new Promise((settle) => {
    let heard = '';
    const socket = connect(portOf(), '127.0.0.1', () => {
      socket.write(bytes);
      onOpen?.(socket);
    });
    sockets.push(socket);
    socket.on('data', (chunk) => (heard += chunk.toString('latin1')));
    // A server that hangs up while we still send is what is wanted.
    socket.on('error', () => undefined);
    socket.on('close', () => settle(heard));
  });
}

describe('the server of a worker’s metrics', () => {
  it('gives metrics, health and readiness, and listens where it was told', async () => {
    expect(await ask('/health')).toEqual({ status: 200, text: 'ok\n' });
    expect(await ask('/ready?x=1')).toEqual({ status: 200, text: 'ok\n' });
    const { status, text } = await ask('/metrics');
    expect([status, text]).toEqual([200, expect.stringContaining('throughline_tasks_total{kind="extract",outcome="done"} 1')]); // prettier-ignore
    for (const line of text.split('\n').filter(Boolean)) expect(line).toMatch(/^(# )?(HELP |TYPE )?throughline_/);
    expect((server.address() as AddressInfo).address).toBe('127.0.0.1');
    const others = Object.values(networkInterfaces()).flat().filter((each) => each && !each.internal && each.family === 'IPv4'); // prettier-ignore
    for (const other of others) {
      const refused = new Promise((settle) => connect(portOf(), other!.address).on('error', settle).on('connect', () => settle(null))); // prettier-ignore
      expect(await refused).toMatchObject({ code: 'ECONNREFUSED' });
    }
  });

  it('does not say why it is not ready', async () => {
    isReady = false;
    expect(await ask('/ready')).toEqual({ status: 503, text: 'not ready\n' });
  });

  it('asks once, however many ask', async () => {
    // On a busy machine fifty take their time to come.
    await stop();
    await start(10_000);
    let [come, release] = [0, (): void => undefined];
    held = new Promise((settle) => (release = settle));
    server.on('request', () => ++come === 50 && release());
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask('/ready')));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(looks).toBe(1);
  });

  it.each([
    ['other paths', 'GET /etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', '404'],
    ['paths that climb', 'GET /metrics/../../x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', '404'],
    ['names of every object', 'GET /__proto__ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', '404'],
    ['other servers', 'GET http://10.0.0.5/metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', '404'],
    ['writing', 'DELETE /metrics HTTP/1.1\r\nHost: x\r\n\r\n', '404'],
    ['a body', 'POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\nabc', '404'],
    ['a question with a body', 'GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\nabc', '200'],
    ['headers without end', `GET /metrics HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`, '431'],
    ['an address without end', `GET /${'y'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, '431'],
    ['no host', 'GET /metrics HTTP/1.1\r\n\r\n', '400'],
    ['two lengths', 'GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', '400'], // prettier-ignore
    ['nonsense', Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]), '400'],
  ])('answers %s, and hangs up', async (_, bytes, status) => {
    const heard = await say(bytes);
    // Bytes nobody read any more may take the refusal with them.
    if (status !== '431' || heard !== '') expect(heard.split(' ')[1]).toBe(status);
    expect(heard).not.toMatch(/node|throughline_|\/work|\/home/i);
    expect(await ask('/health')).toMatchObject({ status: 200 });
  });

  it('hangs up on CONNECT, and on a body that never ends', async () => {
    expect(await say('CONNECT 10.0.0.5:22 HTTP/1.1\r\nHost: x\r\n\r\n')).toBe('');
    const endless = say('GET /health HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n', (socket) => {
      const flood = (): void => {
        if (!socket.destroyed) socket.write(`ffff\r\n${'z'.repeat(65_535)}\r\n`, () => setImmediate(flood));
      };
      flood();
    });
    // Bytes that are still on their way may take the answer with them.
    expect(await endless).toMatch(/^$|^HTTP\/1\.1 200/);
    expect(await ask('/health')).toMatchObject({ status: 200 });
  });

  it('serves on beside connections that say nothing, or a letter at a time, and ends them', async () => {
    const silent = Array.from({ length: 100 }, () => say(''));
    const slow = Array.from({ length: 50 }, () =>
      say('GET /metrics HTTP/1.1\r\n', (socket) => {
        const letter = setInterval(() => (socket.destroyed ? clearInterval(letter) : socket.write('X')), 30);
      }),
    );
    expect(await ask('/health')).toEqual({ status: 200, text: 'ok\n' });
    expect((await ask('/metrics')).status).toBe(200);
    for (const heard of await Promise.all([...silent, ...slow])) expect(heard).toMatch(/^$|^HTTP\/1\.1 408/);
  });
});
