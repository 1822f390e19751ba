// @module-tag slow
import { createHash } from 'node:crypto';
import { readdir, readFile, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { summarizeTopic } from '../../src/index.js';
import { programEntry, startProgram } from '../fixtures/program.js';
import { contentsOf, makeTinyTopic } from '../jobs/topic.js';

type Topic = { readonly id: string; readonly state: string; readonly progress: object | null; readonly reason: object | null }; // prettier-ignore

let home: string;
let entry: string;
const tokens = { anna: '', bert: '' };
const running: ReturnType<typeof startProgram>[] = [];

beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'throughline-serve-')));
  entry = await programEntry();
  await makeTinyTopic(join(home, 'anna', 'paris'), 6);
  await makeTinyTopic(join(home, 'bert', 'rome'), 3);
  const tenants: Record<string, object> = {};
  for (const name of ['anna', 'bert'] as const) {
    const { stdout } = await startProgram(entry, ['serve', '--new-token']).ended;
    const [, token, hash] = /^token\D*: +(\S+)\nhash.*: (\S+)\n$/.exec(stdout)!;
    tokens[name] = token!;
    tenants[name] = { tokens: [hash], roots: { films: join(home, name) } };
  }
  await writeFile(join(home, 'tenants.json'), JSON.stringify({ tenants }));
});
afterAll(async () => {
  for (const { child } of running) child.kill('SIGKILL');
  await rm(home, { recursive: true, force: true });
});

/** Starts the program, and gives the address that it prints. */
async function serve(): Promise<{ program: ReturnType<typeof startProgram>; address: string }> {
  const at = ['--tenants', join(home, 'tenants.json'), '--state', join(home, 'state'), '--port', '0'];
  const program = startProgram(entry, ['serve', ...at, '--jobs', '1'], { env: { THROUGHLINE_CACHE: join(home, 'cache') } }); // prettier-ignore
  running.push(program);
  const address = await new Promise<string>((settle, fail) => {
    let said = '';
    program.child.stdout!.on('data', (part: Buffer) => {
      said += part.toString();
      const found = /The service is at (\S+),/.exec(said)?.[1];
      if (found) settle(found);
    });
    void program.ended.then(({ stderr }) => fail(new Error(stderr)));
  });
  return { program, address };
}

async function ask<T>(address: string, token: string, method: string, path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${address}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  expect([path, answer.status]).toEqual([path, 200]);
  return (await answer.json()) as T;
}

/** Commands of this machine that name a path. */
async function commandsWith(path: string): Promise<string[]> {
  const numbers = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(numbers.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return commands.filter((command) => command.includes(path));
}

it('takes a folder, is killed, is started again, and gives out the films that summarize makes', async () => {
  const first = await serve();
  const options = { length: '40%', concept: '2s' };
  const submit = (token: string, folder: string): Promise<Topic> => ask(first.address, token, 'POST', '/api/topics', { folder, options }); // prettier-ignore
  const [paris, rome] = [await submit(tokens.anna, 'films/paris'), await submit(tokens.bert, 'films/rome')];
  await expect.poll(async () => (await ask<Topic>(first.address, tokens.anna, 'GET', `/api/topics/${paris.id}`)).progress, { interval: 20 }).not.toBe(null); // prettier-ignore
  first.program.child.kill('SIGKILL');
  await first.program.ended;

  // What it had started may still be about to end.
  const { address, program } = await serve();
  for (const [token, id] of [[tokens.anna, paris.id], [tokens.bert, rome.id]] as const) {
    await expect.poll(async () => (await ask<Topic>(address, token, 'GET', `/api/topics/${id}`)).state, { interval: 50 }).not.toMatch(/queued|running/);
    expect(await ask<Topic>(address, token, 'GET', `/api/topics/${id}`)).toMatchObject({ state: 'done', reason: null });
  } // prettier-ignore

  type Results = { files: { name: string; bytes: number; address: string }[] };
  const { files } = await ask<Results>(address, tokens.anna, 'POST', `/api/topics/${paris.id}/results`, {});
  const given: Record<string, string> = {};
  for (const file of files) {
    const answer = await fetch(file.address);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect([file.name, answer.status, bytes.length]).toEqual([file.name, 200, file.bytes]);
    given[file.name] = createHash('sha256').update(bytes).digest('hex');
  }
  await mkdir(join(home, 'compare'));
  const out = join(home, 'compare', 'out');
  await summarizeTopic(join(home, 'anna', 'paris'), { ...options, out, cache: join(home, 'cache') });
  expect(given).toEqual(await contentsOf(out));
  expect(Object.keys(given)).toContain('summary.json');

  const after = await ask<Topic>(address, tokens.anna, 'POST', '/api/topics', { folder: 'films/paris', options: { length: '20%' } }); // prettier-ignore
  await expect.poll(async () => (await ask<Topic>(address, tokens.anna, 'GET', `/api/topics/${after.id}`)).progress, { interval: 20 }).not.toBe(null); // prettier-ignore
  expect(await ask<Topic>(address, tokens.anna, 'POST', `/api/topics/${after.id}/cancel`)).toMatchObject({ state: 'cancelled' }); // prettier-ignore
  program.child.kill('SIGTERM');
  const { code, stderr } = await program.ended;
  expect([code, stderr]).toEqual([0, '']);
  expect(await commandsWith(join(home, 'anna'))).toEqual([]);
});

it('says what is missing', async () => {
  const { code, stderr } = await startProgram(entry, ['serve', '--state', join(home, 'other')]).ended;
  expect([code, stderr]).toEqual([2, expect.stringContaining('Expected --tenants FILE, found none.')]);
});
