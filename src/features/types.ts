/** One vector a shot, shots as rows: entry (shot, k) is `data[shot * dim + k]`. */
export type FeatureMatrix = { readonly shotCount: number; readonly dim: number; readonly data: Float32Array };

/** What an extractor wants to see of a video: pictures, or clips of several frames. */
export type SampleSpec = {
  readonly widthPx: number;
  readonly heightPx: number;
  /** What a frame is scaled to before its centre is cut out; absent = the sample's own size, whatever its shape. */
  readonly scaleTo?: { readonly width: number; readonly height: number } | { readonly shorterSide: number };
  /** A sample begins every so many frames: of the video for pictures, of each shot for clips. */
  readonly every: number;
  /** Consecutive frames in a sample. Samples of more than one are clips: they never cross the end of a shot. */
  readonly frames: number;
};

/** Frames from one picture to the next (docs/features.md says why). */
export const PICTURES_EVERY = 24;
/** Unless told otherwise every shot found has at least this many frames: so each holds a picture. */
const SHORTEST_SHOT = 32;

/** At rates above 30 a picture is taken as often in time, not in frames, as far as every shot still holds one. */
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

/** Where a network computes: the processor, or a graphics device the runtime was built for. */
export const DEVICES = ['cpu', 'cuda', 'coreml', 'dml'] as const;
/** One of `DEVICES`. */
export type Device = (typeof DEVICES)[number];
