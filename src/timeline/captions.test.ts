import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { sampleDocument } from '../render/report/sample.case.js';
import {
  captionsOf,
  CAPTION_FORMATS,
  parseCaptions,
  timelineOfTopic,
  timelineOfVideo,
  writeCaptions,
} from './index.js';
import { footage, RATES } from './timeline.case.js';

const SRT = [
  '1',
  '00:00:01,000 --> 00:00:02,500',
  'Good <i>evening</i>,',
  'R&amp;D &lt;here&gt;',
  '',
  '2',
  '00:00:03,900 --> 00:00:04,100',
  'on we go',
  '',
].join('\r\n');
const VTT = `WEBVTT - a title

STYLE
::cue { color: red }

NOTE nothing

intro
00:01.000 --> 00:02.500 align:start
<v Ana>Good evening,
R&amp;D &lt;here&gt;

00:00:03.900 --> 00:00:04.100
on we go
`;

describe('captions', () => {
  it('are read from SubRip and WebVTT alike', () => {
    const expected = [
      { start: 1000, end: 2500, text: 'Good evening,\nR&D <here>' },
      { start: 3900, end: 4100, text: 'on we go' },
    ];
    expect(parseCaptions(SRT, 'a.srt')).toEqual(expected);
    expect(parseCaptions(VTT, 'a.vtt')).toEqual(expected);
  });

  it('are read as they were written', () => {
    const lines = fc.array(fc.string({ unit: fc.constantFrom('a', '&', '<', '>', '-', 'é', ' ', '1', ':') }), { minLength: 1, maxLength: 3 }); // prettier-ignore
    const text = lines.map((list) => list.map((line) => `x${line}x`).join('\n'));
    const caption = fc.record({ start: fc.nat(10_000_000), length: fc.integer({ min: 1, max: 9999 }), text });
    fc.assert(
      fc.property(fc.array(caption), (list) => {
        const captions = list.map(({ start, length, text: said }) => ({ start, end: start + length, text: said }));
        expect(parseCaptions(writeCaptions(captions, 'vtt'), 'a')).toEqual(captions);
      }),
    );
    const arrow = [{ start: 0, end: 1, text: '00:01.000 --> 00:02.000' }];
    for (const format of CAPTION_FORMATS) expect(parseCaptions(writeCaptions(arrow, format), 'a')).toHaveLength(1);
  });

  it.each(['1 --> 2', '00:61:00.000 --> 00:62:00.000', '00:00:02.000 --> 00:00:01.000', '-->'])(
    'refuse %j, naming the line',
    (line) => {
      expect(() => parseCaptions(`WEBVTT\n\n${line}\nx\n`, 'a.vtt')).toThrow('in "a.vtt", found a problem at line 3');
    },
  );

  it('are moved to where their clips play, cut at the ends of clips, and one across a cut that is none', () => {
    const spec = { base: { num: 1, den: 1000 }, shots: [25, 25, 50], startTick: 7000 };
    const document = sampleDocument([
      footage('a', { ...spec, rate: RATES['25'], chosen: [1] }),
      footage('b', { ...spec, rate: RATES['25'], chosen: [0, 2] }),
    ]);
    const said = (start: number, end: number, text: string) => ({ start, end, text });
    const bySource = new Map([
      ['a', [said(0, 900, 'before'), said(500, 1500, 'cut'), said(1600, 1700, 'in'), said(2000, 3000, 'after')]],
      ['b', [said(500, 2500, 'across')]],
    ]);
    // a plays its second second from 0 s, b its first from 1 s and its third from 2 s.
    expect(captionsOf(timelineOfTopic(document), bySource)).toEqual([
      said(0, 500, 'cut'),
      said(600, 700, 'in'),
      said(1500, 2500, 'across'),
    ]);
    expect(captionsOf(timelineOfVideo(document, 'a'), new Map())).toEqual([]);
  });
});
