import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { sampleDocument } from '../render/report/sample.case.js';
import { fileUrls, relativeUrls, rootUrls, timelineFormats, timelineOfTopic, type Timeline } from './index.js';
import { anyDocument, AWKWARD_NAMES, footage, RATES } from './timeline.case.js';
import { pathOfUrl } from './sources.js';
import { all, at, parseXml, type Node } from './xml.case.js';

const number = (node: Node, ...path: string[]): number => Number(at(node, ...path).text);
const clipItems = (track: Node): Node[] => track.children.filter(({ name }) => name === 'clipitem');

describe('for OpenShot', () => {
  const for_ = (name: 'edl' | 'xmeml', timeline: Timeline): string =>
    timelineFormats[name].write(timeline, 'openshot').text;

  it('an EDL has reel AX, a line each for picture and sound, the path for a name, and counts from zero', () => {
    const spec = { rate: RATES['25'], base: { num: 1, den: 25 }, shots: [50, 50, 50], chosen: [1, 2] };
    const document = sampleDocument([
      footage('a', { ...spec, path: 'a b.mp4', change: { timecode: '10:00:00:00' } }),
      footage('b', { ...spec, rate: RATES['50'], base: { num: 1, den: 50 }, change: { audioTracks: 0 } }),
    ]);
    expect(
      for_('edl', timelineOfTopic(document, undefined, { locate: fileUrls('/media/harbour') })).split('\n'),
    ).toEqual([
      'TITLE: harbour',
      'FCM: NON-DROP FRAME',
      '',
      '001  AX       V     C        00:00:02:00 00:00:06:00 00:00:00:00 00:00:04:00',
      '001  AX       A     C        00:00:02:00 00:00:06:00 00:00:00:00 00:00:04:00',
      '* FROM CLIP NAME: /media/harbour/a b.mp4',
      '002  AX       V     C        00:00:01:00 00:00:03:00 00:00:04:00 00:00:06:00',
      '* FROM CLIP NAME: /media/harbour/b.mp4',
      '',
    ]);
  });

  it('an EDL of a rate that timecode only approximates is refused', () => {
    const ntsc = sampleDocument([footage('a', { rate: RATES['29.97'], base: { num: 1, den: 30_000 }, shots: [50], chosen: [0] })]); // prettier-ignore
    expect(() => for_('edl', timelineOfTopic(ntsc))).toThrow(
      'Expected a whole frame rate in an EDL for OpenShot, which reads timecode as clock time, found 29.97. Export as xmeml, or give another --rate.',
    );
  });

  it('Final Cut Pro 7 XML has a path in every clip, a lock on every track, one rate, and no second sound', () => {
    fc.assert(
      fc.property(anyDocument, (document) => {
        const timeline = timelineOfTopic(document, undefined, { locate: fileUrls('/media/a b') });
        const media = at(parseXml(for_('xmeml', timeline)), 'sequence', 'media');
        const tracks = all(media, 'track');
        expect(tracks.map((track) => at(track, 'locked').text)).toEqual(['FALSE']);
        const items = clipItems(tracks[0]!);
        expect(items.map((item) => at(item, 'file', 'pathurl').text)).toEqual(
          timeline.clips.map(({ source }) => `/media/a b/${timeline.sources.find(({ id }) => id === source)!.path}`),
        );
        items.forEach((item, place) => {
          const { recordIn, recordOut } = timeline.clips[place]!;
          expect(number(item, 'start')).toBe(recordIn);
          expect(number(item, 'out') - number(item, 'in')).toBe(recordOut - recordIn);
        });
      }),
    );
  });
});

describe('where sources are', () => {
  it('is given by URLs that decode to the path, whatever characters it has', () => {
    for (const name of AWKWARD_NAMES) {
      const url = fileUrls('/media/a b')(name);
      expect(url).toMatch(/^file:\/\/\/media\/a%20b\/[\w.~%/-]+$/);
      expect(decodeURIComponent(new URL(url).pathname)).toBe(`/media/a b/${name}`);
    }
    expect(relativeUrls('/media/x', '/media/out')('a b.mp4')).toBe('../x/a%20b.mp4');
    expect(relativeUrls('/media', '/media')('-a%.mp4')).toBe('./-a%25.mp4');
    expect(rootUrls('D:\\my footage\\')('day 1/a b.mp4')).toBe('file:///D:/my%20footage/day%201/a%20b.mp4');
    expect(rootUrls('\\\\nas\\edit')('a.mp4')).toBe('file://nas/edit/a.mp4');
    expect(rootUrls('/Volumes/Edit 2')('../elsewhere/a#1.mp4')).toBe('file:///Volumes/Edit%202/a%231.mp4');
    expect(rootUrls('/Volumes/x/')('/home/me/a.mp4')).toBe('file:///Volumes/x/a.mp4');
    const paths = [
      'file:///D:/my%20footage/a.mp4',
      'file://nas/edit/a.mp4',
      'file://localhost/x/a.mp4',
      '../a%20b.mp4',
    ];
    expect(paths.map(pathOfUrl)).toEqual(['D:/my footage/a.mp4', '//nas/edit/a.mp4', '/x/a.mp4', '../a b.mp4']);
    expect(fileUrls('/m')('half \ud800.mp4')).toBe('file:///m/half%20%EF%BF%BD.mp4');
  });
});
