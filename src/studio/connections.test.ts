import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { openTopics } from './topics.js';
import { startServer, type StudioServer } from './server.js';

/** As many as the studio takes at once; a request that is not sent in this time is let go. */
const limits = { maxConnections: 64, requestMs: 1500 };
let home: string;
let desk: Awaited<ReturnType<typeof openTopics>>;
let server: StudioServer;
const sockets: Socket[] = [];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-connections-'));
  for (const [name, text] of [['index.html', 'page'], ['studio.js', 'x'.repeat(4_000_000)], ['studio.css', '']] as const) {
    await mkdir(join(home, 'page'), { recursive: true });
    await writeFile(join(home, 'page', name), text);
  } // prettier-ignore
  await mkdir(join(home, 'given'));
  const topic = { schema: 'topic.1', name: 'given', options: {}, videos: [] };
  await writeFile(join(home, 'given', 'topic.json'), JSON.stringify(topic));
  desk = await openTopics(join(home, 'given'), { home });
  server = await startServer(desk, { port: 0, version: '1', page: join(home, 'page'), limits });
});
afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()));
afterAll(async () => {
  desk.close();
  await server.close();
  await rm(home, { recursive: true, force: true });
});

type Line = { readonly socket: Socket; heard: string; readonly closed: Promise<void>; isClosed: boolean };

/** A connection of its own: the bytes are sent as they are. */
async function open(bytes: string): Promise<Line> {
  const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  const line = { socket, heard: '', isClosed: false, closed: new Promise<void>((gone) => socket.once('close', () => gone())) };
  void line.closed.then(() => (line.isClosed = true));
  socket.on('data', (chunk: Buffer) => (line.heard += chunk.toString('latin1')));
  await new Promise((settle) => socket.once('connect', settle).once('close', settle));
  socket.write(bytes);
  return line;
} // prettier-ignore

const request = (first: string, ...headers: string[]): string =>
  [`${first} HTTP/1.1`, `Host: 127.0.0.1:${server.port}`, ...headers, '', ''].join('\r\n');
const bearer = (): string => `Authorization: Bearer ${server.token}`;
const cookie = (): string => `Cookie: other=1; studio-${server.port}=${server.token.split('.')[1]}`;
const statusOf = ({ heard }: Line): string => heard.slice(9, 12);
/** Sends a byte now and then, as long as the other end takes them. */
function trickle({ socket }: Line): void {
  const drop = setInterval(() => (socket.destroyed ? clearInterval(drop) : socket.write('x')), 200);
}

/** The page comes in, and is shown the topic. */
async function expectPageServed(): Promise<void> {
  const page = await open(request('GET /api/topic', bearer(), 'Connection: close'));
  await page.closed;
  expect(statusOf(page)).toBe('200');
}

describe('others on this machine', () => {
  it('see the page without anything in it, and nothing of the topic', async () => {
    for (const path of ['/', '/studio.css', '/api/openapi.json']) {
      const line = await open(request(`GET ${path}`, 'Connection: close'));
      await line.closed;
      expect([path, statusOf(line)]).toEqual([path, '200']);
    }
    const wrong = [`studio-${server.port}=${'x'.repeat(32)}`, `studio-1=${server.token.split('.')[1]}`, `studio-${server.port}=`]; // prettier-ignore
    for (const path of ['/api/topic', '/api/folders', '/api/events', '/api/results', '/media/a', '/pictures/a/0', '/results/report.html', '/studies/study-1.csv', '/nothing']) {
      for (const header of ['X: y', bearer().slice(0, -1), bearer().split('.')[0]!, ...wrong.map((each) => `Cookie: ${each}`)]) {
        const line = await open(request(`GET ${path}`, header));
        await line.closed;
        expect([path, header, statusOf(line)]).toEqual([path, header, '403']);
      }
    }
  }); // prettier-ignore

  it('who have the cookie, because they listen on another port, may look and change nothing', async () => {
    const look = await open(request('GET /api/topic', cookie(), 'Connection: close'));
    await look.closed;
    expect(statusOf(look)).toBe('200');
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const change = await open(request(`${method} /api/work`, cookie(), 'Content-Length: 0'));
      await change.closed;
      expect([method, statusOf(change)]).toEqual([method, '403']);
    }
  });

  it.each<[string, () => string]>([
    ['questions with bodies that never end', () => request('GET /', 'Content-Length: 1000000')],
    ['videos nobody asked for', () => request('PUT /api/uploads/a.mp4', 'Content-Length: 1000000')],
    ['streams of events', () => request('GET /api/events')],
    ['answers that are never read', () => request('GET /studio.js').repeat(20)],
    ['half a question', () => 'GET / HTTP/1.1\r\nHost: 127'],
    ['nothing at all', () => ''],
  ])('cannot keep the page out by %s', async (_, bytes) => {
    const lines: Line[] = [];
    for (let count = 0; count < limits.maxConnections + 10; count++) {
      const line = await open(bytes());
      line.socket.pause();
      trickle(line);
      lines.push(line);
      if (count % 20 === 0) await expectPageServed();
    }
    await expectPageServed();
    for (const { socket } of lines) socket.resume();
    await Promise.all(lines.map(({ closed }) => closed));
    await expectPageServed();
  });

  it('who flood it do not end what the page has open', async () => {
    const events = await open(request('GET /api/events', cookie()));
    await expect.poll(() => events.heard).toContain('"state":"idle"');
    for (let count = 0; count < 3 * limits.maxConnections; count++) await open('GET / HT');
    await expectPageServed();
    expect(events.isClosed).toBe(false);
  });
});

it('a video of the page takes as long as it takes, another request does not', async () => {
  const slow = request('PUT /api/uploads/slow.mp4', bearer(), 'Content-Length: 12', 'Connection: close');
  const [upload, steering] = [await open(slow), await open(request('POST /api/preview', bearer(), 'Content-Length: 12'))];
  for (let count = 0; count < 12; count++) {
    upload.socket.write('v');
    if (count < 11) steering.socket.write(' ');
    await sleep(limits.requestMs / 6);
  }
  await Promise.all([upload.closed, steering.closed]);
  expect([statusOf(upload), steering.heard]).toEqual(['200', '']);
  expect(await readFile(join(home, 'given', 'videos', 'slow.mp4'), 'utf8')).toBe('v'.repeat(12));
}); // prettier-ignore
