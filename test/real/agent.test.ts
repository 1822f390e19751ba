import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { probe } from '../../src/media/index.js';
import { openAgent, type Agent } from '../fixtures/agent.js';
import { programEntry } from '../fixtures/program.js';
import { footage } from './folder.js';

const entry = await programEntry();
let home: string;
let agent: Agent;

beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'throughline-real-agent-')));
  // The footage cannot be written to: the topic is beside a folder of links, and both folders are given.
  await mkdir(join(home, 'traffic'));
  const from = resolve(footage, 'traffic');
  for (const name of readdirSync(from)) await symlink(join(from, name), join(home, 'traffic', name));
});
afterAll(async () => {
  await agent?.close();
  await rm(home, { recursive: true, force: true });
});

it('an agent makes a film of real footage, replaces a shot, and renders what it said', async () => {
  const fenced = await openAgent([process.execPath, entry, 'mcp', home], { cwd: home });
  const outside = await fenced.call('analyse', { folder: 'traffic' });
  expect([outside.isError, outside.code]).toEqual([true, 'outside']);
  await fenced.close();

  agent = await openAgent([process.execPath, entry, 'mcp', home, footage], { cwd: home });
  const folder = 'traffic';
  const percents: number[] = [];
  const { data: topic } = await agent.call(
    'analyse',
    { folder, waitSeconds: 3000 },
    { onProgress: (percent) => percents.push(percent) },
  );
  expect(topic['status']).toMatchObject({ state: 'idle', isReady: true, reasons: [] });
  expect(topic['topicFolder']).toBe(join(home, 'traffic-topic'));
  expect(topic['videos']).toHaveLength(7);
  expect(percents.length).toBeGreaterThan(10);

  const { data: film } = await agent.call('topic_film', { folder, length: '20s' });
  expect(film['seconds']).toBeGreaterThan(15);
  expect(film['seconds']).toBeLessThanOrEqual(20.5);
  type Place = { video: string; shot: number };
  const names = (shots: Place[]): string[] => shots.map(({ video, shot }) => `${video}#${shot}`);
  const playing = names(film['shots']);

  // A shot that has another take, and the best of those that are not in the film.
  let swap: { out: Place; into: Place } | null = null;
  for (const out of film['shots'] as Place[]) {
    const { data } = await agent.call('alternatives', { folder, video: out.video, shot: out.shot });
    const into = (data['alternatives'] as Place[]).find((each) => !playing.includes(`${each.video}#${each.shot}`));
    if (into) swap ??= { out, into };
  }
  const { out, into } = swap!;
  await agent.call('veto_shot', { folder, video: out.video, shot: out.shot });
  await agent.call('pin_shot', { folder, video: into.video, shot: into.shot });
  const { data: changed } = await agent.call('topic_film', { folder });
  expect(names(changed['shots'])).not.toContain(`${out.video}#${out.shot}`);
  expect(names(changed['shots'])).toContain(`${into.video}#${into.shot}`);

  const sheet = await agent.call('contact_sheet', { folder });
  expect(await sharp(Buffer.from(sheet.picture!, 'base64')).metadata()).toMatchObject({ width: 960 });
  expect(sheet.data['pictures']).toHaveLength(changed['total']);

  const { data: rendered } = await agent.call('render', { folder, films: false, pictures: 'none', waitSeconds: 3000 });
  const path = join(home, 'traffic-topic/summary/concept.mp4');
  expect(rendered['files'].map((each: { path: string }) => each.path)).toContain(path);
  // The film is as long as was said; joins overlap by a few frames.
  expect(Math.abs((await probe(path)).durationHint! - changed['seconds'])).toBeLessThan(1.5);
});
