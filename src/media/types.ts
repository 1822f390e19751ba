import type { Rational } from '../base/index.js';

/** One sound track of a file. `position` counts sound tracks from 0, as ffmpeg's `0:a:N` does. */
export type AudioTrack = {
  readonly position: number;
  readonly codec: string;
  readonly channels: number;
  readonly sampleRate: number;
  readonly language: string | null;
  readonly isDefault: boolean;
};

/** What the numbers of a picture mean as colours, in the decoder's words; `null` if the file does not say. */
export type Colour = {
  readonly matrix: string | null;
  readonly primaries: string | null;
  readonly transfer: string | null;
  /** Brightness uses all of 0 to 255 instead of 16 to 235. */
  readonly isFullRange: boolean;
};

/** How colours of high dynamic range or wide gamut become ordinary ones: the light that is white, and the most, in cd/m². */
export type SdrPlan = { readonly white: number; readonly peak: number };

/** A place where the clock of a file restarts: its frame at `fileTicks` is at `ticks` on the clock that continues. */
export type ClockJump = { readonly ticks: number; readonly fileTicks: number };

/** Tags about the time of a recording, and the camera or program that wrote them. */
export type DateTags = {
  /** `creation_time` of the container, in UTC if the camera keeps to the standard. */
  readonly container?: string;
  /** `com.apple.quicktime.creationdate`, with its time zone. */
  readonly quicktime?: string;
  /** Handler, encoder, make and model, as far as they are stated. */
  readonly writer?: string;
};

/** What the headers of a file say about its picture track, and its sound tracks. */
export type VideoInfo = {
  readonly path: string;
  readonly container: string;
  readonly codec: string;
  readonly pixelFormat: string;
  /** Absent if the file says nothing about it. */
  readonly colour?: Colour;
  readonly interlaced: boolean;
  /** Stored pixels after rotation; multiply the width by `sampleAspect` for the shape on a screen. */
  readonly widthPx: number;
  readonly heightPx: number;
  readonly sampleAspect: Rational;
  /** Clockwise turn the player applies: 0, 90, 180 or 270 degrees. Already applied to decoded frames and sizes. */
  readonly rotationDeg: 0 | 90 | 180 | 270;
  /** Seconds per tick of the picture track's clock. */
  readonly timeBase: Rational;
  /** Frames per second as stated by the file; `null` if it does not say. Only decoding shows whether it is constant. */
  readonly frameRate: Rational | null;
  /** Length in seconds as stated by the file; it may be wrong. `null` if it does not say. */
  readonly durationHint: number | null;
  /** Timecode of the first picture, `hh:mm:ss:ff` or `hh:mm:ss;ff`, if the file states one. */
  readonly timecode?: string;
  /** What the file says about the time of its recording, as it says it; absent if it says nothing. */
  readonly dates?: DateTags;
  readonly audio: readonly AudioTrack[];
  /** Where the clock of the file restarts, once a reading has found that it does. All times are on the continued clock. */
  readonly clock?: readonly ClockJump[] | undefined;
  /** The size or format of the pictures changes on the way, as a reading has found. */
  readonly resizes?: boolean | undefined;
  /** How its colours are converted to ordinary ones, once a reading has decided that; see `planSdr`. */
  readonly sdr?: SdrPlan | undefined;
};

/** The sound track that a player plays: the default one, or the first if none is; `undefined` if there is none. */
export function playedTrack({ audio }: Pick<VideoInfo, 'audio'>): AudioTrack | undefined {
  return audio.find(({ isDefault }) => isDefault) ?? audio[0];
}

/** A stretch of a source, `[start, end)` in ticks of its picture track. */
export type Stretch = { readonly start: number; readonly end: number };

/** A picture size and the frames wanted in it: those whose number is a multiple of `every`. */
export type View = {
  readonly name: string;
  readonly widthPx: number;
  readonly heightPx: number;
  /** What a frame is scaled to before its centre is cut out; by default the size of the view, whatever its shape. */
  readonly scaleTo?: { readonly width: number; readonly height: number } | { readonly shorterSide: number } | undefined;
  readonly every: number;
};

/** One decoded frame: its number, its exact presentation time, and its pictures by view (RGB, 3 bytes per pixel). */
export type Frame = {
  readonly index: number;
  readonly ticks: number;
  /** Ticks that the frame stays on screen, as stated by the stream; `null` if it does not say. */
  readonly durationTicks: number | null;
  readonly pictures: Readonly<Record<string, Uint8Array>>;
};
