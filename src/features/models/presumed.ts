import { SPORTS1M, TORCHVISION, type NetworkInput } from '../weights/index.js';

/** What is assumed about a network whose file has no record. */
export type Presumed = {
  /** Whether it takes pictures or clips; `null` if the file decides. */
  readonly sees: 'pictures' | 'clips' | null;
  readonly input: Omit<NetworkInput, 'name'>;
  /** The dense layer that is the feature, after its ReLU: its name, and which one it is; `null` for the first output. */
  readonly layer: { readonly name: string; readonly dense: number; readonly width: number } | null;
  /** The network of the models folder that is used if no file is named. */
  readonly stored: string | null;
};

/** The networks with a file, by the name of their features. */
export const PRESUMED = {
  c3d: {
    sees: 'clips',
    input: { width: 112, height: 112, frames: 16, scaleTo: { width: 171, height: 128 }, ...SPORTS1M },
    layer: { name: 'fc6', dense: 0, width: 4096 },
    stored: 'c3d',
  },
  vgg: {
    sees: 'pictures',
    input: { width: 224, height: 224, scaleTo: { shorterSide: 256 }, ...TORCHVISION },
    layer: { name: 'fc7', dense: 1, width: 4096 },
    stored: 'vgg16',
  },
  // The whole frame, as for the default network: a record next to the file can ask for the centre instead.
  onnx: {
    sees: null,
    input: { width: 224, height: 224, scaleTo: { width: 224, height: 224 }, ...TORCHVISION },
    layer: null,
    stored: null,
  },
} as const satisfies Readonly<Record<string, Presumed>>;

/** The kinds of features whose network can be a file. */
export type FileFeatures = keyof typeof PRESUMED;
