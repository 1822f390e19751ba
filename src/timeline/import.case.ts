import type { SummaryDocument } from '../summary/index.js';
import { sampleDocument } from '../render/report/sample.case.js';
import { importTimeline, parseRate } from './index.js';
import { footage, RATES } from './timeline.case.js';

/** Formats that are read back. */
export const READABLE = ['edl', 'otio', 'json'] as const;

/** Five shots of two seconds at 25; the second and fourth are the summary. */
export function plainDocument(): SummaryDocument {
  const spec = { rate: RATES['25'], shots: [50, 50, 50, 50, 50], chosen: [1, 3] };
  return sampleDocument([
    footage('aiko', { ...spec, base: { num: 1, den: 12_800 }, path: 'Aiko day.mp4', change: { film: 'aiko.mp4' } }),
    footage('ben', { ...spec, base: { num: 1, den: 1000 }, path: 'ben.mkv', change: { timecode: '10:00:00:00' } }),
  ]);
}

/** Reads an edited list of `plainDocument`, or of another. */
export const read = (
  text: string,
  options: { rate?: string; document?: SummaryDocument } = {},
): ReturnType<typeof importTimeline> =>
  importTimeline(text, options.document ?? plainDocument(), {
    file: 'cut.edl',
    counting: options.rate ? parseRate(options.rate) : undefined,
  });
