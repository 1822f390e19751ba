import { chaptersOf, formatMoment } from './chapters.js';
import type { TimelineFormat } from './types.js';

/** WebVTT chapters for a `<track kind="chapters">` of the film: one cue per clip. */
export const vtt: TimelineFormat = {
  title: 'WebVTT chapters',
  extension: '.chapters.vtt',
  write(timeline) {
    const notes = timeline.notes.map((note) => `NOTE ${plain(note)}`);
    const cues = chaptersOf(timeline, { num: 1, den: 1000 }).map(({ title, start, end }, at) =>
      [String(at + 1), `${formatMoment(start, 1000)} --> ${formatMoment(end, 1000)}`, escape(title)].join('\n'),
    );
    return { text: `${['WEBVTT', ...notes, ...cues].join('\n\n')}\n`, notes: [] };
  },
};

/** A note ends at an empty line, and an arrow in it would make it a cue. */
function plain(note: string): string {
  return note.replace(/\s+/g, ' ').replaceAll('-->', '→');
}

function escape(title: string): string {
  return title.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
