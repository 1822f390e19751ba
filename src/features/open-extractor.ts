import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { NumericError, startWorker, ThroughlineError, UsageError } from '../base/index.js';
import { type RgbPicture, SHALLOW_DIM } from './describe.js';
import { embeddedNetwork } from './embedded.js';
import { findStored, locateModel, modelsFolder } from './models.js';
import { type Asked, networkOf, PRESUMED, type Presumed, readModelFile } from './network-of.js';
import { type Network, openNetwork } from './network.js';
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

const SAMPLE = { widthPx: 128, heightPx: 128, every: PICTURES_EVERY, frames: 1 } as const;

const PICTURE_BYTES = 3 * SAMPLE.widthPx * SAMPLE.heightPx;

/** Raise this when the same picture would give a different vector. */
const VERSION = '1';

/** A thread and the calls waiting for it; it answers in the order it was asked. */
type Lane = { readonly thread: Worker; readonly waiting: Call[] };
type Call = { readonly resolve: (vector: Float32Array) => void; readonly reject: (error: Error) => void };

/**
 * The hand-made features of video co-summarisation (Chu, Song and Jaimes 2015), without weights: CENTRIST, dense SIFT and
 * HSV colour moments, on up to `workers` threads, started when pictures come. docs/features.md
 */
export function openShallow({ workers }: { workers: number }): Extractor {
  const lanes = new Set<Lane>();
  let isClosed = false;

  const open = (): Lane => {
    const lane: Lane = { thread: startWorker(import.meta.url, './describe-thread'), waiting: [] };
    const breakOff = (error: Error): void => {
      lanes.delete(lane);
      for (const call of lane.waiting.splice(0)) call.reject(error);
    };
    lane.thread.on('message', (vector: Float32Array) => lane.waiting.shift()?.resolve(vector));
    lane.thread.on('error', (error) => breakOff(failed(error.message, error)));
    lane.thread.on('exit', (code) => breakOff(isClosed ? closed() : failed(`it ended with code ${code}`)));
    lanes.add(lane);
    return lane;
  };

  /** The least busy thread, or a new one while all are busy. All give the same vectors. */
  const choose = (): Lane => {
    const [best] = [...lanes].sort((a, b) => a.waiting.length - b.waiting.length);
    return best && (best.waiting.length === 0 || lanes.size >= workers) ? best : open();
  };

  return {
    name: 'shallow',
    version: VERSION,
    dim: SHALLOW_DIM,
    sample: SAMPLE,
    async embed(sample) {
      if (isClosed) throw closed();
      if (sample.length !== PICTURE_BYTES) {
        throw new NumericError(
          'bad-picture',
          `Expected a picture of ${SAMPLE.widthPx} × ${SAMPLE.heightPx} pixels (${PICTURE_BYTES} bytes), found ${sample.length} bytes.`,
        );
      }
      const { thread, waiting } = choose();
      return new Promise((resolve, reject) => {
        // A copy: for a view, the whole buffer behind it would be sent.
        const data = new Uint8Array(sample);
        const picture: RgbPicture = { widthPx: SAMPLE.widthPx, heightPx: SAMPLE.heightPx, data };
        waiting.push({ resolve, reject });
        thread.postMessage(picture, [data.buffer]);
      });
    },
    async close() {
      isClosed = true;
      await Promise.all([...lanes].map(({ thread }) => thread.terminate()));
    },
  };
}

function closed(): ThroughlineError {
  return new ThroughlineError(
    'extractor-closed',
    'The shallow features were closed while pictures were still being described.',
  );
}

function failed(reason: string, cause?: Error): ThroughlineError {
  return new ThroughlineError(
    'extractor-failed',
    `A thread of the shallow features failed (${reason}). Check memory and try again.`,
    { cause },
  );
}
