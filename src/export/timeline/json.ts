import { timelineSchema, type TimelineFormat } from './types.js';

/** The timeline itself, schema `timeline.1`: everything, in the order of the schema. */
export const json: TimelineFormat = {
  title: 'Timeline JSON',
  extension: '.timeline.json',
  write(timeline) {
    return { text: `${JSON.stringify(timelineSchema.parse(timeline), null, 2)}\n`, notes: [] };
  },
};
