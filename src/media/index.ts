/**
 * media: files in, frames with exact times out; frames and sound in, files out.
 * All of it runs in ffmpeg processes, which only this room knows about. It does not know what a shot is.
 */
export { copyCuts } from './copy/copy-cuts.js';
export { CopyRefused } from './copy/refusal.js';
export { encodeCuts, type CutRequest } from './cut.js';
export { decode, type Decoding, type StreamChanges } from './decode.js';
export { type Overlay } from './blend.js';
export { type FilmFormat, type PreviewFormat } from './film-encoder.js';
export { decodeKeys, listFrames, missingKeys, type FrameList } from './keys.js';
export { planSdr, wideColours, willConvert } from './hdr.js';
export type { Loudness } from './loudness.js';
export { listen, type Listening } from './listen.js';
export { soundClockFilters, toFileTicks } from './normalise.js';
export { probe, probeMusic } from './probe.js';
export { encodeProxy, isBrowserPlayable, readFirstPicture } from './proxy.js';
export { lastComplaint, MAX_PIXELS, pipeInput, startFfmpeg } from './process.js';
export {
  encodePreview,
  encodeReel,
  layOutReel,
  reelFrames,
  type Fit,
  type Preview,
  type Reel,
  type ReelCard,
  type ReelCut,
  type ReelPart,
  type ReelPlace,
} from './reel.js';
export { type Music } from './reel-sound.js';
export { readStill, type Still } from './still.js';
export { survey, type Survey } from './survey.js';
export { listCodecs, locateFfmpeg, type Tool } from './tools.js';
export {
  playedTrack,
  type AudioTrack,
  type ClockJump,
  type DateTags,
  type SdrPlan,
  type Colour,
  type Frame,
  type VideoInfo,
  type View,
} from './types.js';
