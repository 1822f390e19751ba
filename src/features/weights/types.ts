/** One array of a weights file. Its values are decoded when asked for, so that unused layers cost nothing. */
export type WeightTensor = {
  readonly shape: readonly number[];
  /** Row-major 32-bit floats, little-endian: a view of the file if they are stored like that, else a new array per call. */
  floats(): Uint8Array;
};

/** A weights file: its tensors by name. A Caffe layer's blobs are named `<layer>.weight` and `<layer>.bias`. */
export type Weights = {
  readonly form: 'torch' | 'caffe';
  readonly tensors: ReadonlyMap<string, WeightTensor>;
};

/** The networks whose weights are published without a graph and can be imported by name. */
export type NetworkName = 'c3d' | 'vgg16';

/** One number per channel, in the `channelOrder` of the sidecar. */
export type PerChannel = readonly [number, number, number];

/** The input that a network expects: (byte − mean) / std, bytes 0 to 255, channels outermost, then frames, rows, columns. */
export type NetworkInput = {
  /** Name of the graph's input. */
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** Consecutive frames of a clip; absent if the network takes single pictures. */
  readonly frames?: number;
  /** What a frame is scaled to before its centre of `width` × `height` is cut out: a size, or a shorter side. */
  readonly scaleTo: { readonly width: number; readonly height: number } | { readonly shorterSide: number };
  readonly channelOrder: 'rgb' | 'bgr';
  readonly mean: PerChannel;
  readonly std: PerChannel;
};

/** A tensor of the graph that can serve as feature: an output, or one `exposeOutput` can make one. */
export type NetworkLayer = {
  readonly name: string;
  readonly dim: number;
  /** `false`: an inner tensor, to be made an output by `exposeOutput` first. */
  readonly isOutput: boolean;
};

/** The record next to an imported graph: which network it is, and the input it expects. Plain JSON. */
type Sidecar = {
  readonly schema: 'network.1';
  readonly network: NetworkName;
  /** The format of the file that the weights came from; channel order and mean depend on it. */
  readonly form: Weights['form'];
  readonly input: NetworkInput;
  /** The graph subtracts a per-pixel mean itself; `input.mean` is then zero. */
  readonly hasPixelMean: boolean;
  /** C3D only: where its last pooling reaches past the picture (docs/rooms/features-weights.md). */
  readonly pool5?: Pool5Padding;
  /** The first is the default feature. */
  readonly layers: readonly NetworkLayer[];
  /** Length of the default feature. */
  readonly dim: number;
};

/** A network ready for the runtime. */
export type ImportedNetwork = { readonly onnx: Uint8Array; readonly sidecar: Sidecar };

/** C3D's last pooling sees 7 × 7 pixels and needs 8: Caffe adds a row and column after, the PyTorch models one on both sides. */
export type Pool5Padding = 'end' | 'both';

/** How weights are imported. Defaults depend on the format of the file and the names of its layers. */
export type ImportOptions = {
  readonly network: NetworkName;
  /** Last dense layer kept; default `fc6` for C3D (the published feature), `fc7` for VGG-16. */
  readonly upTo?: 'fc6' | 'fc7';
  readonly channelOrder?: 'rgb' | 'bgr';
  readonly mean?: PerChannel;
  readonly std?: PerChannel;
  /** A file with a per-pixel training mean (.binaryproto or .npy), subtracted inside the graph in place of `mean`. */
  readonly pixelMean?: Uint8Array;
  readonly pool5?: Pool5Padding;
};

/** A dimension of a declared tensor: a number, a name for a free one, or `null` if the file says nothing. */
export type OnnxDimension = number | string | null;

/** A declared input or output of an ONNX file; `shape` is `null` if even the rank is unknown. */
export type OnnxValue = {
  readonly name: string;
  /** Element type as ONNX names it in lower case (`float`, `float16`, `int64` …), or `type N` for an unknown code. */
  readonly dtype: string;
  readonly shape: readonly OnnxDimension[] | null;
};

/** What an ONNX file says about itself, read without the runtime. */
export type OnnxDescription = {
  /** Without constants that are listed as inputs. */
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
  /** Version of the standard operations. */
  readonly opset: number;
  readonly nodeCount: number;
  /** Every tensor that a node computes, in file order, including outputs. */
  readonly tensors: readonly { readonly name: string; readonly operation: string }[];
};
