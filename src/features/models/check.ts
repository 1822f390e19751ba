import { EMBEDDED_MODEL, readEmbeddedNetwork } from '../embedded.js';
import { openNetwork, type Network } from '../network.js';
import type { Device } from '../types.js';
import { describeOnnx, type OnnxDescription } from '../weights/index.js';
import type { Asked } from './asked.js';
import { locateModel } from './locate.js';
import { likelyFeatures, networkOf, readModelFile } from './network-of.js';
import { PRESUMED, type FileFeatures } from './presumed.js';
import type { NetworkRecord } from './record.js';

/** What is known about a model after reading it and running a black sample through it. */
export type ModelCheck = Pick<Network, 'name' | 'sha256' | 'input' | 'output' | 'dim'> &
  Pick<OnnxDescription, 'inputs' | 'outputs' | 'opset' | 'nodeCount'> & {
    readonly path: string | null;
    readonly bytes: number;
    readonly record: NetworkRecord | null;
    /** The features it was taken for because it has no record; `null` if it has one. */
    readonly presumed: FileFeatures | null;
    /** What its source says about using it. */
    readonly licence: string;
    /** Milliseconds until the first vector, including start and loading, and for the next one. */
    readonly firstMs: number;
    readonly nextMs: number;
  };

/**
 * Checks a model: the embedded one, one of the models folder by its name, or a file. A file without a record gets the input
 * of `features`, or of those that its own input suggests. Throws if its vector is not finite.
 */
export async function checkModel(
  model: string,
  { features, ...asked }: Asked & { readonly features?: FileFeatures | undefined },
  device: Device = 'cpu',
): Promise<ModelCheck> {
  const isEmbedded = model === EMBEDDED_MODEL.name;
  const file = isEmbedded ? null : await readModelFile(await locateModel(model));
  const embedded = file ? null : await readEmbeddedNetwork();
  const presumed = file && !file.record ? (features ?? likelyFeatures(file)) : null;
  const kind = PRESUMED[presumed ?? features ?? 'onnx'];
  const network = embedded ?? (await networkOf(model, file!, kind, asked, device));
  const { onnx } = (file ?? embedded)!;
  const { inputs, outputs, opset, nodeCount } = describeOnnx(onnx);
  const { name, sha256, input, output, dim } = network;
  const extractor = openNetwork(network, { workers: 1, every: 1, device });
  try {
    const black = new Uint8Array(3 * input.width * input.height * (input.frames ?? 1));
    const times = [performance.now()];
    for (let run = 0; run < 2; run++) {
      await extractor.embed(black);
      times.push(performance.now());
    }
    const [began = 0, first = 0, next = 0] = times;
    return {
      ...{ name, sha256, input, output, dim, inputs, outputs, opset, nodeCount },
      path: file?.path ?? null,
      bytes: onnx.length,
      record: file?.record ?? null,
      presumed,
      licence: embedded ? EMBEDDED_MODEL.licence : (file?.record?.licence ?? 'not recorded'),
      firstMs: first - began,
      nextMs: next - first,
    };
  } finally {
    await extractor.close();
  }
}
