/** One vector a shot, shots as rows: entry (shot, k) is `data[shot * dim + k]`. */
export type FeatureMatrix = { readonly shotCount: number; readonly dim: number; readonly data: Float32Array };

/** The pictures an extractor wants of a video: this size, every so many frames. */
export type SampleSpec = { readonly widthPx: number; readonly heightPx: number; readonly every: number };

/** Turns pictures into vectors. Must be closed. */
export type Extractor = {
  readonly name: string;
  /** Changes when the same picture would give another vector: part of the cache key. */
  readonly version: string;
  readonly dim: number;
  readonly sample: SampleSpec;
  /** The vector of one RGB picture of the sample’s size. Calls may overlap; the picture must not change meanwhile. */
  embed(picture: Uint8Array): Promise<Float32Array>;
  close(): Promise<void>;
};
