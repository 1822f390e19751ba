import { chaptersOf, formatMoment } from './chapters.js';
import type { TimelineFormat } from './types.js';
import { element, leaf, xmlFile } from './xml.js';

const NANOSECONDS = 1_000_000_000;

/** Matroska chapters, for `mkvmerge --chapters`: one atom per clip, to the nanosecond. */
export const mkvChapters: TimelineFormat = {
  title: 'Matroska chapters',
  extension: '.chapters.xml',
  write(timeline) {
    const atoms = chaptersOf(timeline, { num: 1, den: NANOSECONDS }).map(({ title, start, end }, at) =>
      element('ChapterAtom', {}, [
        leaf('ChapterUID', at + 1),
        leaf('ChapterTimeStart', formatMoment(start, NANOSECONDS)),
        leaf('ChapterTimeEnd', formatMoment(end, NANOSECONDS)),
        element('ChapterDisplay', {}, [leaf('ChapterString', title), leaf('ChapterLanguage', 'und')]),
      ]),
    );
    const root = element('Chapters', {}, [element('EditionEntry', {}, [leaf('EditionUID', 1), ...atoms])]);
    return { text: xmlFile(root, { comments: timeline.notes }), notes: [] };
  },
};
