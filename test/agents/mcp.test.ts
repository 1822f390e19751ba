import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { locateFfmpeg } from '../../src/media/index.js';
import { parseSummary } from '../../src/summary/index.js';
import { openAgent, type Agent } from '../fixtures/agent.js';
import { copyAnalysis, drawTopic } from '../fixtures/drawn-topic.js';
import { programEntry } from '../fixtures/program.js';

const entry = await programEntry();
const opened: Agent[] = [];
let home: string;
let ffmpeg: string;

/** An agent that may use the folder `town` of `home`, or those given. */
async function open(folders: readonly string[] = [join(home, 'town')], era?: 'legacy' | 'auto'): Promise<Agent> {
  const agent = await openAgent([process.execPath, entry, 'mcp', ...folders], { cwd: home, ...(era ? { era } : {}) });
  opened.push(agent);
  return agent;
}

/** Three videos in a folder; analysed before, if wanted. */
async function drawTown(name: string, { isKnown }: { isKnown: boolean }): Promise<string> {
  const folder = join(home, name);
  await drawTopic({ folder, ffmpeg, scale: 0.2, videoCount: 3 });
  if (!isKnown) return folder;
  const topic = join(folder, `${name}-topic`);
  await mkdir(join(topic, 'store'), { recursive: true });
  await writeFile(join(topic, '.throughline'), '');
  await copyAnalysis(join(topic, 'store'));
  return folder;
}

beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'throughline-mcp-')));
  ffmpeg = (await locateFfmpeg()).path;
  await drawTown('town', { isKnown: true });
});
afterAll(async () => {
  for (const agent of opened) await agent.close();
  await rm(home, { recursive: true, force: true });
});

describe('an agent', () => {
  it('analyses a folder, looks, explains, edits, and exports what it sees', async () => {
    const agent = await open();
    const { tools } = await agent.client.listTools();
    expect(tools.every(({ outputSchema, description }) => outputSchema && description!.length > 20)).toBe(true);
    // The page names every tool, and the skill no other.
    const names = tools.map(({ name }) => name);
    const page = await readFile(join(import.meta.dirname, '../../docs/agents.md'), 'utf8');
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    const skill = await readFile(join(import.meta.dirname, '../../skills/throughline/SKILL.md'), 'utf8');
    const told = [...skill.matchAll(/`([a-z]+_[a-z]+)`/g)].map(([, name]) => name!);
    expect(told.length).toBeGreaterThan(5);
    expect(told.filter((name) => !names.includes(name))).toEqual([]);
    const folder = join(home, 'town');
    const listed = await agent.call('list_folders', {});
    expect(listed.data).toEqual({ folders: [{ folder, kind: 'folder', videos: 3 }] });

    const percents: number[] = [];
    const { data: topic } = await agent.call(
      'analyse',
      { folder, waitSeconds: 600 },
      { onProgress: (percent) => percents.push(percent) },
    );
    expect(topic).toMatchObject({
      folder,
      topicFolder: join(folder, 'town-topic'),
      status: { isReady: true, state: 'idle' },
    });
    expect(topic['videos'].map((each: { video: string }) => each.video)).toEqual([
      'aiko.mp4',
      'bruno.mp4',
      'carla.mp4',
    ]);
    expect(percents.length).toBeGreaterThan(2);
    expect(percents).toEqual(percents.toSorted((a, b) => a - b));

    const { data: before } = await agent.call('summarise', { folder, length: '30%' });
    expect(before['total']).toBe(3);
    const { data: film, text } = await agent.call('topic_film', { folder, length: '3 shots' });
    expect(film['shots']).toHaveLength(3);
    expect(JSON.parse(text)).toEqual(film);
    const { video, shot, reason } = film['shots'][0];
    expect(reason).toMatch(/\.$/);

    // What the film plays is explained, and the other takes are real shots.
    const { data: why } = await agent.call('explain_shot', { folder, video, shot });
    expect(why).toMatchObject({ video, shot });
    expect(why['support'].length).toBeGreaterThan(0);
    const { data: others } = await agent.call('alternatives', { folder, video, shot });
    const { data: shots } = await agent.call('list_shots', { folder, video: 'aiko.mp4' });
    expect(others['alternatives'].length).toBeGreaterThan(0);
    for (const other of others['alternatives']) expect(other.to).toBeGreaterThan(other.from);

    // A veto keeps the shot out of the film; undo brings it back.
    const { data: vetoed } = await agent.call('veto_shot', { folder, video, shot });
    expect(vetoed['undo']).toBe(`Veto shot ${shot} of ${video}`);
    const playing = async (): Promise<string[]> => {
      const { data } = await agent.call('topic_film', { folder });
      return data['shots'].map((each: { video: string; shot: number }) => `${each.video}#${each.shot}`);
    };
    expect(await playing()).not.toContain(`${video}#${shot}`);
    await agent.call('undo', { folder });
    expect(await playing()).toContain(`${video}#${shot}`);

    // A pin puts a shot in that was out; a trim plays those seconds; a video that is left out plays nothing.
    const out = shots['shots'].find((each: { isChosen: boolean }) => !each.isChosen);
    const { data: pinned } = await agent.call('pin_shot', { folder, video: 'aiko.mp4', shot: out.shot });
    expect(pinned['video'].clips.flatMap((clip: { shots: number[] }) => clip.shots)).toContain(out.shot);
    const { data: trimmed } = await agent.call('trim', { folder, video: 'bruno.mp4', from: 1, to: 2.4 });
    expect(trimmed['video'].clips).toContainEqual({ clip: 1, from: 1, to: 2.4, shots: [1] });
    await agent.call('leave_out', { folder, videos: ['carla.mp4'] });
    const { data: after } = await agent.call('summarise', { folder });
    expect(after['videos'].map((each: { video: string }) => each.video)).toEqual(['aiko.mp4', 'bruno.mp4']);

    // Several tools at once.
    const wishes = [1, 2, 3].map((shot) => agent.call('veto_shot', { folder, video: 'bruno.mp4', shot: shot + 1 }));
    expect((await Promise.all(wishes)).map(({ isError }) => isError)).toEqual([false, false, false]);
    for (const _ of wishes) await agent.call('undo', { folder });

    const sheet = await agent.call('contact_sheet', { folder, of: 'shots', video: 'aiko.mp4' });
    const picture = Buffer.from(sheet.picture!, 'base64');
    expect(await sharp(picture).metadata()).toMatchObject({ format: 'jpeg', width: 960 });
    expect(picture.length).toBeLessThan(200_000);
    expect(sheet.data['total']).toBe(shots['total']);

    const { data: written } = await agent.call('export', { folder, of: 'all', format: 'json' });
    const list = JSON.parse(await readFile(written['path'], 'utf8')) as { clips: { source: unknown }[] };
    expect(list.clips.length).toBeGreaterThan(0);
    expect(written['path'].startsWith(join(folder, 'town-topic', 'exports'))).toBe(true);
    expect((await readFile(written['path'])).length).toBe(written['bytes']);
    // The settings are those of the topic: the command line and the studio go on from here.
    const kept = JSON.parse(await readFile(join(folder, 'town-topic', 'topic.json'), 'utf8')) as { options: object };
    expect(kept.options).toMatchObject({
      length: '30%',
      concept: '3 shots',
      pin: [`aiko.mp4#${out.shot}`, 'bruno.mp4@1.000-2.400'],
    });
    expect(agent.stderr()).toBe('');
  });

  it('renders films, and is told the files', { tags: 'slow' }, async () => {
    const folder = await drawTown('rendered', { isKnown: true });
    const agent = await open([folder]);
    await agent.call('analyse', { folder: '.', waitSeconds: 600 });
    const messages: string[] = [];
    const onProgress = (_: number, said: string): number => messages.push(said);
    const { data } = await agent.call('render', { folder: '.', waitSeconds: 600 }, { onProgress });
    expect(data['status'].state).toBe('idle');
    // What cannot be rendered is refused before it is stored with the topic.
    const odd = await agent.call('render', { folder: '.', pictures: 'nonsense' });
    expect([odd.isError, odd.code]).toEqual([true, 'bad-request']);
    const names = data['files'].map(({ path }: { path: string }) =>
      path.slice(join(folder, 'rendered-topic/summary/').length),
    );
    expect(names).toEqual(expect.arrayContaining(['aiko.mp4', 'concept.mp4', 'report.html', 'summary.json']));
    for (const { path } of data['files']) expect(existsSync(path), path).toBe(true);
    expect(messages.some((said) => said.startsWith('render'))).toBe(true);
    const { data: film } = await agent.call('topic_film', { folder: '.' });
    const record = parseSummary(
      await readFile(join(folder, 'rendered-topic/summary/summary.json'), 'utf8'),
      'summary.json',
    );
    const played = record.concept!.shots.map(({ video, shot }) => `${video}.mp4#${shot + 1}`);
    expect(film['shots'].map((each: { video: string; shot: number }) => `${each.video}#${each.shot}`)).toEqual(played);
  });

  it('is answered before long work ends, and the work goes on', { tags: 'slow' }, async () => {
    const folder = await drawTown('patient', { isKnown: false });
    const agent = await open([folder]);
    const early = await agent.call('analyse', { folder: '.', waitSeconds: 0 });
    expect(early.data['status']).toMatchObject({ state: 'analysing', isReady: false });
    const refused = await agent.call('topic_film', { folder: '.' });
    expect([refused.isError, refused.code]).toEqual([true, 'not-ready']);
    const { data: done } = await agent.call('status', { folder: '.', waitSeconds: 600 });
    expect(done).toMatchObject({ state: 'idle', isReady: true });
    await agent.close();

    // The next day there is one more video, a copy, and a file that is none.
    await drawTopic({ folder: join(home, 'more'), ffmpeg, scale: 0.2, videoCount: 4 });
    for (const [from, to] of [
      ['dmitri.mp4', 'dmitri.mp4'],
      ['aiko.mp4', 'copy.mp4'],
    ])
      // prettier-ignore
      await copyFile(join(home, 'more', from!), join(folder, to!));
    await writeFile(join(folder, 'list.mp4'), 'milk, flour');
    await symlink('nowhere', join(folder, 'gone.mp4'));
    const later = await open([folder]);
    const { data } = await later.call('analyse', { folder: '.', waitSeconds: 600 });
    const states = data['videos'].map((each: { video: string; state: string }) => `${each.video} ${each.state}`);
    expect(states.toSorted()).toEqual(['aiko.mp4', 'bruno.mp4', 'carla.mp4', 'dmitri.mp4'].map((name) => `${name} analysed`).concat('list.mp4 failed')); // prettier-ignore
    expect(data['status'].isReady).toBe(true);
  });

  it.each([
    ['2025', 'legacy'],
    ['2026', 'auto'],
  ] as const)(
    'of %s stops an analysis by taking its request back, and can begin again',
    { tags: 'slow' },
    async (year, era) => {
      const folder = await drawTown(`stopped-${year}`, { isKnown: false });
      const agent = await open([folder], era);
      expect(agent.client.getNegotiatedProtocolVersion()).toMatch(year);
      expect((await agent.call('status', { folder: '.' })).code).toBe('not-open');
      const stop = new AbortController();
      const cancelled = agent.call(
        'analyse',
        { folder: '.', waitSeconds: 600 },
        { signal: stop.signal, onProgress: (_, said) => said.startsWith('analyse') && stop.abort() },
      );
      await expect(cancelled).rejects.toThrow();
      const { data: ended } = await agent.call('status', { folder: '.', waitSeconds: 600 });
      expect(ended).toMatchObject({ state: 'idle', isReady: false, message: 'Cancelled; finished work is kept.' });
      expect(childrenOf(agent.pid!)).toEqual([]);
      const { data } = await agent.call('analyse', { folder: '.', waitSeconds: 600 });
      expect(data['status']).toMatchObject({ isReady: true, message: null });
    },
  );

  it('leaves nothing running if it goes away in the middle', { tags: 'slow' }, async () => {
    const folder = await drawTown('gone', { isKnown: false });
    const child = spawn(process.execPath, [entry, 'mcp', folder], { cwd: home, stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin.write(`${request(1, 'initialize', INITIALIZE)}${NOTE}${call(2, 'analyse', { folder: '.' })}`);
    await expect.poll(() => childrenOf(child.pid!).length).toBeGreaterThan(0);
    const children = childrenOf(child.pid!);
    child.stdin.end();
    expect((await once(child, 'close'))[0]).toBe(0);
    await expect.poll(() => children.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  });

  it('is told the configuration, which starts the server', { tags: 'slow' }, async () => {
    const print = (...args: string[]): string =>
      execFileSync(process.execPath, [entry, 'mcp', ...args], { cwd: home, encoding: 'utf8' });
    const { servers } = JSON.parse(print('town', '--client', 'vscode'));
    const { command, args } = servers.throughline;
    expect(args.slice(1)).toEqual(['mcp', join(home, 'town')]);
    // The newest revision of the protocol, too.
    const agent = await openAgent([command, ...args], { cwd: home, era: 'auto' });
    opened.push(agent);
    const { data } = await agent.call('list_folders', {});
    expect(data['folders']).toContainEqual({ folder: join(home, 'town'), kind: 'folder', videos: 3 });
    const all = print('--config');
    for (const name of ['.mcp.json', 'claude_desktop_config.json', '[mcp_servers.throughline]', 'context_servers'])
      expect(all).toContain(name);
    expect(print('a "quoted" name', '--client', 'codex')).toContain(String.raw`\"quoted\" name"]`);
  });
});

describe('the folders given', () => {
  it('are all that is read or written', async () => {
    const inside = join(home, 'fence');
    const secret = join(home, 'secret');
    await mkdir(join(inside, 'linked'), { recursive: true });
    await mkdir(join(inside, 'mixed'));
    await mkdir(join(inside, 'sly-topic'), { recursive: true });
    await mkdir(join(inside, 'sly'));
    await mkdir(join(inside, 'foreign'));
    await mkdir(join(inside, 'musical'));
    await mkdir(join(inside, 'quoted'));
    await mkdir(secret);
    await writeFile(join(secret, 'note.mp4'), 'secret words');
    await writeFile(join(secret, 'words.json'), 'secret words');
    await symlink(secret, join(inside, 'way-out'));
    await symlink(join(secret, 'note.mp4'), join(inside, 'mixed', 'note.mp4'));
    await writeFile(join(inside, 'sly', 'plain.mp4'), 'none');
    await rm(join(inside, 'sly-topic'), { recursive: true });
    await symlink(secret, join(inside, 'sly-topic'));
    const record = { schema: 'topic.1', name: '../../../escaped', options: {}, videos: [] as object[] };
    const foreign = { path: '../../secret/note.mp4', sha256: 'a'.repeat(64), bytes: 12 };
    await writeFile(join(inside, 'foreign', 'topic.json'), JSON.stringify({ ...record, videos: [foreign] }));
    await writeFile(join(inside, 'musical', 'topic.json'), JSON.stringify({ ...record, options: { music: join(secret, 'note.mp4') } })); // prettier-ignore
    await symlink(join(secret, 'words.json'), join(inside, 'quoted', 'topic.json'));
    const before = await readdir(secret);

    const agent = await open([inside]);
    const refused = [
      ...['/', '/etc', '..', '../secret', 'linked/../../secret', 'way-out', 'way-out/', `${inside}/../secret`, secret],
      ...[`${inside}x`, 'mixed', 'sly', 'foreign', 'musical', 'quoted', '\0', 'linked\0/../..', '~', 'file:///etc'],
    ];
    for (const folder of refused) {
      for (const tool of ['analyse', 'status']) {
        const { isError, code, text } = await agent.call(tool, { folder });
        expect([folder, isError, ['outside', 'not-found'].includes(code!)]).toEqual([folder, true, true]);
        expect(text).not.toContain('secret words');
      }
    }
    expect((await agent.call('status', { folder: 'way-out' })).code).toBe('outside');
    expect((await agent.call('status', { folder: 'foreign' })).text).toContain('"note.mp4" is elsewhere');
    expect(await readdir(secret)).toEqual(before);
    expect(await readdir(home)).not.toContain('fence-topic');
    expect(existsSync(join(home, '..', 'escaped'))).toBe(false);
  });

  it('must be there, and must be named', () => {
    const run = (...args: string[]) => {
      try {
        execFileSync(process.execPath, [entry, 'mcp', ...args], { cwd: home, encoding: 'utf8', stdio: 'pipe' });
        return null;
      } catch (error) {
        const { status, stderr, stdout } = error as { status: number; stderr: string; stdout: string };
        return { status, stderr, stdout };
      }
    };
    expect(run()).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('Expected the folders') });
    expect(run('nowhere')).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('found nothing') });
  });
});

describe('what a client sends', () => {
  it('may be of any size and form: an answer or an end, and nothing but messages on standard output', async () => {
    const noise = join(home, 'noise.mjs');
    // Writes to standard output as soon as the server has taken it.
    await writeFile(
      noise,
      `const own = process.stdout.write; const look = setInterval(() => {
        if (process.stdout.write === own) return;
        clearInterval(look); console.log('noise'); process.stdout.write('more noise\\n');
      }, 5);`,
    );
    const child = spawn(process.execPath, ['--import', noise, entry, 'mcp', join(home, 'town')], { cwd: home });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const big = 'x'.repeat(3_000_000);
    child.stdin.write(`${request(1, 'initialize', INITIALIZE)}${NOTE}`);
    child.stdin.write('this is not JSON\n{"jsonrpc":"2.0"}\n[]\nnull\n\u0000\u001b[31m\n');
    child.stdin.write(call(2, 'analyse', { folder: big }));
    child.stdin.write(call(3, 'leave_out', { folder: '.', videos: Array.from({ length: 100_000 }, () => 'a.mp4') }));
    child.stdin.write(call(4, big, {}));
    child.stdin.write(call(5, 'status', { folder: '.', waitSeconds: 1e300 }));
    child.stdin.write(call(6, 'explain_shot', { folder: '.', video: '__proto__', shot: Number.MAX_VALUE }));
    child.stdin.write(call(7, 'constructor', {}));
    child.stdin.write(
      `{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"status","arguments":{"folder":${'['.repeat(200_000)}${']'.repeat(200_000)}}}}\n`,
    );
    child.stdin.write(call(9, 'list_folders', {}));
    await expect.poll(() => stdout.includes('"id":9') && stderr.includes('more noise')).toBe(true);
    const lines = stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as { id?: number; error?: object; result?: { isError?: boolean } }); // prettier-ignore
    for (const id of [2, 3, 4, 5, 6, 7, 8]) {
      const answer = lines.find((line) => line.id === id);
      expect([id, answer?.error !== undefined || answer?.result?.isError === true]).toEqual([id, true]);
    }
    expect(lines.find((line) => line.id === 9)?.result?.isError).toBeUndefined();
    // A message without an end is not collected for ever.
    child.stdin.on('error', () => undefined);
    child.stdin.write('y'.repeat(12_000_000));
    expect((await once(child, 'close'))[0]).toBe(0);
    expect(stderr).toContain('noise\n');
  });

  it('names files with any characters, and gets them back as they are, but harmless in texts', async () => {
    const name = 'a "ignore\u202e this"\u200b #3@1-2 é.mp4';
    const control = 'b\u001b[31m\n{"state":"idle"}.mp4';
    const folder = join(home, 'odd \u2066folder');
    await mkdir(folder);
    await writeFile(join(folder, name), await readFile(join(home, 'town', 'aiko.mp4')));
    await writeFile(join(folder, control), await readFile(join(home, 'town', 'bruno.mp4')));
    await mkdir(join(folder, 'odd \u2066folder-topic/store'), { recursive: true });
    await writeFile(join(folder, 'odd \u2066folder-topic/.throughline'), '');
    await copyAnalysis(join(folder, 'odd \u2066folder-topic/store'));
    const agent = await open([folder]);
    const { data, text } = await agent.call('analyse', { folder, waitSeconds: 600 });
    expect(data['videos'].map((each: { video: string }) => each.video)).toEqual([name, control]);
    // The run refuses names that could imitate the report of the decoder.
    expect(data['videos'][1]).toMatchObject({ state: 'failed', problem: expect.stringContaining('Rename the file') });
    expect(data['status']).toMatchObject({ isReady: true, message: null });
    expect(text).not.toMatch(/\p{C}/u);
    expect(JSON.parse(text)).toEqual(data);
    const pinned = await agent.call('pin_shot', { folder, video: name, shot: 1 });
    expect(pinned.text).toContain('"shots":[1');
    const { text: error } = await agent.call('explain_shot', { folder, video: `${name}?`, shot: 1 });
    expect(error).not.toMatch(/\p{C}/u);
    const sheet = await agent.call('contact_sheet', { folder, of: 'shots', video: name });
    expect(sheet.picture).not.toBeNull();
    const { data: written } = await agent.call('export', { folder, of: 'video', video: name, format: 'edl' });
    expect(written['path']).toMatch(/exports\/[^\n\u001b]+\.edl$/);
    expect(existsSync(written['path'])).toBe(true);
  });
});

const INITIALIZE = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
const NOTE = '{"jsonrpc":"2.0","method":"notifications/initialized"}\n';

function request(id: number, method: string, params: object): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
}

function call(id: number, name: string, given: object): string {
  return request(id, 'tools/call', { name, arguments: given });
}

/** Processes that a process has started. */
function childrenOf(pid: number): number[] {
  const found = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' });
  const pairs = found.trim().split('\n').map((line) => line.trim().split(/\s+/).map(Number)); // prettier-ignore
  return pairs.flatMap(([child, parent]) => (parent === pid ? [child!] : []));
}
