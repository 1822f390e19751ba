import { UsageError } from '../../base/index.js';
import { findStored, modelsFolder } from './folder.js';

/** The file of a model: with a folder or the ending .onnx it is a path, otherwise the name of a stored network. */
export async function locateModel(model: string): Promise<string> {
  if (/[/\\]|\.onnx$/i.test(model)) return model;
  const stored = await findStored(model);
  if (stored !== null) return stored;
  throw new UsageError(
    'no-model',
    `Expected a network called "${model}" in the models folder (${modelsFolder()}), found none. "throughline models list" shows those that are there; the name of a file needs its ending .onnx.`,
  );
}
