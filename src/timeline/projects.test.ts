import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { sampleDocument } from '../render/report/sample.case.js';
import { fileUrls, parseRate, RATE_NAMES, timelineFormats, timelineOfTopic, type Timeline } from './index.js';
import { anyDocument, footage, mixedTopic, RATES } from './timeline.case.js';
import { all, at, parseXml, type Node } from './xml.case.js';

const write = (name: 'mlt' | 'xges', timeline: Timeline): string => timelineFormats[name].write(timeline).text;
const anyTimeline = fc
  .tuple(anyDocument, fc.constantFrom(undefined, ...RATE_NAMES.map(parseRate)))
  .map(([document, counting]) => timelineOfTopic(document, undefined, { counting, locate: fileUrls('/media/a b') }));

describe('MLT XML', () => {
  it('begins with a black track as long as the timeline', () => {
    fc.assert(
      fc.property(anyTimeline, (timeline) => {
        const root = parseXml(write('mlt', timeline));
        const [first] = all(at(root, 'tractor'), 'track');
        const track = all(root, 'playlist').find(({ attributes }) => attributes['id'] === first!.attributes['producer'])!; // prettier-ignore
        const frames = timeline.clips.at(-1)!.recordOut;
        expect(track.children.map(({ attributes }) => attributes)).toEqual([{ producer: 'black', in: '0', out: String(frames - 1) }]); // prettier-ignore
      }),
    );
  });
});

describe('a project of Kdenlive', () => {
  const project = (timeline: Timeline): string => timelineFormats.mlt.write(timeline, 'kdenlive').text;

  it('is as reviewed', async () => {
    const timeline = timelineOfTopic(mixedTopic(), undefined, { locate: fileUrls('/media/harbour'), handles: 12 });
    await expect(project(timeline)).toMatchFileSnapshot('golden/mixed.kdenlive');
  });

  it('plays what MLT XML plays, with the sound of the same clips on a track of its own', () => {
    fc.assert(
      fc.property(anyTimeline, (timeline) => {
        const root = parseXml(project(timeline));
        const list = (id: string): Node => all(root, 'playlist').find(({ attributes }) => attributes['id'] === id)!;
        const plain = all(parseXml(write('mlt', timeline)), 'playlist').find(({ attributes }) => attributes['id'] === 'V1')!; // prettier-ignore
        const places = (nodes: readonly Node[]) => nodes.filter(({ name }) => name === 'entry').map(({ attributes }) => [attributes['in'], attributes['out']]); // prettier-ignore
        expect(places(list('V1.0').children)).toEqual(places(plain.children));
        const heard = timeline.clips.filter(({ source }) => timeline.sources.find(({ id }) => id === source)!.audio.length > 0); // prettier-ignore
        expect(places(list('A1.0').children)).toHaveLength(heard.length);
        const lengths = list('A1.0').children.flatMap(({ name, attributes: said }) => name === 'blank' ? [Number(said['length'])] : name === 'entry' ? [Number(said['out']) - Number(said['in']) + 1] : []); // prettier-ignore
        expect(lengths).toEqual(timeline.clips.map(({ recordIn, recordOut }) => recordOut - recordIn));
        // Every entry of a track is of a source in the bin.
        const idOf = (node: Node): string => all(node, 'property').find(({ attributes }) => attributes['name'] === 'kdenlive:id')!.text; // prettier-ignore
        const bin = new Map(all(root, 'producer').filter(({ attributes }) => attributes['id']!.startsWith('bin.')).map((node) => [idOf(node), node])); // prettier-ignore
        expect(bin.size).toBe(timeline.sources.length);
        for (const entry of [...list('V1.0').children, ...list('A1.0').children])
          if (entry.name === 'entry') expect(bin.has(idOf(entry))).toBe(true);
      }),
    );
  });
});

describe('a project of GStreamer', () => {
  it('plays each clip from the nanosecond at which GStreamer begins its frame, one after the other', () => {
    fc.assert(
      fc.property(anyTimeline, (timeline) => {
        const { num, den } = timeline.rate;
        const frameAt = (nanoseconds: number): number => {
          const frame = Math.round((nanoseconds * num) / (1e9 * den));
          expect(Number((BigInt(frame) * BigInt(den) * 10n ** 9n) / BigInt(num))).toBe(nanoseconds);
          return frame;
        };
        const root = parseXml(write('xges', timeline));
        const clips = all(root, 'clip').map(({ attributes: said }) => {
          const [start, duration, inpoint] = ['start', 'duration', 'inpoint'].map((name) => Number(said[name])) as [number, number, number]; // prettier-ignore
          return { id: said['asset-id'], start, end: start + duration, inpoint };
        });
        expect(clips.map(({ start, end }) => [frameAt(start), frameAt(end)])).toEqual(timeline.clips.map(({ recordIn, recordOut }) => [recordIn, recordOut])); // prettier-ignore
        clips.slice(1).forEach(({ start }, at) => expect(start).toBe(clips[at]!.end));
        const plain = all(parseXml(write('mlt', timeline)), 'playlist').find(({ attributes }) => attributes['id'] === 'V1')!; // prettier-ignore
        expect(clips.map(({ inpoint }) => frameAt(inpoint))).toEqual(all(plain, 'entry').map(({ attributes }) => Number(attributes['in']))); // prettier-ignore
        const known = all(root, 'asset').map(({ attributes }) => attributes['id']);
        for (const { id } of clips) expect(known).toContain(id);
      }),
    );
  });

  it('is refused by no name, and says what relative paths lose', () => {
    const document = sampleDocument([footage('a', { rate: RATES['25'], base: { num: 1, den: 25 }, shots: [50], chosen: [0] })], { topic: 'Café "1"; \\' }); // prettier-ignore
    const { text, notes } = timelineFormats.xges.write(timelineOfTopic(document));
    expect(at(parseXml(text), 'project').attributes['metadatas']).toBe('metadatas, name=(string)"Caf\\303\\251\\ \\"1\\"\\;\\ \\\\";'); // prettier-ignore
    expect(notes).toEqual(['GStreamer finds no files by relative paths: export with absolute ones.']);
  });
});
