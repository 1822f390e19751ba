import { UsageError } from '../../base/index.js';
import { findStored, modelsFolder } from './folder.js';

/** The file meant by a name or a path: what has an ending or a folder is a path, everything else is a stored network. */
export async function locateModel(model: string): Promise<string> {
  if (/[/\\]|\.onnx$/i.test(model)) return model;
  const stored = await findStored(model);
  if (stored !== null) return stored;
  throw new UsageError(
    'no-model',
    `There is no network called "${model}" in the models folder (${modelsFolder()}). "throughline models list" shows those that are; a file is named with its ending .onnx.`,
  );
}
