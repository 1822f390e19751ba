import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, realpath, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';

import { drawTokens, type Tokens } from './guard.js';

/** How pages reach the studio of a topic: kept between runs, so that an open page works again after a restart. */
export type Access = { readonly tokens: Tokens; readonly port: number };

const schema = z.object({
  full: z.string().regex(/^[\w-]{32}\.[\w-]{32}$/),
  port: z.int().min(0).max(65_535),
});

/** The stored access of a topic; a new one if there is none, or if others could have read or written it. */
export async function readAccess(home: string, folder: string): Promise<Access> {
  const path = await pathOf(home, folder);
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const { mode, uid } = await file.stat();
      const isOurs = process.platform === 'win32' || ((mode & 0o077) === 0 && uid === process.getuid?.());
      const { full, port } = schema.parse(JSON.parse(await file.readFile('utf8')));
      if (isOurs) return { tokens: { full, look: full.split('.')[1]! }, port };
    } finally {
      await file.close();
    }
  } catch {
    // Missing, or not ours to trust.
  }
  return { tokens: drawTokens(), port: 0 };
}

/** Stores the access of a topic where only this user can read it. Without it, pages must be opened again after a restart. */
export async function writeAccess(home: string, folder: string, { tokens: { full }, port }: Access): Promise<void> {
  const path = await pathOf(home, folder);
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(draft, JSON.stringify({ full, port }), { mode: 0o600, flag: 'wx' });
    await rename(draft, path);
  } catch {
    // A read-only home is no reason to refuse to work.
  }
}

async function pathOf(home: string, folder: string): Promise<string> {
  const real = await realpath(folder).catch(() => resolve(folder));
  return join(home, `${createHash('sha256').update(real).digest('hex').slice(0, 32)}.json`);
}
