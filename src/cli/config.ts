import { readFile } from 'node:fs/promises';

import { UsageError, whyUnreadable } from '../base/index.js';
import { configSchema, flawOfOptions, optionFacts, type OptionsInput } from '../options/index.js';

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
    const names = optionFacts.map(({ name }) => name);
    throw new UsageError('bad-config', flawOfOptions(parsed.error.issues[0], data, names, path));
  }
  // Not `parsed.data`, whose defaults would look as if the file had set them.
  return data as OptionsInput;
}
