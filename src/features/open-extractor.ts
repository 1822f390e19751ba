import { createHash } from 'node:crypto';
import { basename } from 'node:path';

import { UsageError } from '../base/index.js';
import { embeddedNetwork } from './embedded.js';
import { findStored, locateModel, modelsFolder } from './models.js';
import { type Asked, networkOf, PRESUMED, type Presumed, readModelFile } from './network-of.js';
import { type Network, openNetwork } from './network.js';
import { openShallow } from './shallow.js';
import { type Device, type Extractor, PICTURES_EVERY } from './types.js';

/** Networks that a tool of the repository fetches into the models folder (models/README.md). */
export const FETCHED_NAMES = ['efficientnet-lite4', 'resnet-50'] as const;
type FetchedName = (typeof FETCHED_NAMES)[number];

/** The kinds of features: the embedded network, hand-made ones, networks from a file, networks that were fetched. */
export const FEATURE_NAMES = ['default', 'shallow', 'c3d', 'vgg', 'onnx', ...FETCHED_NAMES] as const;
/** One of `FEATURE_NAMES`. */
export type FeatureName = (typeof FEATURE_NAMES)[number];

/** Which features are wanted, and how they are made. */
export type FeatureChoice = Asked & {
  readonly features: FeatureName;
  /** An ONNX file, or the name of a network in the models folder. */
  readonly model?: string | undefined;
  readonly device?: Device | undefined;
};

/** An extractor, and what the record of a run says about it. */
export type ChosenExtractor = Extractor & {
  /** Of the model file; `null` if there is none. */
  readonly sha256: string | null;
  /** The tensor that is the feature; `null` if there is no network. */
  readonly layer: string | null;
};

/** Opens the extractor that was asked for; it works on up to `workers` samples at a time. */
export async function openExtractor(choice: FeatureChoice, { workers }: { workers: number }): Promise<ChosenExtractor> {
  const { features, device = 'cpu' } = choice;
  if (features === 'shallow') {
    refuseOptions(choice, ['model', 'layer', 'input', 'mean', 'std']);
    if (device !== 'cpu') throw misplaced('device', features);
    return { ...openShallow({ workers }), sha256: null, layer: null };
  }
  if (features === 'default') {
    refuseOptions(choice, ['model', 'layer', 'input', 'mean', 'std']);
    const network = await embeddedNetwork();
    const extractor = openNetwork(network, { workers, every: PICTURES_EVERY, device });
    return { ...extractor, sha256: network.sha256, layer: network.output };
  }
  const network = await chosenNetwork(choice, features, device);
  const every = network.input.frames ?? PICTURES_EVERY;
  const extractor = openNetwork(network, { workers, every, device });
  const version = `${extractor.version}.${preparationOf(network)}`;
  return { ...extractor, version, sha256: network.sha256, layer: network.output };
}

async function chosenNetwork(
  choice: FeatureChoice,
  features: Exclude<FeatureName, 'default' | 'shallow'>,
  device: Device,
): Promise<Network> {
  if (isFetched(features)) refuseOptions(choice, ['model']);
  const presumed: Presumed = isFetched(features) ? PRESUMED.onnx : PRESUMED[features];
  const path = choice.model === undefined ? await storedPath(features) : await locateModel(choice.model);
  const name = features === 'onnx' ? basename(path).replace(/\.onnx$/i, '') : features;
  return networkOf(name, await readModelFile(path), presumed, choice, device);
}

/** The path in the models folder of a network that no file was named for. */
async function storedPath(features: 'c3d' | 'vgg' | 'onnx' | FetchedName): Promise<string> {
  if (features === 'onnx') {
    throw new UsageError(
      'no-model',
      'Expected a network for the features "onnx", found none. Name its file with --model FILE.',
    );
  }
  const name = isFetched(features) ? features : PRESUMED[features].stored;
  const path = await findStored(name);
  if (path !== null) return path;
  const how = isFetched(features)
    ? `Fetch it with "npm run models -- add ${name}" in the source repository.`
    : `Its weights are not included: convert a published file with a tool of the source repository (tools/README.md), or name an ONNX file with --model.`;
  throw new UsageError(
    'no-model',
    `Expected the network "${name}" in the models folder (${modelsFolder()}), found none. ${how}`,
  );
}

function isFetched(name: string): name is FetchedName {
  return (FETCHED_NAMES as readonly string[]).includes(name);
}

/** Identifies everything that is done with a sample besides the model itself: other preparation gives other vectors. */
function preparationOf({ input, output, dim }: Network): string {
  return createHash('sha256')
    .update(JSON.stringify([input, output, dim]))
    .digest('hex')
    .slice(0, 12);
}

function refuseOptions(choice: FeatureChoice, names: readonly (keyof FeatureChoice)[]): void {
  const given = names.find((name) => choice[name] !== undefined);
  if (given !== undefined) throw misplaced(given, choice.features);
}

function misplaced(option: string, features: FeatureName): UsageError {
  return new UsageError(
    'bad-option',
    `Expected the features "${features}" without --${option}, found both. Leave it out, or use "onnx" for a network of your own.`,
  );
}
