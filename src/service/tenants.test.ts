import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { UsageError } from '../base/index.js';
import { optionFacts } from '../options/index.js';
import { isOneOf } from './config.js';
import { rawRoutes, routes, type TopicView } from './contract.js';
import { checkWishes } from './places.js';
import { openSigner } from './sign.js';
import {
  ANNA,
  BERT,
  OPERATOR,
  type Results,
  addVideos,
  ask,
  code,
  done,
  finish,
  hash,
  read,
  send,
  start,
  startedAs,
  submit,
  tenant,
  useService,
  world,
} from './service.case.js';

useService();

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
    const path = files[0]!.address.slice(world.service.address.length);
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
    (await startedAs(1)).fail(new UsageError('no-videos', `Expected "${world.home}/anna/paris" or "${world.home}/else/where.mp4".`)); // prettier-ignore
    (await startedAs(2)).fail(new TypeError('secret detail'));
    await expect.poll(async () => (await read(ANNA, two.id)).state).toBe('failed');
    expect((await read(ANNA, one.id)).reason).toEqual({ code: 'no-videos', message: 'Expected "films/paris" or "where.mp4".' }); // prettier-ignore
    expect((await read(ANNA, two.id)).reason).toMatchObject({ code: 'fault', message: expect.not.stringContaining('secret') }); // prettier-ignore
    expect(world.faults.join()).toContain('secret detail');
  });

  it('fails when it takes too long, and the next begins', async () => {
    await world.service.close();
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
    await world.service.close();
    await start({ slots: 2 });
    for (let count = 0; count < 3; count++) await submit(ANNA, 'films/paris');
    await startedAs(1);
    await submit(BERT, 'films/rome');
    expect((await startedAs(2)).folder).toBe('films/rome');
  });
});

describe('an address', () => {
  it('expires', async () => {
    const signer = await openSigner(join(world.home, 'state'), () => 1_000_000);
    const what = { tenant: 'anna', topic: 'a', file: 'b', expires: 1001 };
    expect([signer.check(what, signer.sign(what)), signer.check({ ...what, expires: 1000 }, signer.sign({ ...what, expires: 1000 }))]).toEqual([true, false]); // prettier-ignore
    const { id } = await done();
    const real = await openSigner(join(world.home, 'state'));
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
    await symlink(join(world.home, 'state', 'secret'), join(world.home, 'state', 'results', id, 'link.mp4'));
    const signer = await openSigner(join(world.home, 'state'));
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
      await symlink(join(world.home, 'bert', 'rome'), join(world.home, 'anna', 'out'));
      const answer = await send('POST', '/api/topics', { token: ANNA, body: { folder } });
      expect(code(answer)).toEqual([422, 'no-folder']);
      expect(answer.text).not.toContain(world.home);
    },
  ); // prettier-ignore

  it('is refused with a video that is a link out of the root; when it becomes one later, the topic fails', async () => {
    await symlink(join(world.home, 'bert', 'rome', '0.mp4'), join(world.home, 'anna', 'paris', 'link.mp4'));
    expect(code(await send('POST', '/api/topics', { token: ANNA, body: { folder: 'films/paris' } }))).toEqual([422, 'leads-outside']); // prettier-ignore
    await rm(join(world.home, 'anna', 'paris', 'link.mp4'));
    const [one, two] = [await submit(ANNA, 'films/paris'), await submit(ANNA, 'films/paris')];
    await startedAs(1);
    await symlink(join(world.home, 'bert', 'rome', '0.mp4'), join(world.home, 'anna', 'paris', 'link.mp4'));
    await finish(ANNA, one.id, 1);
    await expect.poll(async () => (await read(ANNA, two.id)).reason?.code).toBe('leads-outside');
    expect(world.steered.started.length).toBe(1);
  });

  it('may not grow while it waits, past any quota', async () => {
    const [, two] = [await submit(ANNA, 'films/paris'), await submit(ANNA, 'films/paris')];
    await startedAs(1);
    await addVideos('anna', 'paris', 20);
    world.steered.started[0]!.finish();
    await expect.poll(async () => (await read(ANNA, two.id)).reason?.code).toBe('folder-grew');
  });

  it('may not hold that of the service', async () => {
    const roots = { all: world.home };
    const wide = { ...world.config, tenants: { ...world.config.tenants, carl: tenant('c', '.', { roots }) } };
    await world.service.close();
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
