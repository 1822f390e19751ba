import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { addToTopic, summarizeTopics, summarizeTopic, updateTopic, type OptionsInput } from 'throughline-video';
import { locateFfmpeg } from '../../src/media/index.js';
import { openCache, openFolder, refuseLinks, writeParts } from '../../src/storage/index.js';
import { startStudio } from '../../src/studio/index.js';
import { contents } from '../fixtures/contents.js';
import { makeVideo } from '../fixtures/video.js';

/** What an unpacked archive may hold: links in the places of what we write. Nothing behind them may change. */
let home: string;
const at = (...parts: string[]): string => join(home, ...parts);
const options: OptionsInput = { length: '40%', features: 'shallow', films: false, pictures: 'storyboard,stills' };
const run = (more: OptionsInput = {}): Promise<unknown> =>
  summarizeTopic(at('topic'), { ...options, out: at('out'), cache: at('cache'), ...more });

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-links-'));
  await mkdir(at('topic'));
  const { path: ffmpeg } = await locateFfmpeg();
  for (const [place, name] of ['one.mp4', 'two.mp4'].entries()) {
    await makeVideo(ffmpeg, at('topic', name), { widthPx: 96, heightPx: 54, frameCount: 50, cuts: [25], firstNumber: 200 * place }); // prettier-ignore
  }
});
afterAll(() => rm(home, { recursive: true, force: true }));
beforeEach(async () => {
  for (const name of ['out', 'elsewhere']) {
    await rm(at(name), { recursive: true, force: true });
    await mkdir(at(name));
  }
  await writeFile(at('elsewhere', 'private'), 'mine');
});

/** Nothing came to the other folder, nothing went, nothing changed. */
async function expectUntouched(): Promise<void> {
  expect(await readdir(at('elsewhere'))).toEqual(['private']);
  expect(await readFile(at('elsewhere', 'private'), 'utf8')).toBe('mine');
}

describe('the mark of a folder for results', () => {
  it.each([
    ['a link to a file', () => symlink(at('elsewhere', 'private'), at('out', '.throughline'))],
    ['a link to nothing', () => symlink(at('elsewhere', 'new'), at('out', '.throughline'))],
    ['a link by way of others', () => symlink('../elsewhere/private', at('out', '.throughline'))],
    ['a folder', () => mkdir(at('out', '.throughline'))],
  ])('that is %s is refused', async (_, lay) => {
    await lay();
    await expect(openFolder(at('out'))).rejects.toMatchObject({ code: 'bad-mark' });
    await expectUntouched();
  });

  it('is written once, and stays as it is', async () => {
    await writeFile(at('out', '.throughline'), 'old');
    await openFolder(at('out'));
    expect(await readFile(at('out', '.throughline'), 'utf8')).toBe('old');
  });
});

describe('a link inside a folder for results', () => {
  beforeEach(() => openFolder(at('out')));

  it.each([
    ['to a folder', () => symlink(at('elsewhere'), at('out', 'inside'))],
    ['to nothing', () => symlink(at('elsewhere', 'new'), at('out', 'inside'))],
    ['to a link', async () => {
      await symlink(at('elsewhere'), at('out', 'step'));
      await symlink('step', at('out', 'inside'));
    }], // prettier-ignore
    ['to itself', () => symlink('inside', at('out', 'inside'))],
  ])('%s is not written through', async (_, lay) => {
    await lay();
    const refused = { code: 'link-inside', message: expect.stringContaining(at('out', 'inside')) as string };
    await expect(writeParts(at('out', 'inside', 'a.jpg'), ['x'])).rejects.toMatchObject(refused);
    await expect(writeParts(at('out', 'inside', 'deeper', 'a.jpg'), ['x'])).rejects.toMatchObject(refused);
    await expect(openFolder(at('out', 'inside'))).rejects.toMatchObject(refused);
    await expect(openCache(at('out', 'inside'))).rejects.toMatchObject(refused);
    await expectUntouched();
  });

  it('is found in folders of ours inside others, and below folders without a mark', async () => {
    await mkdir(at('out', 'part', 'stills'), { recursive: true });
    await symlink(at('elsewhere'), at('out', 'part', 'stills', 'inside'));
    const write = writeParts(at('out', 'part', 'stills', 'inside', 'a.jpg'), ['x']);
    await expect(write).rejects.toMatchObject({ code: 'link-inside' });
    await expect(refuseLinks(at('elsewhere', 'a', 'b'), at('elsewhere'))).resolves.toBeUndefined();
  });

  it('with the name of a result is replaced, not followed', async () => {
    await symlink(at('elsewhere', 'private'), at('out', 'summary.json'));
    await symlink(at('elsewhere', 'private'), at('out', 'one.storyboard.png'));
    await run();
    for (const name of ['summary.json', 'one.storyboard.png']) {
      expect((await lstat(at('out', name))).isFile()).toBe(true);
    }
    await expectUntouched();
  });

  it('stops a run whose pictures would go through it', async () => {
    await symlink(at('elsewhere'), at('out', 'one.stills'));
    await expect(run()).rejects.toMatchObject({ code: 'link-inside' });
    await expectUntouched();
  });

  it('stops a run of several topics, and the results of a topic that grows', async () => {
    await symlink(at('elsewhere'), at('out', 'topic-1'));
    const several = summarizeTopics(at('topic'), { ...options, out: at('out'), cache: at('cache') });
    await expect(several).rejects.toMatchObject({ code: 'link-inside' });
    await expectUntouched();
    await rm(at('grown'), { recursive: true, force: true });
    await addToTopic([at('topic')], options, { folder: at('grown') });
    await rm(at('grown', 'summary'), { recursive: true });
    await symlink(at('elsewhere'), at('grown', 'summary'));
    await expect(updateTopic({}, { folder: at('grown') })).rejects.toMatchObject({ code: 'link-inside' });
    await expectUntouched();
  });
});

describe('links the user made', () => {
  it('are followed on the way to the folder for results, and to the cache', async () => {
    await run({ out: at('plain') });
    await symlink(at('real'), at('link'));
    await mkdir(at('real', 'store'), { recursive: true });
    await symlink(at('real', 'store'), at('kept'));
    for (let time = 0; time < 2; time++) {
      await run({ out: at('link', 'out'), cache: at('kept') });
      expect(await contents(at('real', 'out'))).toEqual(await contents(at('plain')));
    }
    await mkdir(at('real', 'itself'));
    await symlink(at('real', 'itself'), at('chosen'));
    await run({ out: at('chosen') });
    expect(await contents(at('real', 'itself'))).toEqual(await contents(at('plain')));
  });

  it('to nowhere, or round in a ring, are named', async () => {
    await symlink(at('nowhere'), at('dangling'));
    await symlink('ring', at('ring'));
    for (const name of ['dangling', 'ring']) {
      await expect(run({ out: at(name) })).rejects.toMatchObject({ code: 'not-a-folder' });
    }
  });
});

describe('the studio', () => {
  it.each(['summary', 'store', 'studies', 'videos'])('does not open a topic whose "%s" is a link', async (name) => {
    await mkdir(at('given'), { recursive: true });
    const topic = { schema: 'topic.1', name: 'given', options: {}, videos: [] };
    await writeFile(at('given', 'topic.json'), JSON.stringify(topic));
    await symlink(at('elsewhere'), at('given', name));
    await expect(startStudio(at('given'), { page: home })).rejects.toMatchObject({ code: 'link-inside' });
    await expectUntouched();
    await rm(at('given'), { recursive: true });
  });
});
