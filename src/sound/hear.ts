import { CancelledError, messageOf, rescale, type TimeRange } from '../base/index.js';
import { SPEECH_MODEL, type SpeechNetwork } from '../features/index.js';
import { listen, playedTrack, soundClockFilters, type VideoInfo } from '../media/index.js';
import { CURVE_RATE, envelopeMeter, SOUND_RATE, type Envelope } from './envelope.js';
import { speechByEnergy, speechFrom } from './speech.js';

/** What is heard while the pictures of a video run. The curves have 100 values per second from the first picture on. */
export type SoundTrack = Envelope & {
  /** Where somebody speaks, in ticks of the video's time base, in order; they do not overlap. */
  readonly speech: readonly { readonly start: number; readonly end: number }[];
  /** What found the speech. */
  readonly detector: 'network' | 'energy';
};

/** The sound of a video, if it has any, and what was wrong with it, as the end of a sentence that begins with its name. */
export type Heard = { readonly track: SoundTrack | null; readonly warning: string | null };

/**
 * Decodes the sound that a player plays while pictures run (`pictures`), once, in a stream. Without a network, or if it
 * fails, speech is found by energy. A track that cannot be read is a warning, and counts as silent where it is missing.
 */
export async function hear(
  info: VideoInfo,
  pictures: TimeRange,
  network: SpeechNetwork | null,
  signal?: AbortSignal,
): Promise<Heard> {
  const chosen = playedTrack(info);
  if (chosen === undefined) return { track: null, warning: null };
  const clock = { num: 1, den: SOUND_RATE };
  const { start, end, base } = pictures;
  const wanted = rescale(end - start, base, clock, 'ceil');
  const meter = envelopeMeter(Math.ceil((wanted * CURVE_RATE) / SOUND_RATE));
  const stream = network?.open() ?? null;
  const source = { path: info.path, track: chosen.position, from: start, base, clock: soundClockFilters(info) };
  const listening = listen(source, SOUND_RATE, signal);
  let count = 0;
  let complaint: string | null = null;
  try {
    for await (const samples of listening.samples) {
      // Sound after the last picture is not played.
      const own = samples.subarray(0, wanted - count);
      count += own.length;
      meter.push(own);
      await stream?.push(own);
      if (count === wanted) break;
    }
    complaint = listening.complaint();
  } catch (error) {
    if (error instanceof CancelledError || signal?.aborted) throw error;
    complaint = messageOf(error);
  } finally {
    if (count === 0 || signal?.aborted) stream?.cancel();
  }
  const cutOff =
    complaint && `has sound that could not be read to its end (${complaint}); what is missing counts as silent.`;
  if (count === 0) return { track: null, warning: cutOff };
  const envelope = meter.end();
  const probabilities = stream === null ? null : await stream.end().catch((error: unknown) => messageOf(error));
  const failure = typeof probabilities === 'string' ? probabilities : null;
  const isByNetwork = probabilities !== null && typeof probabilities !== 'string';
  const found = isByNetwork ? speechFrom(probabilities, SPEECH_MODEL.windowSamples) : speechByEnergy(envelope.loudness);
  const toTick = (sample: number): number => Math.min(end, start + rescale(sample, clock, base));
  const speech = found
    .map((range) => ({ start: toTick(range.start), end: toTick(range.end) }))
    .filter((range) => range.end > range.start);
  return {
    track: { ...envelope, speech, detector: isByNetwork ? 'network' : 'energy' },
    warning: cutOff ?? (failure && `was searched for speech by energy alone: ${failure}`),
  };
}
