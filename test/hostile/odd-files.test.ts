import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { addToTopic, describeTopic, summarizeTopic, type OptionsInput } from 'throughline-video';
import { locateFfmpeg } from '../../src/media/index.js';
import { hashFile, openCache, openObjects } from '../../src/storage/index.js';
import { openTopics } from '../../src/studio/topics.js';
import { startStudio } from '../../src/studio/index.js';
import { keepStudies } from '../../src/studio/studies.js';
import { makeVideo } from '../fixtures/video.js';

/** What may lie in a folder under the name of a video without being a file. Reading some of it never ends. */
let home: string;
let socket: Server;
const at = (...parts: string[]): string => join(home, ...parts);
const options = (): OptionsInput => ({ features: 'shallow', films: false, recursive: true, out: at('out'), cache: at('cache') }); // prettier-ignore
const ODD = ['pipe.mp4', 'socket.mp4', 'zero.mp4', 'terminal.mp4', 'folder-link.mp4', 'nowhere.mp4', 'ring.mp4', 'self.mp4']; // prettier-ignore

/** Where a link leads. The folder has videos, which are none of the topic's. */
const LEADS_TO: Readonly<Record<string, string>> = {
  ...{ 'zero.mp4': '/dev/zero', 'folder-link.mp4': '../topic', 'nowhere.mp4': 'nothing', 'self.mp4': 'self.mp4' },
};

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-odd-'));
  await mkdir(at('topic', 'inner.mp4'), { recursive: true });
  const { path: ffmpeg } = await locateFfmpeg();
  for (const [place, name] of ['one.mp4', 'two.mp4'].entries()) {
    await makeVideo(ffmpeg, at('topic', name), { widthPx: 96, heightPx: 54, frameCount: 50, cuts: [25], firstNumber: 200 * place }); // prettier-ignore
  }
  if (process.platform === 'win32') return;
  execFileSync('mkfifo', [at('topic', 'pipe.mp4')]);
  socket = createServer().listen(at('topic', 'socket.mp4'));
  await once(socket, 'listening');
  await symlink('/dev/zero', at('topic', 'zero.mp4'));
  await symlink('/dev/tty', at('topic', 'terminal.mp4'));
  await symlink('/etc', at('topic', 'folder-link.mp4'));
  await symlink(at('nothing'), at('topic', 'nowhere.mp4'));
  await symlink('self.mp4', at('topic', 'self.mp4'));
  // Folders that lead back to where they are, and one below the other.
  await symlink('..', at('topic', 'inner.mp4', 'up'));
  await symlink('..', at('topic', 'inner.mp4', 'ring.mp4'));
  await mkdir(at('topic', ...Array.from({ length: 60 }, () => 'deeper-and-deeper')), { recursive: true });
});
afterAll(async () => {
  socket?.close();
  await rm(home, { recursive: true, force: true });
});

describe.skipIf(process.platform === 'win32')('what is no file is not read', () => {
  it('in a folder: it is named and left out', async () => {
    const { document } = await summarizeTopic(at('topic'), options());
    expect(document.videos.map(({ path }) => path)).toEqual(['one.mp4', 'two.mp4']);
    expect(document.skipped.map(({ path }) => path.replace(/^.*\//, '')).sort()).toEqual(ODD.toSorted());
    for (const { code } of document.skipped) expect(['not-a-file', 'not-found', 'unreadable']).toContain(code);
  });

  it.each(ODD.filter((name) => name !== 'ring.mp4'))('%s, by itself', async (name) => {
    await expect(hashFile(at('topic', name))).rejects.toMatchObject({ code: 'unreadable' });
    await expect(summarizeTopic([at('topic', name)], options())).rejects.toMatchObject({ code: expect.stringMatching(/^(nothing-done|not-found|no-videos)$/) as string }); // prettier-ignore
  });

  it.each(['pipe.mp4', 'zero.mp4', 'folder-link.mp4', 'nowhere.mp4', 'self.mp4'])(
    '%s, by a topic that grows: it is named and left out',
    async (name) => {
      const folder = at(`with-${name}`);
      await mkdir(folder);
      await cp(at('topic', 'one.mp4'), join(folder, 'one.mp4'));
      if (name === 'pipe.mp4') execFileSync('mkfifo', [join(folder, name)]);
      else await symlink(LEADS_TO[name]!, join(folder, name));
      const { added, outcome } = await addToTopic([folder], { features: 'shallow', films: false }, { folder: at(`grown-${name}`) }); // prettier-ignore
      expect(added).toEqual([`../with-${name}/one.mp4`]);
      expect(outcome!.document.videos.map(({ path }) => path)).toEqual(['one.mp4']);
      expect(outcome!.document.skipped).toMatchObject([{ path: name }]);
    },
  );

  it('by the studio: every one is named and left out, and the videos are shown', async () => {
    const folder = at('shown');
    await mkdir(folder);
    const odd = ODD.filter((name) => name !== 'ring.mp4' && name !== 'socket.mp4');
    for (const name of [...odd, 'one.mp4', 'two.mp4']) await symlink(at('topic', name), join(folder, name));
    const topics = await openTopics(folder, {});
    const topic = () => topics.handlers.readTopic({ parameters: {}, body: undefined });
    try {
      await expect.poll(async () => (await topic()).work.state, { timeout: 60_000 }).toBe('idle');
      const { known, selection, skipped, work } = await topic();
      // Files that cannot be used are listed too, with the reason.
      expect([known, selection?.videos.map(({ name }) => name)]).toEqual([odd.length + 2, ['one.mp4', 'two.mp4']]);
      expect(skipped.map((message) => /"([^"]*)"/.exec(message)![1]).sort()).toEqual(odd.toSorted());
      expect(work.reasons).toEqual(skipped);
    } finally {
      await topics.close();
    }
  });

  it('by the studio, with nothing else in the folder: it says so and waits for videos', async () => {
    const folder = at('only');
    await mkdir(folder);
    execFileSync('mkfifo', [join(folder, 'pipe.mp4')]);
    const topics = await openTopics(folder, {});
    try {
      const topic = () => topics.handlers.readTopic({ parameters: {}, body: undefined });
      const reasons = [expect.stringContaining('pipe.mp4') as string];
      await expect.poll(topic).toMatchObject({ known: 1, selection: null, work: { state: 'failed', reasons } });
    } finally {
      await topics.close();
    }
  });
});

describe.skipIf(process.platform === 'win32')('a pipe in the place of what we wrote ourselves does not hold us', () => {
  const pipeAt = async (path: string): Promise<void> => {
    await rm(path, { recursive: true, force: true });
    execFileSync('mkfifo', [path]);
  };
  const begin = async (folder: string): Promise<string> => {
    await mkdir(join(folder, 'studies'), { recursive: true });
    await writeFile(join(folder, 'topic.json'), JSON.stringify({ schema: 'topic.1', name: 'x', options: {}, videos: [] })); // prettier-ignore
    return folder;
  };

  it('of the record of a topic, and beside it', async () => {
    const folder = await begin(at('topics', 'given'));
    await pipeAt(join(folder, 'topic.json'));
    await expect(describeTopic(folder)).rejects.toMatchObject({ code: 'unreadable' });
    await expect(startStudio(folder, { page: home })).rejects.toMatchObject({ code: 'unreadable' });
    // As many as there are threads for files, and more.
    for (let count = 0; count < 10; count++)
      await pipeAt(join(await begin(at('topics', `other-${count}`)), 'topic.json'));
    const topics = await openTopics(undefined, { home: at('topics') });
    expect(await topics.handlers.folders({ parameters: {}, body: undefined })).toMatchObject({ folders: [] });
    topics.close();
  });

  it('of the last summary and of a study', async () => {
    const folder = await begin(at('read'));
    await mkdir(join(folder, 'summary'));
    await pipeAt(join(folder, 'summary', 'summary.json'));
    expect((await describeTopic(folder)).summary).toBeNull();
    await pipeAt(join(folder, 'studies', 'study-1.json'));
    const studies = keepStudies(join(folder, 'studies'), () => Promise.reject(new Error('not asked here')));
    await expect(studies.csv('study-1')).rejects.toMatchObject({ code: 'unreadable' });
  });

  it('of an entry of the cache, and of an object in a store', async () => {
    const cache = await openCache(at('kept'));
    for (const file of ['entry', 'part', 'part', 'entry']) {
      const draft = await cache.draft('key');
      await draft.append('part', Buffer.from('x'));
      await draft.commit({}, ['part']);
      await pipeAt(at('kept', 'key', file));
      expect([file, await cache.find('key')]).toEqual([file, null]);
    }
    const objects = await openObjects(at('store'));
    await objects.write('a.json', '{}');
    await pipeAt(at('store', 'a.json'));
    expect(await objects.read('a.json')).toBeNull();
    expect(await objects.download('a.json', at('copy.json'))).toBe(false);
    await expect(objects.upload('b.json', at('store', 'a.json'))).rejects.toMatchObject({ code: 'unreadable' });
  });
});

describe('what is typed in place of a file', () => {
  it.each([
    ...['rtsp://127.0.0.1/x.mp4', 'http://127.0.0.1/x.mp4', 'pipe:0', 'pipe:', 'fd:0', 'file:one.mp4', 'concat:one.mp4|two.mp4'],
    ...['subfile,,start,0,end,9,,:one.mp4', 'async:one.mp4', 'crypto:one.mp4', 'data:video/mp4;base64,AAAA', 'cache:one.mp4'],
    ...['-', '--', '-i', '*.mp4', 'o?e.mp4', '{one,two}.mp4', '%d.mp4', 'one.mp4\0.mkv', '', '~/one.mp4', '$HOME'],
  ])('"%s" is a path, and nothing is there', async (typed) => {
    const before = process.cwd();
    process.chdir(at('topic'));
    try {
      await expect(summarizeTopic([typed], options())).rejects.toMatchObject({ code: 'not-found' });
    } finally {
      process.chdir(before);
    }
  }); // prettier-ignore
});
