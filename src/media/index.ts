/**
 * media: files in, frames with exact times out; frames and sound in, files out. All of it runs in ffmpeg processes, which
 * only this room knows. It does not know what a shot is.
 *
 * - `decode` gives every frame once, in order, at the tick that the decoder reports; all picture sizes come from one
 *   decoding. A slow reader slows the decoder down.
 * - Every reading begins with the same normalising step: one clock, one size, ordinary colours, whole pictures, upright.
 *   What a whole reading finds is part of `VideoInfo`, so that later readings agree.
 * - Films have exactly the frames asked for, each as long as in the source; a wrong count is an error. Sound fills samples
 *   [round(T_k), round(T_k+1)), so errors do not add up. Seeking changes nothing: where it might, the file is read from its
 *   start.
 * - Encoders run in one thread: with several, x264 gave other bytes under load. An MP4 is encoded in parts, each from a key
 *   picture on, and joined, so the number of encoders at work changes no byte, and parts can be kept.
 * - Files are untrusted: the `file` protocol, known containers, limits on pictures, memory and time (`past-limit`). Lines
 *   of the decoder's report count only with the nonce of that run. Damage is reported by `complaint()`, not thrown.
 */
export { copyCuts } from './copy.js';
export { CopyRefused } from './copy-plan.js';
export { encodeCuts, type CutRequest } from './cut.js';
export { decode, type Decoding } from './decode.js';
export { type Overlay } from './blend.js';
export { type FilmHooks, type PartStore } from './encoder.js';
export { PART_VERSION, type FilmFormat, type PreviewFormat } from './film-encoder.js';
export { decodeKeys, listFrames, missingKeys, type FrameList } from './keys.js';
export { planSdr, wideColours, willConvert } from './colour.js';
export { listen } from './sound.js';
export { soundClockFilters, toFileTicks } from './normalise.js';
export { probe, PROBE_VERSION, probeMusic, requirePlainName } from './probe.js';
export { encodeProxy, isBrowserPlayable, proxyPath, readFirstPicture } from './proxy.js';
export { lastComplaint, MAX_PIXELS, pipeInput, startFfmpeg } from './process.js';
export { encodePreview, encodeReel, layOutReel, reelFrames, type Reel, type ReelCut, type ReelPart } from './reel.js';
export { readStill, type Still } from './still.js';
export { survey, type Survey } from './survey.js';
export { listCodecs, locateFfmpeg } from './tools.js';
export { playedTrack, type ClockJump, type SdrPlan, type Frame, type VideoInfo, type View } from './types.js';
