import { chmod, chown, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { NOBODY } from '../../test/fixtures/nobody.js';
import { collectInputs } from './collect-inputs.js';

let folder: string;
let out: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-inputs-'));
  out = `${folder}-summary`;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const touch = async (...names: string[]): Promise<void> => {
  for (const name of names) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), '');
  }
};

/** Permissions mean nothing to the superuser: where we are that, the topic is given to somebody else, who then looks. */
async function asOrdinaryUser(work: () => Promise<void>): Promise<void> {
  if (process.getuid?.() !== 0) return work();
  await chown(folder, NOBODY, NOBODY);
  process.seteuid!(NOBODY);
  try {
    await work();
  } finally {
    process.seteuid!(0);
  }
}

describe('collectInputs', () => {
  it('takes videos of a folder in name order, leaves other files and hidden ones', async () => {
    await touch('b.MP4', 'a.mkv', 'notes.txt', '.hidden.mp4', 'poster.jpg');
    const { topic, inputs } = await collectInputs([folder], { recursive: false, out });
    expect(topic).toBe(basename(folder));
    expect(inputs.map((input) => input.name)).toEqual(['a.mkv', 'b.MP4']);
  });

  it('calls files that are named one by one after their folder', async () => {
    await touch('b.mp4', 'a.mp4');
    const named = async (...names: string[]): Promise<string> =>
      (await collectInputs(names.map((name) => join(folder, name)), { recursive: false, out })).topic; // prettier-ignore
    expect(await named('b.mp4', 'a.mp4')).toBe(basename(folder));
    expect(await named('b.mp4')).toBe('b.mp4');
  });

  it('looks into subfolders only when asked', async () => {
    await mkdir(join(folder, 'sub'));
    await touch('a.mp4', join('sub', 'b.mp4'));
    expect((await collectInputs([folder], { recursive: false, out })).inputs).toHaveLength(1);
    const { inputs } = await collectInputs([folder], { recursive: true, out });
    expect(inputs.map((input) => input.name)).toEqual(['a.mp4', join('sub', 'b.mp4')]);
  });

  it('never looks into the folder for results, and refuses one that holds sources', async () => {
    await mkdir(join(folder, 'results'));
    await touch('a.mp4', join('results', 'a.mp4'));
    const { inputs } = await collectInputs([folder], { recursive: true, out: join(folder, 'results') });
    expect(inputs.map((input) => input.name)).toEqual(['a.mp4']);
    await symlink(folder, `${folder}-link`);
    for (const target of [folder, `${folder}/results/..`, `${folder}-link`]) {
      await expect(collectInputs([folder], { recursive: false, out: target })).rejects.toMatchObject({
        code: 'out-holds-sources',
      });
    }
    await rm(`${folder}-link`);
  });

  it('makes ids that are unique and safe as file names, whatever the files are called', async () => {
    const hostile = [
      '..',
      '-rf',
      'a b',
      'a"b',
      "a'b",
      'a\nb',
      'ünïcødé',
      'A B',
      '%d',
      'a:b',
      'x'.repeat(200),
      `${'影'.repeat(81)}上`,
      `${'影'.repeat(81)}下`,
    ];
    await touch(...hostile.map((name) => `${name}.mp4`), 'a b.mkv');
    const { inputs } = await collectInputs([folder], { recursive: false, out });
    const ids = inputs.map((input) => input.id);
    expect(new Set(ids.map((id) => id.toLowerCase())).size).toBe(ids.length);
    for (const id of ids) {
      expect(id).toMatch(/^[\p{L}\p{N}_-][\p{L}\p{N}._ -]*$/u);
      expect(Buffer.byteLength(`${id}.storyboard.png`)).toBeLessThanOrEqual(255);
    }
  });

  it('takes a file once, however often and by whatever path it is named', async () => {
    await touch('a.mp4');
    await symlink(join(folder, 'a.mp4'), join(folder, 'b.mp4'));
    const given = [folder, join(folder, 'a.mp4'), `${folder}/../${basename(folder)}/a.mp4`];
    expect((await collectInputs(given, { recursive: false, out })).inputs).toHaveLength(1);
  });

  it('says what was looked for when there is nothing', async () => {
    await touch('notes.txt');
    await expect(collectInputs([folder], { recursive: false, out })).rejects.toMatchObject({
      code: 'no-videos',
      message: expect.stringContaining('--recursive'),
    });
    await expect(collectInputs([join(folder, 'none')], { recursive: false, out })).rejects.toMatchObject({
      code: 'not-found',
    });
    await expect(collectInputs(['https://example.com/a.mp4'], { recursive: false, out })).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('found a web address. Download the video'),
    });
    await expect(collectInputs([], { recursive: false, out })).rejects.toMatchObject({ code: 'no-inputs' });
  });

  it('names a folder that cannot be read, one inside the topic by its place there', async () => {
    await touch('a.mp4', 'sub/b.mp4', 'sub/locked/c.mp4');
    const locked = join(folder, 'sub', 'locked');
    await chmod(locked, 0);
    await asOrdinaryUser(async () => {
      await expect(collectInputs([locked], { recursive: false, out })).rejects.toMatchObject({
        code: 'unreadable',
        message: `Could not read the folder "${locked}" (permission denied). Check its permissions.`,
      });
      await expect(collectInputs([join(locked, 'c.mp4')], { recursive: false, out })).rejects.toMatchObject({
        message: expect.stringContaining('found a folder on the way that may not be read. Check its permissions.'),
      });
      const { inputs, unreadable } = await collectInputs([folder], { recursive: true, out });
      expect(inputs.map(({ name }) => name)).toEqual(['a.mp4', join('sub', 'b.mp4')]);
      const name = join('sub', 'locked');
      const message = `Could not read the folder "${name}" (permission denied). Check its permissions.`;
      expect(unreadable).toEqual([{ name, message }]);
    });
    await chmod(locked, 0o700);
  });
});
