import { describe, expect, it } from 'vitest';

import { dateVideos } from './index.js';

const file = (name: string, dates: object = {}, seconds = 20) => ({ name, seconds, dates });
const times = (...files: ReturnType<typeof file>[]) => dateVideos(files).map(({ recorded }) => recorded);
const starts = (...files: ReturnType<typeof file>[]) => dateVideos(files).map(({ startSeconds }) => startSeconds);
const utc = (text: string): number => Date.parse(text) / 1000;

describe('the time of a recording', () => {
  it('is the QuickTime date first, with its time zone', () => {
    const dates = { quicktime: '2019-07-24T11:25:40+0300', container: '2019-07-24T08:25:57.000000Z' };
    expect(times(file('a.mov', dates))).toEqual([{ at: '2019-07-24T11:25:40+03:00', from: 'quicktime' }]);
    expect(starts(file('a.mov', dates))).toEqual([utc('2019-07-24T08:25:40Z')]);
  });

  it.each([
    ['VID_20240131_142530.mp4', '2024-01-31T14:25:30'],
    ['clips/IMG_20240131_142530_01.MOV', '2024-01-31T14:25:30'],
    ['2024-01-31 14.25.30.mov', '2024-01-31T14:25:30'],
    ['Screen 2024-01-31 at 14.25.30.mov', '2024-01-31T14:25:30'],
    ['DJI_20240131142530_0001_D.MP4', '2024-01-31T14:25:30'],
    ['20240131_142530.mp4', '2024-01-31T14:25:30'],
  ])('is read from the name %s', (name, at) => {
    expect(times(file(name))).toEqual([{ at, from: 'name' }]);
  });

  it('is not made up from other numbers', () => {
    const names = ['holiday.mp4', '12345678901234567.mp4', 'VID_20240231_142530.mp4', 'IMG-20240131-WA0003.mp4', 'scan_19991399_999999.mp4']; // prettier-ignore
    expect(times(...names.map((name) => file(name)))).toEqual(names.map(() => null));
  });

  it('of a name in UTC and of one in local time meet on one clock, by the zone that a third shows', () => {
    const zoned = file('a.mov', { quicktime: '2024-01-31T14:25:30+0100' });
    const files = [zoned, file('PXL_20240131_132540123.mp4'), file('VID_20240131_142550.mp4')];
    expect(starts(...files)).toEqual([30, 40, 50].map((second) => utc(`2024-01-31T13:25:${second}Z`)));
    expect(times(...files)[2]).toEqual({ at: '2024-01-31T14:25:50+01:00', from: 'name' });
  });

  it('has the zone that name and tag show together, whether the tag is of the start or of the end', () => {
    const start = file('VID_20240131_142530.mp4', { container: '2024-01-31T13:25:31.000000Z' });
    const end = file('VID_20240131_142600.mp4', { container: '2024-01-31T13:26:20.000000Z' });
    expect(starts(start, end)).toEqual([utc('2024-01-31T13:25:30Z'), utc('2024-01-31T13:26:00Z')]);
    // A tag of another day was written by a conversion: the name counts, and nothing is known about its zone.
    const converted = file('VID_20240131_142530.mp4', { container: '2025-06-01T09:07:00.000000Z' });
    expect(times(converted)).toEqual([{ at: '2024-01-31T14:25:30', from: 'name' }]);
  });

  it('is in doubt if the zone of some files is known, and that of others is not', () => {
    const [, local] = times(file('PXL_20240131_132540123.mp4'), file('2024-01-31 14.25.30.mp4'));
    expect(local?.doubt).toBe('its time zone is not known');
  });

  it.each([
    ['1904-01-01T00:00:00.000000Z', 'the clock was not set (1904)'],
    ['1970-01-01T00:00:12.000000Z', 'the clock was not set (1970)'],
  ])('%s is in doubt', (container, doubt) => {
    expect(dateVideos([file('a.mp4', { container })])).toMatchObject([{ recorded: { doubt }, startSeconds: null }]);
  });

  it('is in doubt if a program wrote it', () => {
    const dates = { container: '2024-10-16T00:14:43.000000Z', writer: 'ISO Media file produced by Google Inc.' };
    expect(times(file('a.mp4', dates))[0]?.doubt).toBe('written by a program, not by a camera (Google)');
  });

  it('is in doubt if several files have the same, or one camera would have recorded two at once', () => {
    const container = '2024-01-31T13:25:30.000000Z';
    const doubts = times(file('a.mp4', { container }), file('b.mp4', { container })).map((each) => each?.doubt);
    expect(doubts).toEqual(['the same time as "b.mp4"', 'the same time as "a.mp4"']);
    const batch = [0, 3, 6].map((second) => file(`${second}.mp4`, { container: `2024-01-31T13:25:0${second}Z` }));
    expect(times(...batch).every((each) => each?.doubt?.startsWith('overlaps '))).toBe(true);
    // Two cameras can.
    const rig = batch.map((each) => ({ ...each, dates: { ...each.dates, writer: 'GoPro AVC' } }));
    expect(times(...rig).every((each) => each?.doubt === undefined)).toBe(true);
  });

  it('of the chapters of one recording: each begins where the one before ends', () => {
    const dates = { container: '2024-01-31T14:25:30.000000Z', writer: 'GoPro AVC' };
    const at = utc('2024-01-31T14:25:30Z');
    expect(starts(file('GH020012.MP4', dates, 8), file('GH010012.MP4', dates, 600))).toEqual([at + 600, at]);
  });

  it('is unknown for numbered files of one camera, but their order is known', () => {
    const files = [file('IMG_0034.MOV', {}, 7), file('IMG_0012.MOV', {}, 5)];
    expect(times(...files)).toEqual([{ from: 'number' }, { from: 'number' }]);
    expect(starts(...files)).toEqual([5, 0]);
    expect(starts(file('IMG_0034.MOV'), file('MVI_0012.MOV'))).toEqual([null, null]);
    expect(starts(file('01.mp4'), file('02.mp4'))).toEqual([null, null]);
  });
});
