import { UsageError } from '../base/index.js';
import { inTimeline, formatRate } from './rates.js';
import { sourceIndex } from './sources.js';
import type { Target, Timeline, TimelineFormat } from './types.js';

/** Programs that a cut list can be written for, by the name the command line uses, with what they open, the best first. */
export const TARGETS = {
  openshot: { title: 'OpenShot', formats: ['xmeml', 'edl'] },
  kdenlive: { title: 'Kdenlive', formats: ['mlt', 'otio'] },
  shotcut: { title: 'Shotcut', formats: ['mlt'] },
  resolve: { title: 'DaVinci Resolve', formats: ['fcpxml', 'otio', 'xmeml', 'edl'] },
  premiere: { title: 'Premiere Pro', formats: ['xmeml', 'edl'] },
  finalcut: { title: 'Final Cut Pro', formats: ['fcpxml'] },
} as const satisfies Record<Exclude<Target, 'generic'>, { title: string; formats: readonly string[] }>;

/** The ending of a file: that of its format, except that Kdenlive offers to open only files with its own. */
export function endingFor({ extension }: Pick<TimelineFormat, 'extension'>, target: Target): string {
  return target === 'kdenlive' && extension === '.mlt' ? '.kdenlive' : extension;
}

/**
 * A timeline as OpenShot counts it: every frame at the timeline's rate, sources from their first picture (it reads no
 * timecode of theirs), the timeline from zero, no dropped labels, one reel for all.
 */
export function forOpenShot(timeline: Timeline): Timeline {
  const sourceOf = sourceIndex(timeline);
  const clips = timeline.clips.map((clip) => {
    const { from, to } = inTimeline(clip, sourceOf(clip), timeline);
    return { ...clip, in: from, out: to };
  });
  const sources = timeline.sources.map((source) => ({
    ...source,
    ...{ reel: 'AX', rate: timeline.rate, timecodeFrame: 0, timecode: null, dropFrame: false },
  }));
  return { ...timeline, timecodeFrame: 0, dropFrame: false, sources, clips };
}

/** OpenShot takes the labels of an EDL for clock time, which they are only at whole rates. */
export function requireWholeRate({ rate }: Timeline): void {
  if (rate.den === 1) return;
  throw new UsageError(
    'bad-rate',
    `Expected a whole frame rate in an EDL for OpenShot, which reads timecode as clock time, found ${formatRate({ rate, dropFrame: false })}. Export as xmeml, or give another --rate.`,
  );
}
