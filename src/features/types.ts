/** One vector per shot, shots as rows: entry (shot, k) is `data[shot * dim + k]`. */
export type FeatureMatrix = { readonly shotCount: number; readonly dim: number; readonly data: Float32Array };

/** The same, read some shots at a time. */
export type FeatureSource = Pick<FeatureMatrix, 'shotCount' | 'dim'> & {
  read(first: number, count: number): Promise<FeatureMatrix>;
};

/** A matrix in memory as such a source. */
export function sourceOf(matrix: FeatureMatrix): FeatureSource {
  const { shotCount, dim } = matrix;
  return { shotCount, dim, read: async (first, count) => someShots(matrix, first, count) };
}

/** Some of the rows, as a view. */
export function someShots({ dim, data }: FeatureMatrix, first: number, count: number): FeatureMatrix {
  return { shotCount: count, dim, data: data.subarray(first * dim, (first + count) * dim) };
}

/** The samples of a video that an extractor takes: pictures, or clips of several frames. */
type SampleSpec = {
  readonly widthPx: number;
  readonly heightPx: number;
  /** What a frame is scaled to before its centre is cut out; by default the size of the sample, whatever its shape. */
  readonly scaleTo?: { readonly width: number; readonly height: number } | { readonly shorterSide: number };
  /** Frames between the beginnings of samples: of the video for pictures, of each shot for clips. */
  readonly every: number;
  /** Consecutive frames in a sample. Samples of more than one are clips: they never cross the end of a shot. */
  readonly frames: number;
};

/** Frames from one picture to the next (docs/features.md says why). */
export const PICTURES_EVERY = 24;
/** By default every shot has at least this many frames, so that each contains a picture. */
const SHORTEST_SHOT = 32;

/** The step between pictures. At rates above 30 it is constant in time, not in frames, while every shot still contains one. */
export function picturesEvery(every: number, framesPerSecond: number): number {
  return Math.max(every, Math.min(SHORTEST_SHOT, Math.round((every * framesPerSecond) / 30)));
}

/** Turns pictures or clips into vectors. Must be closed. */
export type Extractor = {
  readonly name: string;
  /** Changes when the same sample would give another vector: part of the cache key. */
  readonly version: string;
  readonly dim: number;
  readonly sample: SampleSpec;
  /** The vector of one sample: its frames one after the other, RGB. Calls may overlap; the bytes must not change meanwhile. */
  embed(sample: Uint8Array): Promise<Float32Array>;
  close(): Promise<void>;
};

/** Where a network runs: the processor, or a graphics device that the runtime was built for. */
export const DEVICES = ['cpu', 'cuda', 'coreml', 'dml'] as const;
/** One of `DEVICES`. */
export type Device = (typeof DEVICES)[number];

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
