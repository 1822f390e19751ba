import { createHash, randomBytes } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { z } from 'zod';

import { UsageError, whyUnreadable } from '../base/index.js';
import { isSame } from '../http/index.js';

const hash = z.string().regex(/^[0-9a-f]{64}$/, 'expected the SHA-256 of a token, as "throughline serve --new-token" prints it'); // prettier-ignore
const count = (least: number, usual: number) => z.int().min(least).max(1_000_000).default(usual);

const tenantSchema = z.strictObject({
  tokens: z.array(hash).min(1),
  /** Folders whose videos may be summarised, by the name that the tenant knows them under. */
  roots: z.record(z.string().regex(/^[\w-]+$/), z.string().min(1)).default({}),
  /** Topics under way at a time. */
  running: count(1, 1),
  /** Videos of all topics that wait or are under way. */
  videos: count(1, 1000),
  /** Topics kept, those that ended included. */
  topics: count(1, 1000),
  /** Where webhooks may go: origins such as https://hooks.example.org. */
  webhooks: z
    .array(
      z
        .url()
        .refine(
          (text) => /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text,
          'expected an origin such as https://hooks.example.org',
        ),
    ) // prettier-ignore
    .default([]),
  /** Whether these may resolve to addresses of this machine or of private networks. */
  webhooksToPrivate: z.boolean().default(false),
});

const configSchema = z.strictObject({
  tenants: z.record(z.string().regex(/^[\w-]{1,64}$/), tenantSchema),
  /** Who may read the metrics. */
  operators: z.array(hash).default([]),
});

/** Who may use the service, and how much. */
export type Config = z.output<typeof configSchema>;
export type Tenant = Config['tenants'][string] & { readonly name: string };

/** Reads the file that names the tenants. Roots become real paths. */
export async function readConfig(path: string): Promise<Config> {
  const bad = (found: string): UsageError =>
    new UsageError('bad-tenants', `Expected a file of tenants at "${path}", found ${found}. See "throughline serve --help".`); // prettier-ignore
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw bad(whyUnreadable(error));
  });
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw bad(`a mistake in its JSON (${(error as Error).message})`);
  }
  const parsed = configSchema.safeParse(data);
  if (!parsed.success) {
    const { path: at, message } = parsed.error.issues[0]!;
    throw bad(`a mistake at ${at.join('.') || 'the top'}: ${message}`);
  }
  const hashes = Object.values(parsed.data.tenants).flatMap(({ tokens }) => tokens);
  if (new Set(hashes).size < hashes.length) throw bad('one token of two tenants');
  for (const { roots } of Object.values(parsed.data.tenants)) {
    for (const [name, folder] of Object.entries(roots)) {
      const real = await realpath(folder).catch(() => null);
      if (real === null || !(await stat(real)).isDirectory()) throw bad(`no folder at "${folder}"`);
      roots[name] = real;
    }
  }
  return parsed.data;
}

/** A token of 256 random bits, and the hash by which the service knows it. */
export function drawToken(): { readonly token: string; readonly hash: string } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashOf(token) };
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The bearer token of a request; empty if there is none. */
export function tokenOf(header: string | undefined): string {
  return /^Bearer ([\w.~+/=-]{1,512})$/i.exec(header ?? '')?.[1] ?? '';
}

/** Whether one of the hashes is that of the token. All are compared, each in constant time. */
export function isOneOf(token: string, hashes: readonly string[]): boolean {
  const shown = hashOf(token);
  return hashes.filter((each) => isSame(shown, each)).length > 0 && token !== '';
}
