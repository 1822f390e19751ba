import { realpath, stat } from 'node:fs/promises';

import { type ThroughlineError, UsageError } from '../base/index.js';
import { isWithin, inside } from '../http/index.js';
import { budgetsOf, checkOptions, optionFacts, type OptionsInput } from '../options/index.js';
import { collectInputs } from '../pipeline/index.js';
import type { Tenant } from './config.js';

/** Options about files and resources of this machine, or several topics: not a client's to choose. */
const REFUSED: ReadonlySet<string> = new Set([
  ...optionFacts.filter(({ placeholder = '' }) => /FILE|FOLDER|PATH/.test(placeholder)).map(({ name }) => name),
  ...['jobs', 'verify', 'device', 'autoTopics', 'groups'],
]);

/** The options of a topic, checked. Throws if one is unknown, wrong or not a client's to choose. */
export function checkWishes(given: Readonly<Record<string, unknown>>): OptionsInput {
  const refused = Object.keys(given).find((name) => REFUSED.has(name));
  if (refused !== undefined || /svg/.test(String(given['pictures']))) {
    throw new UsageError('option-refused', `Expected options about the summary, found "${refused ?? 'pictures: svg'}", which concerns files or resources of the server. Leave it out.`); // prettier-ignore
  }
  budgetsOf(checkOptions(given as OptionsInput));
  return given as OptionsInput;
}

/** A folder of a tenant, found: its real path and the number of its videos. */
export type Found = { readonly path: string; readonly videos: number };

/**
 * Finds `ROOT/path` of a tenant. Folder and videos must be inside the root with links followed. What is outside is refused
 * in the same words as what is not there.
 */
export async function findFolder(
  folder: string,
  { roots }: Pick<Tenant, 'roots'>,
  { recursive = false }: { readonly recursive?: boolean },
): Promise<Found> {
  const [name = '', ...rest] = folder.split('/');
  const root = Object.hasOwn(roots, name) ? roots[name]! : null;
  const path = rest.join('/') === '' ? root : await inside(root, rest.join('/'));
  const isFolder = path !== null && (await stat(path).catch(() => null))?.isDirectory() === true;
  if (root === null || path === null || !isFolder) {
    const known = Object.keys(roots).join(', ') || 'none';
    throw new UsageError('no-folder', `Expected a folder in one of your roots (${known}), such as ROOT/FOLDER, found "${folder.slice(0, 200)}". Check the name.`); // prettier-ignore
  }
  const { inputs } = await collectInputs([path], { recursive, out: '/' }).catch((error: unknown) => {
    throw error instanceof UsageError ? hidePaths(error, [[path, folder]]) : error;
  });
  for (const input of inputs) {
    // A link to nothing may lead somewhere later: it is refused, too.
    const real = await realpath(input.path).catch(() => null);
    if (real === null || !isWithin(real, root)) {
      throw new UsageError('leads-outside', `Expected videos inside the root "${name}", found that "${input.name}" is a link that leads out of it. Put the file itself there, or remove the link.`); // prettier-ignore
    }
  }
  return { path, videos: inputs.length };
}

/** The same error without paths of this machine: known ones by their names, others by their last part. */
export function hidePaths(error: ThroughlineError, known: readonly (readonly [string, string])[]): UsageError {
  return new UsageError(error.code, withoutPaths(error.message, known));
}

export function withoutPaths(text: string, known: readonly (readonly [string, string])[]): string {
  const named = known.reduce((shown, [path, name]) => shown.replaceAll(path, name), text);
  return named.replaceAll(/(^|["'\s(])(?:\/[^\s"'/]+)+\/([^\s"'/]*)/g, '$1$2');
}
