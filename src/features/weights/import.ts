import { UsageError } from '../../base/index.js';
import { c3dGraph } from './c3d.js';
import { readCaffe } from './caffe.js';
import { readTorch } from './torch.js';
import type { ImportedNetwork, ImportOptions, Weights } from './types.js';
import { vggGraph } from './vgg16.js';
import { isZip } from './zip.js';

const GRAPHS = { c3d: c3dGraph, vgg16: vggGraph } as const;

/** Converts a published weights file to an ONNX graph, with the record of the input it expects. */
export function importWeights(file: Uint8Array, options: ImportOptions): ImportedNetwork {
  return GRAPHS[options.network](readWeights(file), options);
}

/** Reads weights in either format: those of PyTorch begin as an archive or a pickle, those of Caffe as a message. */
export function readWeights(file: Uint8Array): Weights {
  const foreign = foreignForm(file);
  if (foreign !== undefined) {
    throw new UsageError(
      'bad-model',
      `Expected PyTorch or Caffe weights, found ${foreign}. Choose a .pth, .pickle or .caffemodel file.`,
    );
  }
  return isZip(file) || file[0] === 0x80 ? readTorch(file) : readCaffe(file);
}

/** Other files that people give by mistake, recognised by their first bytes. */
function foreignForm(file: Uint8Array): string | undefined {
  const start = Buffer.from(file.subarray(0, 16)).toString('latin1');
  if (file.length === 0) return 'an empty file';
  if (start.startsWith('\x89HDF')) return 'an HDF5 file (Keras)';
  if (start.startsWith('\x93NUMPY')) return 'a single NumPy array';
  // An ONNX model begins with its version, which no Caffe file has.
  if (file[0] === 0x08) return 'what looks like ONNX, whose name must end in .onnx';
  if (/^\s*(<|name\s*:|layers?\s*\{)/i.test(start)) return 'a text';
  return undefined;
}
