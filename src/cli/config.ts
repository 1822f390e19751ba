import { readFile } from 'node:fs/promises';

import { UsageError } from '../base/index.js';
import { configSchema, type OptionsInput } from '../options/index.js';

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
      `Could not read the configuration "${path}" (${(error as NodeJS.ErrnoException).code}). Check the path.`,
      { cause: error },
    );
  }
  let data: unknown;
  try {
    data = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new UsageError('bad-config', `Expected JSON in "${path}", found a mistake (${(error as Error).message}).`, {
      cause: error,
    });
  }
  const parsed = configSchema.safeParse(data);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new UsageError(
      'bad-config',
      `"${path}", ${issue?.path.join('.') || 'top level'}: ${issue?.message ?? 'not understood'}.`,
    );
  }
  // Not `parsed.data`, whose defaults would look as if the file had set them.
  return data as OptionsInput;
}
