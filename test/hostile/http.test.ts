import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openMetrics, serveMetrics } from '../../src/jobs/bullmq/index.js';
import { openTopics } from '../../src/studio/topics.js';
import { startServer, type StudioServer } from '../../src/studio/server.js';

/** Requests that no browser sends, written byte by byte. */
let home: string;
let context: Awaited<ReturnType<typeof openTopics>>;
let studio: StudioServer;
let metrics: Server;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-http-'));
  await mkdir(join(home, 'page'));
  for (const name of ['index.html', 'studio.js', 'studio.css']) await writeFile(join(home, 'page', name), 'page');
  await mkdir(join(home, 'given', 'summary'), { recursive: true });
  await writeFile(join(home, 'given', 'summary', 'film.mp4'), 'film'.repeat(1000));
  await writeFile(join(home, 'given', 'private.txt'), 'private');
  await writeFile(join(home, 'private.txt'), 'private');
  await writeFile(join(home, 'given', 'topic.json'), JSON.stringify({ schema: 'topic.1', name: 'given', options: {}, videos: [] })); // prettier-ignore
  context = await openTopics(join(home, 'given'), { home });
  studio = await startServer(context, { port: 0, version: '1', page: join(home, 'page') });
  const ready = async (): Promise<void> => undefined;
  metrics = await serveMetrics(openMetrics('1'), ready, { host: '127.0.0.1', port: 0, patienceMs: 1500 });
});
afterAll(async () => {
  context.close();
  await studio.close();
  metrics.closeAllConnections();
  metrics.close();
  await rm(home, { recursive: true, force: true });
});

/** Everything that comes back until the other side hangs up, or nothing more has come for a while. */
function say(port: number, bytes: string | Buffer, quietMs = 700): Promise<string> {
  return new Promise((settle) => {
    let heard = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setTimeout(quietMs, () => socket.destroy());
    socket.on('data', (chunk) => (heard += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => settle(heard));
  });
}
/** The status of every answer. */
const statuses = (heard: string): number[] => [...heard.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status)); // prettier-ignore
const lines = (...all: string[]): string => [...all, '', ''].join('\r\n');
const host = (): string => `Host: 127.0.0.1:${studio.port}`;
const cookie = (): string => `Cookie: studio-${studio.port}=${studio.token.split('.')[1]}`;
const bearer = (): string => `Authorization: Bearer ${studio.token}`;
const ask = (first: string, ...headers: string[]): Promise<string> => say(studio.port, lines(`${first} HTTP/1.1`, host(), 'Connection: close', ...headers)); // prettier-ignore
const hidden = 'GET /api/topic HTTP/1.1\r\n';

describe('two requests in the place of one', () => {
  it.each<[string, () => string]>([
    ['a length and chunks', () => `${lines('POST /api/render HTTP/1.1', host(), bearer(), 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n${lines(hidden.trim(), host(), bearer())}`],
    ['two lengths', () => `${lines('POST /api/render HTTP/1.1', host(), bearer(), 'Content-Length: 0', 'Content-Length: 44')}${lines(hidden.trim(), host(), bearer())}`],
    ['a length that is no number', () => lines('POST /api/render HTTP/1.1', host(), bearer(), 'Content-Length: +5')],
    ['chunks by a name with a space', () => `${lines('POST /api/render HTTP/1.1', host(), bearer(), 'Transfer-Encoding : chunked')}0\r\n\r\n`],
    ['chunks that are something else', () => `${lines('POST /api/render HTTP/1.1', host(), bearer(), 'Transfer-Encoding: chunked, identity')}0\r\n\r\n`],
    ['a chunk without end', () => `${lines('POST /api/render HTTP/1.1', host(), bearer(), 'Transfer-Encoding: chunked')}ffffffffffffffffff\r\nx`],
    ['a line that goes on in the next', () => lines('GET /api/topic HTTP/1.1', host(), 'X: a', ' Host: evil.example', bearer())],
    ['a bare line feed in a header', () => lines('GET /api/topic HTTP/1.1', host(), `X: a\n${bearer()}`)],
    ['a zero byte in a header', () => lines('GET /api/topic HTTP/1.1', host(), 'X: a\0b', bearer())],
    ['a zero byte in the address', () => lines('GET /api/topic\0x HTTP/1.1', host(), bearer())],
    ['another version', () => lines('GET /api/topic HTTP/9.9', host(), bearer())],
  ])('%s: refused once, and the connection ends', async (_, bytes) => {
    expect(statuses(await say(studio.port, bytes()))).toEqual([400]);
  }); // prettier-ignore

  it('each shows its own token, on the same connection too', async () => {
    const both = `${lines('GET /api/topic HTTP/1.1', host(), bearer())}${lines('GET /api/topic HTTP/1.1', host())}`;
    expect(statuses(await say(studio.port, both))).toEqual([200, 403]);
  });

  it('none hides in the body of one that is refused', async () => {
    const inner = lines(hidden.trim(), host(), bearer());
    for (const first of ['POST /api/render', 'GET /api/topic', 'PUT /api/uploads/x.mp4']) {
      const outer = lines(`${first} HTTP/1.1`, host(), `Content-Length: ${inner.length}`);
      expect([first, statuses(await say(studio.port, outer + inner))]).toEqual([first, [403]]);
    }
  });
});

describe('who asks', () => {
  it.each([
    ...['evil.example', 'localhost', '127.0.0.1', 'LOCALHOST:PORT', 'localhost.:PORT', '127.1:PORT', '2130706433:PORT', '0.0.0.0:PORT', '0x7f.1:PORT'],
    ...['127.0.0.1:PORT.', '127.0.0.1:PORT@evil.example', 'evil.example@127.0.0.1:PORT', '127.0.0.1:PORT, evil.example', '127.0.0.1:0PORT'],
    ...['127.0.0.1.nip.io:PORT', 'localhost:PORT.evil.example', '[::ffff:127.0.0.1]:PORT', '127.0.0.1:PORT/', 'localhost:PORT#', ''],
  ])('by the name "%s" is refused, token and all', async (name) => {
    const heard = await say(studio.port, lines('GET /api/topic HTTP/1.1', `Host: ${name.replaceAll('PORT', String(studio.port))}`, bearer())); // prettier-ignore
    expect(heard).toMatch(/^HTTP\/1\.1 40[03]/);
    expect(heard).not.toContain('"given"');
  }); // prettier-ignore

  it.each<[string, string[]]>([
    ['two names', ['Host: 127.0.0.1:PORT', 'Host: evil.example']],
    ['two names, the other way round', ['Host: evil.example', 'Host: 127.0.0.1:PORT']],
    ['no name', []],
    ['a page with a longer name', ['Host: 127.0.0.1:PORT', 'Origin: http://127.0.0.1:PORT.evil.example']],
    ['a page on another port', ['Host: 127.0.0.1:PORT', 'Origin: http://127.0.0.1:1']],
    ['a page that calls us otherwise', ['Host: 127.0.0.1:PORT', 'Origin: http://localhost:PORT']],
    ['a page by another protocol', ['Host: 127.0.0.1:PORT', 'Origin: https://127.0.0.1:PORT']],
    ['a page in capitals', ['Host: 127.0.0.1:PORT', 'Origin: HTTP://127.0.0.1:PORT']],
    ['a page with a path', ['Host: 127.0.0.1:PORT', 'Origin: http://127.0.0.1:PORT/']],
    ['an empty page', ['Host: 127.0.0.1:PORT', 'Origin: ']],
    ['a file', ['Host: 127.0.0.1:PORT', 'Origin: null']],
    ['ours, from elsewhere', ['Host: 127.0.0.1:PORT', 'Sec-Fetch-Site: cross-site']],
  ])('%s is refused, token and all', async (_, headers) => {
    const written = headers.map((line) => line.replaceAll('PORT', String(studio.port)));
    for (const first of ['GET /api/topic', 'POST /api/cancel']) {
      expect(await say(studio.port, lines(`${first} HTTP/1.1`, ...written, bearer()))).toMatch(/^HTTP\/1\.1 40[03]/);
    }
  });

  it.each(['Bearer', 'Bearer ', 'bearer TOKEN', 'Basic TOKEN', 'Bearer TOKENx', 'Bearer LOOK', 'Bearer TOKEN TOKEN', `Bearer ${'é'.repeat(40)}`])(
    'with "%s" changes nothing',
    async (shown) => {
      const given = shown.replaceAll('TOKEN', studio.token).replaceAll('LOOK', studio.token.split('.')[1]!);
      const heard = await ask('POST /api/cancel', `Authorization: ${given}`, cookie());
      expect(heard).toMatch(/^HTTP\/1\.1 (?:403|400)/);
    },
  ); // prettier-ignore

  it.each(['TRACE', 'OPTIONS', 'PATCH', 'PROPFIND', 'get', 'G'.repeat(100)])('to %s is refused', async (method) => {
    expect(await ask(`${method} /api/topic`, bearer())).toMatch(/^HTTP\/1\.1 4\d\d|^$/);
  });

  it('for another protocol gets this one', async () => {
    for (const to of ['websocket', 'h2c', 'TLS/1.2']) {
      const heard = await ask('GET /api/topic', `Upgrade: ${to}`, 'Connection: Upgrade, HTTP2-Settings', 'HTTP2-Settings: AAMAAABk'); // prettier-ignore
      expect(heard).not.toMatch(/^HTTP\/1\.1 (?:101|200)/);
    }
  });
});

describe('addresses', () => {
  it.each([
    ...['/results/../private.txt', '/results/%2e%2e/private.txt', '/results/%2e%2e%2fprivate.txt', '/results/..%2fprivate.txt', '/results/.%2e/private.txt'],
    ...['/results/%252e%252e%252fprivate.txt', '/results/%c0%ae%c0%ae/private.txt', '/results/..%5cprivate.txt', '/results/..;/private.txt'],
    ...['/results/film.mp4/../../private.txt', '/results/%00', '/results/film.mp4%00.txt', '/results/film.mp4%2500', '/results//private.txt', '/results///etc/passwd'],
    ...['/results/%2fetc%2fpasswd', '/results/file:///etc/passwd', '/results/%', '/results/%zz', '/results/%e0%80%af', '/results/.', '/results/', '/results/%2e'],
    ...['/media/..%2fprivate.txt', '/media/__proto__', '/media/constructor', '/pictures/__proto__/0', '/pictures/..%2f/0', '/studies/..%2fstudy-1.csv', '/studies/study-1.csv%00'],
    ...['//127.0.0.1/private.txt', '/studio.js/../private.txt', '/%2e%2e/private.txt', '/./private.txt', '/private.txt', '*'],
    ...['http://evil.example/private.txt', 'http://127.0.0.1:PORT/results/../private.txt', 'file:///etc/passwd'],
  ])('"%s" leads to nothing', async (address) => {
    const heard = await ask(`GET ${address.replace('PORT', String(studio.port))}`, cookie());
    expect(heard).toMatch(/^HTTP\/1\.1 40[034]/);
    expect(heard).not.toMatch(/private$|root:/m);
    // Where things are is nobody's business.
    expect(heard).not.toContain(home);
  }); // prettier-ignore

  it('show what is there', async () => {
    expect(await ask('GET /results/film.mp4', cookie())).toMatch(/^HTTP\/1\.1 200[^]*(?:film){1000}$/);
  });
});

describe('parts of a file', () => {
  it.each<[string, number, number | null]>([
    [`bytes=${'0-0,'.repeat(2000)}0-0`, 200, 4000],
    [`bytes=0-${'9'.repeat(400)}`, 206, 4000],
    [`bytes=${'9'.repeat(400)}-`, 416, null],
    [`bytes=-${'9'.repeat(400)}`, 206, 4000],
    ['bytes=5-2', 416, null],
    ['bytes=-0', 416, null],
    ['bytes=0x10-0x20', 200, 4000],
    ['bytes=1e3-2e3', 200, 4000],
    ['bytes= 0-1', 200, 4000],
    ['bytes=3999-3999', 206, 1],
    ['bytes=--1', 200, 4000],
  ])('%s', async (range, status, length) => {
    const heard = await ask('GET /results/film.mp4', cookie(), `Range: ${range}`);
    expect(statuses(heard)).toEqual([status]);
    if (length !== null) expect(heard.split('\r\n\r\n').slice(1).join('').length).toBe(length);
  });
});

describe('bodies', () => {
  const send = (first: string, body: string, ...headers: string[]): Promise<string> =>
    say(studio.port, `${lines(`${first} HTTP/1.1`, host(), bearer(), 'Connection: close', `Content-Length: ${Buffer.byteLength(body)}`, ...headers)}${body}`); // prettier-ignore

  it.each([
    '{"__proto__":{"name":"x"}}',
    '{"name":"x","__proto__":{"isAdmin":true}}',
    '{"constructor":{"prototype":{"isAdmin":true}}}',
    '[{"__proto__":{}}]',
    '"__proto__"',
    'null',
    '{"name":{"__proto__":1}}',
    `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
    '{"name":"\\ud800"}',
    '\ufeff{"name":"x"}',
    '{"name":"..","name":"../.."}',
  ])('%.40s changes no prototype and opens nothing', async (body) => {
    const heard = await send('POST /api/places', body, 'Content-Type: application/json');
    expect(heard).toMatch(/^HTTP\/1\.1 4\d\d/);
    expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('of any type are JSON or refused', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/json; charset=utf-7', '']) {
      expect(await send('POST /api/edits', 'length=15%25&name=x', `Content-Type: ${type}`)).toMatch(/^HTTP\/1\.1 400/);
    }
  }); // prettier-ignore
});

describe('headers', () => {
  it.each([
    ['a thousand', Array.from({ length: 1000 }, (_, k) => `X-${k}: y`)],
    ['ten thousand', Array.from({ length: 10_000 }, (_, k) => `X-${k}: y`)],
    ['the same one, again and again', Array.from({ length: 900 }, () => 'Cookie: a=b')],
    ['one that is long', [`X: ${'y'.repeat(100_000)}`]],
    ['a cookie that is long', [`Cookie: ${'studio-1=; '.repeat(1200)}`]],
  ])('%s are answered or refused, and both servers go on', async (_, headers) => {
    for (const port of [studio.port, (metrics.address() as AddressInfo).port]) {
      const heard = await say(port, lines('GET /api/topic HTTP/1.1', `Host: 127.0.0.1:${port}`, ...headers));
      expect(heard).toMatch(/^$|^HTTP\/1\.1 4(?:03|04|31|00)/);
    }
    expect(statuses(await ask('GET /api/topic', bearer()))).toEqual([200]);
  });
});

describe('the metrics', () => {
  const emit = (bytes: string): Promise<string> => say((metrics.address() as AddressInfo).port, bytes);

  it.each([
    [
      'chunks by a name with a space',
      'GET /health HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a zero byte', 'GET /health\0 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a line that goes on in the next', 'GET /health HTTP/1.1\r\nHost: x\r\n y\r\n\r\n'],
    ['two lengths', 'GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
  ])('%s: refused once', async (_, bytes) => expect(statuses(await emit(bytes))).toEqual([400]));

  it.each(['/%6detrics', '//metrics', '/metrics/', '/./metrics', '/METRICS', '/metrics%00', '/metrics;x', 'http://x/metrics', '/metrics#x'])(
    '"%s" is another address',
    async (address) => expect(statuses(await emit(lines(`GET ${address} HTTP/1.1`, 'Host: x', 'Connection: close')))).toEqual([404]),
  ); // prettier-ignore

  it('say nothing of a request that hides in the body of another', async () => {
    const inner = lines('GET /metrics HTTP/1.1', 'Host: x');
    const heard = await emit(`${lines('POST /health HTTP/1.1', 'Host: x', `Content-Length: ${inner.length}`)}${inner}`);
    expect(statuses(heard)).toEqual([404]);
  });
});
