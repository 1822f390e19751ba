import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { UsageError } from '../base/index.js';
import type { Topic } from './contract.js';
import type { NewsListener } from './news.js';
import { readRange } from '../http/index.js';
import { buildPage } from '../../test/studio/build-page.js';
import { keepStudies } from './studies.js';
import { startServer, type Backend, type StudioServer } from './server.js';
import { receive } from './upload.js';
import { IDLE as idle } from './work.js';

function steeringNow(): Topic['document']['steering'] {
  return {
    ...{ length: '15%', shared: 0.5, method: 'cvs', concept: null },
    ...{ pin: [], veto: [], sequence: [], topicSequence: [], leftOut: [] },
  };
}
const topic: Topic = {
  ...{
    name: 'surf',
    folder: '/surf',
    known: 1,
    maxUpload: 100,
    work: idle,
    selection: null,
    skipped: [],
    notes: [],
    methods: [],
    rates: [],
    report: null,
    clips: [],
  },
  review: null,
  document: { revision: 0, undo: null, redo: null, versions: [], steering: steeringNow() },
  output: { films: true, format: 'mp4', preview: 'none', pictures: 'storyboard', surround: 'blur', music: null },
};
const steering = steeringNow();
const inbox = () => ({ folder: join(folder, 'inbox'), maxBytes: 100_000, names: () => ['elsewhere.mp4'] });
const listeners = new Set<NewsListener>();

let folder: string;
let server: StudioServer;
let backend: Backend;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-studio-'));
  await writeFile(join(folder, 'a.mp4'), Buffer.from([...Array(1000).keys()].map((value) => value % 251)));
  await writeFile(join(folder, 'results-neighbour.txt'), 'private');
  const studies = keepStudies(join(folder, 'studies'), () => Promise.reject(new Error('not asked here')));
  backend = {
    studyCsv: studies.csv,
    handlers: {
      ...studies.handlers,
      readTopic: async () => topic,
      preview: async ({ body }) => ({ steering: body, videos: [], film: null }),
      edit: async ({ body: { revision } }) => {
        if (revision !== 0) throw new UsageError('stale', 'Somebody else changed the topic first.');
        return { document: topic.document, selection: null };
      },
      track: async () => ({ shots: [], loudness: [], speech: [] }),
      requestProxy: async () => ({}),
      why: async ({ parameters }) => {
        if (parameters.video !== 'a') throw new UsageError('not-found', `There is no video "${parameters.video}".`);
        return { reason: 'Left out: black.', alternatives: [], own: Number(parameters.shot), shared: 0, support: [] };
      },
      map: async () => ({ points: [] }),
      compare: async () => ({ selections: [] }),
      render: async () => {
        throw new Error('a fault');
      },
      cancel: async () => idle,
      folders: async () => ({ folder: '/', folders: [] }),
      openFolder: async ({ body }) => body,
      beginTopic: async ({ body }) => body,
      upload: ({ parameters, body }) => receive(inbox(), parameters.name, body.bytes, body.declared),
      include: async () => idle,
      look: async () => idle,
      cutList: async () => ({ name: 'a.edl', text: '', notes: [] }),
      readReview: async () => ({ name: 'paris', film: [], clips: [], comments: [], studies: [] }),
      comment: async () => ({ comments: [] }),
      settleComment: async () => ({ comments: [] }),
      deleteComment: async () => ({ comments: [] }),
      listResults: async () => ({ files: [] }),
    },
    picture: async (video, shot) => (video === 'a' && shot === 0 ? Uint8Array.of(255, 216) : null),
    media: (video) => (video === 'a' ? join(folder, 'a.mp4') : null),
    results: () => join(folder, 'results'),
    subscribe(listener) {
      listener('work', idle);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  server = await startServer(backend, { port: 0, version: '1.2.3', page: await buildPage() });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

type Answer = { status: number; headers: Record<string, unknown>; body: Buffer };

/** A request by hand: every header can be set, Host and Origin too, and the path goes out as written. */
function send(method: string, path: string, headers: Record<string, string> = {}, body?: string): Promise<Answer> {
  return new Promise((done, fail) => {
    const cookie = `studio-${server.port}=${server.token.split('.')[1]}`;
    const all = { host: `127.0.0.1:${server.port}`, cookie, ...headers };
    const sent = request(
      { host: '127.0.0.1', port: server.port, method, path, headers: all, agent: false },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () =>
          done({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(parts) }),
        );
      },
    );
    sent.on('error', fail).end(body);
  });
}
const json = ({ body }: Answer): { code?: string; message?: string } => JSON.parse(body.toString()) as object;
const withToken = () => ({ authorization: `Bearer ${server.token}`, 'content-type': 'application/json' });

describe('the studio’s server', () => {
  it('answers its own page: topic, page and styles, with headers that keep others out', async () => {
    const answer = await send('GET', '/api/topic');
    expect([answer.status, JSON.parse(answer.body.toString())]).toEqual([200, topic]);
    for (const path of ['/', '/studio.js', '/studio.css']) {
      const { status, headers } = await send('GET', path);
      expect(status).toBe(200);
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });

  it.each([
    ['another name for this machine', { host: 'evil.example' }],
    ['another port', { host: '127.0.0.1:1' }],
    ['another page', { origin: 'https://evil.example' }],
    ['a page from nowhere', { origin: 'null' }],
    ['a picture in another page', { 'sec-fetch-site': 'cross-site' }],
    ['another port’s page', { 'sec-fetch-site': 'same-site' }],
  ])('refuses %s', async (_, headers) => {
    for (const path of ['/', '/api/topic', '/media/a', '/pictures/a/0', '/studies/study-1.csv']) {
      expect((await send('GET', path, headers as Record<string, string>)).status).toBe(403);
    }
  });

  it('shows results, but nothing a link among them leads to', async () => {
    await mkdir(join(folder, 'results'), { recursive: true });
    await writeFile(join(folder, 'results', 'report.html'), 'ours');
    await symlink(join(folder, 'results-neighbour.txt'), join(folder, 'results', 'file.txt'));
    await symlink(folder, join(folder, 'results', 'folder'));
    expect((await send('GET', '/results/report.html')).body.toString()).toBe('ours');
    for (const path of ['file.txt', 'folder/results-neighbour.txt', 'folder/results/report.html/../../a.mp4']) {
      expect([path, (await send('GET', `/results/${path}`)).status]).toEqual([path, 404]);
    }
    await rm(join(folder, 'results'), { recursive: true });
  });

  it('may be visited from elsewhere, where only the empty page is, and in no other way', async () => {
    const visit = {
      cookie: '',
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    expect((await send('GET', '/', visit)).status).toBe(200);
    expect(json(await send('GET', '/api/topic', visit)).code).toBe('wrong-origin');
    expect(json(await send('GET', '/', { ...visit, 'sec-fetch-dest': 'iframe' })).code).toBe('wrong-origin');
    expect(json(await send('GET', '/', { ...visit, 'sec-fetch-mode': 'cors' })).code).toBe('wrong-origin');
    expect(json(await send('GET', '/', { ...visit, origin: 'http://elsewhere' })).code).toBe('wrong-origin');
  });

  it('changes nothing without the token', async () => {
    const body = JSON.stringify(steering);
    expect(json(await send('POST', '/api/preview', {}, body)).code).toBe('no-token');
    expect((await send('POST', '/api/preview', { authorization: 'Bearer wrong' }, body)).status).toBe(403);
    const origin = `http://127.0.0.1:${server.port}`;
    expect((await send('POST', '/api/preview', { ...withToken(), origin }, body)).status).toBe(200);
  });

  it('refuses a body that does not fit, and one that is too large, before anything is done', async () => {
    const put = (body: string) => send('POST', '/api/preview', withToken(), body);
    expect(json(await put('{'))).toMatchObject({ code: 'bad-request' });
    expect(json(await put(JSON.stringify({ ...steering, shared: 2 }))).message).toContain('shared');
    expect((await put(JSON.stringify({ ...steering, extra: 1 }))).status).toBe(400);
    expect((await put(' '.repeat(3_000_000))).status).toBe(413);
  });

  it('takes videos that are sent: names made safe, each once, none over another', async () => {
    const put = (name: string, body: string) => send('PUT', `/api/uploads/${name}`, withToken(), body);
    expect((await send('PUT', '/api/uploads/a.mp4', {}, 'x')).status).toBe(403);
    expect(json(await put('..%2F..%2Fetc%2Fsurf%3A.MP4', 'one'))).toEqual({ name: 'surf_.mp4', bytes: 3 });
    expect(json(await put('SURF_.mp4', 'two'))).toEqual({ name: 'SURF_-2.mp4', bytes: 3 });
    expect(json(await put('Elsewhere.mp4', 'three'))).toEqual({ name: 'Elsewhere-2.mp4', bytes: 5 });
    expect(json(await put('..%2F', 'x')).code).toBe('not-a-video');
    expect(json(await put('notes.txt', 'x')).message).toContain('the ending of a video (.mp4, .m4v');
    expect(json(await put('empty.mp4', '')).code).toBe('empty');
    expect((await readdir(inbox().folder)).toSorted()).toEqual(['Elsewhere-2.mp4', 'SURF_-2.mp4', 'surf_.mp4']);
    expect(await readFile(join(inbox().folder, 'surf_.mp4'), 'utf8')).toBe('one');
  });

  it('refuses a video that is too large, said or not, and keeps nothing of one that breaks off', async () => {
    const before = await readdir(inbox().folder);
    const large = 'x'.repeat(100_001);
    const said = await send('PUT', '/api/uploads/l.mp4', withToken(), large);
    expect([said.status, json(said).code]).toEqual([413, 'too-large']);
    const unsaid = await send('PUT', '/api/uploads/l.mp4', { ...withToken(), 'transfer-encoding': 'chunked' }, large);
    expect([unsaid.status, json(unsaid).code]).toEqual([413, 'too-large']);
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    const head = ['PUT /api/uploads/b.mp4 HTTP/1.1', `Host: 127.0.0.1:${server.port}`, 'Content-Length: 90000'];
    socket.write(`${[...head, `Authorization: Bearer ${server.token}`].join('\r\n')}\r\n\r\n${'x'.repeat(50_000)}`);
    await expect.poll(async () => (await readdir(inbox().folder)).length).toBe(before.length + 1);
    socket.destroy();
    await expect.poll(async () => readdir(inbox().folder)).toEqual(before);
    // The name is free again.
    expect(json(await send('PUT', '/api/uploads/b.mp4', withToken(), 'b'))).toMatchObject({ name: 'b.mp4' });
  });

  it('passes parameters on, and turns errors into sentences', async () => {
    const found = await send('GET', '/api/videos/a/shots/7/why');
    expect(JSON.parse(found.body.toString())).toMatchObject({ own: 7 });
    expect(await send('GET', '/api/videos/b/shots/7/why')).toMatchObject({ status: 404 });
    const fault = await send('POST', '/api/render', withToken(), JSON.stringify(topic.output));
    expect([fault.status, json(fault).code]).toEqual([500, 'fault']);
    expect((await send('GET', '/nothing')).status).toBe(404);
  });

  it('sends parts of a video as asked, and only videos of the topic', async () => {
    const part = await send('GET', '/media/a', { range: 'bytes=10-19' });
    expect(part.status).toBe(206);
    expect(part.headers['content-range']).toBe('bytes 10-19/1000');
    expect([...part.body]).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
    expect((await send('GET', '/media/a', { range: 'bytes=2000-' })).status).toBe(416);
    expect((await send('GET', '/media/a')).body).toHaveLength(1000);
    for (const path of ['/media/b', '/media/..%2Fa', '/media/%2Fetc%2Fpasswd', '/pictures/a/9', '/pictures/b/0'])
      expect((await send('GET', path)).status).toBe(404);
  });

  it('lets no path lead out of the results', async () => {
    for (const path of [
      ...['/results/../results-neighbour.txt', '/results/..%2fresults-neighbour.txt', '/results/%2e%2e/a.mp4'],
      ...['/results/..%5cresults-neighbour.txt', '/results//etc/passwd', '/results/%00', '/../../etc/passwd'],
    ]) {
      const { status, body } = await send('GET', path);
      expect([path, status]).toEqual([path, 404]);
      expect(body.toString()).not.toContain('private');
    }
  });

  it('tells of work as it goes on, and forgets who has gone', async () => {
    const socket = connect(server.port, '127.0.0.1');
    let heard = '';
    socket.on('data', (text: Buffer) => (heard += text.toString()));
    socket.write(`GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.token}\r\n\r\n`); // prettier-ignore
    await expect.poll(() => heard).toContain('"state":"idle"');
    for (const emit of listeners) emit('work', { ...idle, state: 'rendering', fraction: 0.5 });
    await expect.poll(() => heard).toContain('"fraction":0.5');
    socket.destroy();
    await expect.poll(() => listeners.size).toBe(0);
  });

  it('sends a page that does not read the newest work, and does not hold what it missed', async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.write(`GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.token}\r\n\r\n`); // prettier-ignore
    await expect.poll(() => listeners.size).toBe(1);
    const message = 'x'.repeat(50_000);
    for (let item = 1; item <= 1000; item++) {
      for (const emit of listeners) emit('work', { ...idle, state: 'rendering', message, item: `item ${item}.` });
      await new Promise(setImmediate);
    }
    let heard = '';
    socket.on('data', (text: Buffer) => (heard += text.toString()));
    await expect.poll(() => heard.includes('item 1000.')).toBe(true);
    // What the sockets of this machine hold had been sent before anybody knew that it is not read.
    expect(heard.match(/event: work/g)!.length).toBeLessThan(500);
    socket.destroy();
    await expect.poll(() => listeners.size).toBe(0);
  });

  it('is there for its page while others say nothing, and lets those go', { tags: 'slow' }, async () => {
    const silent = Array.from({ length: 100 }, (_, at) => {
      const socket = connect(server.port, '127.0.0.1')
        .on('error', () => undefined)
        .resume();
      socket.write(at % 2 === 0 ? 'GET / HTTP/1.1\r\nHost: 127.0' : '');
      return new Promise((gone) => socket.once('close', gone));
    });
    expect((await send('GET', '/api/topic')).status).toBe(200);
    await Promise.all(silent);
    expect((await send('GET', '/api/topic')).status).toBe(200);
  });

  it('describes itself: every route, its parameters and its refusal', async () => {
    const { body } = await send('GET', '/api/openapi.json');
    const { openapi, info, paths } = JSON.parse(body.toString()) as {
      openapi: string;
      info: { version: string };
      paths: Record<string, Record<string, { parameters: { name: string }[]; security?: unknown }>>;
    };
    expect([openapi, info.version]).toEqual(['3.1.0', '1.2.3']);
    const why = paths['/api/videos/{video}/shots/{shot}/why']!['get']!;
    expect(why.parameters.map(({ name }) => name)).toEqual(['video', 'shot']);
    expect(paths['/api/preview']!['post']!.security).toBeDefined();
    expect(paths['/api/uploads/{name}']!['put']).toMatchObject({
      requestBody: { content: { 'application/octet-stream': {} } },
    });
  });

  it('says that a port is taken', async () => {
    const again = startServer(backend, { port: server.port, version: '1', page: folder });
    await expect(again).rejects.toMatchObject({ code: 'port-taken' });
  });
});

it('reads Range headers by hand', () => {
  const read = ['bytes=0-0', 'bytes=5-', 'bytes=-3', 'bytes=-30', 'bytes=2-99', 'bytes=10-', 'bytes=4-3', 'bytes=-0'];
  expect(read.map((header) => readRange(header, 10))).toEqual([
    ...[
      { start: 0, end: 1 },
      { start: 5, end: 10 },
      { start: 7, end: 10 },
      { start: 0, end: 10 },
    ],
    ...[{ start: 2, end: 10 }, 'none', 'none', 'none'],
  ]);
  expect(['', 'bytes=-', 'lines=1-2', 'bytes=0-1,4-5'].map((header) => readRange(header, 10))).toEqual([
    ...['all', 'all', 'all', 'all'],
  ]);
});
