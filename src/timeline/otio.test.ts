import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { timelineFormats, timelineOfTopic } from './index.js';
import { anyDocument, mixedTopic } from './timeline.case.js';

type Otio = { OTIO_SCHEMA: string; [field: string]: any };

const ITEM = ['metadata', 'name', 'source_range', 'effects', 'markers', 'enabled'];

/** Fields that each schema serialises, as OpenTimelineIO documents them; `children` holds what a composition contains. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  'Timeline.1': ['metadata', 'name', 'global_start_time', 'tracks'],
  'Stack.1': [...ITEM, 'children'],
  'Track.1': [...ITEM, 'children', 'kind'],
  'Clip.2': [...ITEM, 'media_references', 'active_media_reference_key'],
  'Gap.1': ITEM,
  'ExternalReference.1': ['metadata', 'name', 'available_range', 'available_image_bounds', 'target_url'],
  'Marker.2': ['metadata', 'name', 'color', 'comment', 'marked_range'],
  'TimeRange.1': ['start_time', 'duration'],
  'RationalTime.1': ['rate', 'value'],
};

/** Which schemas may stand in which field. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  tracks: ['Stack.1'],
  'Stack.1 children': ['Track.1'],
  'Track.1 children': ['Clip.2', 'Gap.1'],
  markers: ['Marker.2'],
  source_range: ['TimeRange.1'],
  available_range: ['TimeRange.1'],
  marked_range: ['TimeRange.1'],
  start_time: ['RationalTime.1'],
  duration: ['RationalTime.1'],
  global_start_time: ['RationalTime.1'],
  media_references: ['ExternalReference.1'],
};

/** Everything that does not fit the documented schemas. */
function problemsOf(object: Otio): string[] {
  const { OTIO_SCHEMA: schema, ...fields } = object;
  const known = FIELDS[schema];
  if (known === undefined) return [`${schema} is not known`];
  const given = Object.keys(fields).toSorted();
  const problems = String(given) === String(known.toSorted()) ? [] : [`${schema} has ${given}`];
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'metadata' || value === null || typeof value !== 'object') continue;
    const inner: unknown[] = Array.isArray(value)
      ? value
      : name === 'media_references'
        ? Object.values(value)
        : [value];
    const allowed = PLACES[`${schema} ${name}`] ?? PLACES[name] ?? [];
    for (const each of inner as Otio[]) {
      if (!allowed.includes(each.OTIO_SCHEMA)) problems.push(`${schema}.${name} holds ${each.OTIO_SCHEMA}`);
      else problems.push(...problemsOf(each));
    }
  }
  return problems;
}

describe('OpenTimelineIO', () => {
  it('keeps to the documented schemas, and every clip lies in its media', () => {
    fc.assert(
      fc.property(anyDocument, (document) => {
        const timeline = timelineOfTopic(document);
        const root = JSON.parse(timelineFormats.otio.write(timeline).text) as Otio;
        expect(problemsOf(root)).toEqual([]);
        const [video, ...sounds] = root['tracks'].children as Otio[];
        expect(video).toMatchObject({ kind: 'Video', name: 'V1' });
        expect(sounds.map(({ kind, name }) => [kind, name])).toEqual(sounds.map((_, at) => ['Audio', `A${at + 1}`]));
        for (const track of [video!, ...sounds]) expect(track['children']).toHaveLength(timeline.clips.length);
        (video!['children'] as Otio[]).forEach((clip, at) => {
          const { in: from, out } = timeline.clips[at]!;
          const { start_time: start, duration } = clip['source_range'];
          const media = clip['media_references'][clip['active_media_reference_key']].available_range;
          expect(start.rate).toBe(media.start_time.rate);
          expect([start.value - media.start_time.value, duration.value]).toEqual([from, out - from]);
          expect(start.value + duration.value).toBeLessThanOrEqual(media.start_time.value + media.duration.value);
        });
      }),
      { numRuns: 60 },
    );
  });

  it('has a gap on sound tracks where a source has none, as long as its picture', () => {
    const root = JSON.parse(timelineFormats.otio.write(timelineOfTopic(mixedTopic())).text) as Otio;
    const tracks = root['tracks'].children as Otio[];
    expect(tracks.map((track) => track['children'].map((child: Otio) => child.OTIO_SCHEMA[0]).join(''))).toEqual([
      'CCCCCC',
      'CCCCCG',
      'GGCGGG',
      'GGCGGG',
    ]);
    for (const track of tracks) {
      const lengths = track['children'].map((child: Otio) => child['source_range'].duration);
      expect(lengths).toEqual(tracks[0]!['children'].map((child: Otio) => child['source_range'].duration));
    }
  });

  it('is checked: an extra field, a missing one, or one in the wrong place would be found', () => {
    const change = (edit: (root: Otio) => void): string[] => {
      const root = JSON.parse(timelineFormats.otio.write(timelineOfTopic(mixedTopic())).text) as Otio;
      edit(root);
      return problemsOf(root);
    };
    expect(change((root) => (root['extra'] = 1))).toHaveLength(1);
    expect(change((root) => delete root['tracks'].children[0].kind)).toHaveLength(1);
    expect(change((root) => (root['tracks'].children[0].children[0].source_range = { OTIO_SCHEMA: 'Gap.1' }))).toEqual([
      'Clip.2.source_range holds Gap.1',
    ]);
  });
});
