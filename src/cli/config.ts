import { readFile } from 'node:fs/promises';
import type { z } from 'zod';

import { UsageError, valueText, whyUnreadable } from '../base/index.js';
import { configSchema, optionFacts, type OptionsInput } from '../options/index.js';
import { badValue } from './bad-value.js';
import { nearest } from './nearest.js';

const DEFAULT_FILE = 'throughline.config.json';

/** Reads options from a configuration file: `file`, or the default one if it exists. */
export async function readConfig(file: string | undefined): Promise<OptionsInput> {
  const path = file ?? DEFAULT_FILE;
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (file === undefined && (error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new UsageError(
      'bad-config',
      `Could not read the configuration "${path}" (${whyUnreadable(error)}). Check the path.`,
      { cause: error },
    );
  }
  let data: unknown;
  try {
    data = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new UsageError(
      'bad-config',
      `Expected JSON in "${path}", found a mistake (${(error as Error).message}). Correct it.`,
      {
        cause: error,
      },
    );
  }
  const parsed = configSchema.safeParse(data);
  if (!parsed.success) {
    throw new UsageError('bad-config', sentenceOf(parsed.error.issues[0], data, path));
  }
  // Not `parsed.data`, whose defaults would look as if the file had set them.
  return data as OptionsInput;
}

/** What is wrong in a configuration file. */
function sentenceOf(issue: z.core.$ZodIssue | undefined, data: unknown, path: string): string {
  if (issue?.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const names = optionFacts.map(({ name }) => name as string);
    const meant = nearest(key, names);
    const advice = meant === null ? 'docs/reference/options.md lists them.' : `Did you mean "${meant}"?`;
    return `Expected the names of options in "${path}", found "${key}". ${advice}`;
  }
  const [name, ...inside] = issue?.path ?? [];
  if (name === undefined)
    return `Expected options in "${path}", such as {"length": "30s"}, found ${valueText(data)}. Correct it.`;
  const value = [name, ...inside].reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown>)?.[key], data);
  return badValue(`"${String(name)}" in "${path}"`, valueText(value), issue).message;
}
