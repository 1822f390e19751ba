/**
 * weights: converts published network weights to ONNX graphs, and describes and edits ONNX files, all without the runtime or
 * Python. Files may come from anywhere: they are read as data, never run (docs/rooms/features-weights.md).
 */
export { c3dGraph } from './c3d.js';
export { readCaffe } from './caffe.js';
export { denseLayers, type DenseLayer } from './dense-layers.js';
export { importWeights, readWeights } from './import.js';
export { inOrder, type GraphOptions } from './network.js';
export { describeOnnx, exposeOutput, subtractMean } from './onnx-file.js';
export { readPixelMean } from './pixel-mean.js';
export { valuesOf } from './tensor.js';
export { readTorch } from './torch.js';
export { CAFFE_IMAGENET, SPORTS1M, TORCHVISION } from './training-colours.js';
export type {
  ImportedNetwork,
  ImportOptions,
  NetworkInput,
  NetworkLayer,
  NetworkName,
  OnnxDescription,
  OnnxDimension,
  OnnxValue,
  PerChannel,
  Pool5Padding,
  Weights,
  WeightTensor,
} from './types.js';
