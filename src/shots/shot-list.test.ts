import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readShotList, shotsFromList, type FrameClock } from './index.js';

/** 100 frames at 25 a second on a clock of 1/12800 s that begins at 6400. */
const clock: FrameClock = {
  frameTicks: Array.from({ length: 100 }, (_, i) => 6400 + i * 512),
  endTicks: 6400 + 100 * 512,
  timeBase: { num: 1, den: 12_800 },
};

function framesOf(text: string, video = 'talk.mp4', on = clock): string {
  return shotsFromList(readShotList(text, 'list.csv'), video, on)
    .shots.map(({ startFrame, endFrame }) => `${startFrame}-${endFrame}`)
    .join(' ');
}

describe('columns and formats', () => {
  it.each([
    ['frames', 'start_frame,end_frame\n0,40\n40,100\n', '0-40 40-100'],
    ['camel case, reversed columns, spaces', 'endFrame, startFrame\n40, 0\n100, 40', '0-40 40-100'],
    ['semicolons and CRLF', 'Start Frame;End Frame\r\n0;40\r\n\r\n40;100\r\n', '0-40 40-100'],
    ['tabs and a byte order mark', '\uFEFFstart_frame\tend_frame\n0\t40', '0-40'],
    ['seconds', 'start_seconds,end_seconds\n0,1.6\n1.6,4', '0-40 40-100'],
    ['clocks', 'start,end\n0:00,0:01.6\n0:00:01.600,0:00:04.000', '0-40 40-100'],
    ['plain times with a point', 'start,end\n0,1.6\n2,3', '0-40 50-75'],
    ['starts only', 'start_frame\n0\n40\n70', '0-40 40-70 70-100'],
    ['quotes', '"start_frame","end_frame","note"\n0,40,"a ""b"", c"', '0-40'],
    ['frames win over times', 'start_seconds,start_frame,end_frame,end_seconds\n9,1,2,9', '1-2'],
    ['JSON array', '[{"startFrame":0,"endFrame":40},{"startFrame":40,"endFrame":100}]', '0-40 40-100'],
    ['JSON object', ' {"shots":[{"start_seconds":0.5,"end_seconds":"0:01"}]}', '13-25'],
    [
      'PySceneDetect, counted from 1',
      'Timecode List:,00:00:01.600\n' +
        'Scene Number,Start Frame,Start Timecode,Start Time (seconds),End Frame,End Timecode,End Time (seconds)\n' +
        '1,1,00:00:00.000,0.000,40,00:00:01.600,1.600\n2,41,00:00:01.600,1.600,100,00:00:04.000,4.000\n',
      '0-40 40-100',
    ],
  ])('reads %s', (_, text, expected) => expect(framesOf(text)).toBe(expected));

  it('keeps gaps: frames between shots belong to none', () => {
    const { shots, takes } = shotsFromList(
      readShotList('start_frame,end_frame\n10,20\n50,60', 'a.csv'),
      'v.mp4',
      clock,
    );
    expect(shots.map((shot) => shot.range.start)).toEqual([6400 + 10 * 512, 6400 + 50 * 512]);
    expect(shots.map((shot) => shot.range.end)).toEqual([6400 + 20 * 512, 6400 + 60 * 512]);
    expect(shots.map((shot) => shot.index)).toEqual([0, 1]);
    expect(shots).toEqual(takes.map((take, index) => ({ ...take, take: index, view: index })));
  });

  it('serves many videos from one list with files', () => {
    const list = 'file,start_frame,end_frame\na/talk.mp4,0,40\nwalk,5,10\ntalk.mp4,40,60\nb\\talk.mp4,70,80';
    expect(framesOf(list, 'topic/a/talk.mp4')).toBe('0-40 40-60');
    expect(framesOf(list, 'topic/walk.mov')).toBe('5-10');
    expect(framesOf(list, 'b/talk.mp4')).toBe('40-60 70-80');
    expect(() => framesOf(list, 'sing.mp4')).toThrow(
      'Expected shots for "sing.mp4" in "list.csv", found only a/talk.mp4, walk, talk.mp4 and 1 more.',
    );
  });
});

describe('times', () => {
  it('mean the first frame at or after them', () => {
    expect(framesOf('start,end\n0.04,0.081')).toBe('1-3');
    expect(framesOf('start,end\n0.041,0.12')).toBe('2-3');
    expect(framesOf('start,end\n0.0399,0.12')).toBe('1-3');
  });

  it('written to the millisecond find their frame at any rate, rounded up or down', () => {
    const rates = fc.constantFrom([1001, 30_000], [1001, 24_000], [1, 30], [1001, 60_000], [1, 7]);
    fc.assert(
      fc.property(
        rates,
        fc.integer({ min: 0, max: 5000 }),
        fc.integer({ min: 1, max: 90 }),
        ([num, den], first, length) => {
          const timeBase = { num: num as number, den: den as number };
          const ntsc = { timeBase, frameTicks: Array.from({ length: 5200 }, (_, i) => i + 17), endTicks: 5217 };
          const written = (frame: number): string => ((frame * timeBase.num) / timeBase.den).toFixed(3);
          const list = `start,end\n${written(first)},${written(first + length)}`;
          expect(framesOf(list, 'v.mp4', ntsc)).toBe(`${first}-${first + length}`);
        },
      ),
    );
  });

  it('may end a little after the last frame', () => {
    expect(framesOf('start,end\n3.0,4.4')).toBe('75-100');
    expect(() => framesOf('start,end\n3.0,4.6')).toThrow(/an end inside the video \(100 frames, 0:04\.000\) in line 2/);
  });
});

describe('refusals name the place, what was found and what to do', () => {
  it.each([
    ['', /Expected shots in "list.csv", found none/],
    ['start_frame,end_frame\n', /Expected shots in "list.csv", found none/],
    ['[]', /Expected shots in "list.csv", found none/],
    ['a,b\n1,2', /Expected columns start_frame and end_frame.*found a, b/],
    ['start,end\n0,40\n40,90', /whether "list.csv" counts frames or seconds.*whole numbers under "start"/],
    ['start_frame,end_frame\n0,40\n40', /Expected 2 columns in line 3 of "list.csv", found 1/],
    ['start_frame,end_frame\n0,40\n\n40,x', /whole frame number, at least 0 under "endframe" in line 4 .* found "x"/],
    ['start_frame,end_frame\n-1,40', /found "-1"/],
    ['start,end\n0:00,00:00:01:12', /Expected seconds or h:mm:ss.mmm under "end" in line 2 .* found "00:00:01:12"/],
    ['start,end\n0:00,0:61', /found "0:61"/],
    ['start_frame,end_frame\n0,40\n30,60', /do not overlap in line 3 .*frame 30 while the shot of line 2 ends at 40/],
    [
      'start_frame,end_frame\n40,60\n0,40',
      /a later start.* in line 3 .*frame 0 after frame 40 in line 2.*Sort the list/,
    ],
    ['start_frame,end_frame\n0,101', /an end inside the video \(100 frames, 0:04.000\) in line 2 .* found frame 101/],
    ['start_frame,end_frame\n100,101', /a start inside the video .* found frame 100/],
    ['start_seconds,end_seconds\n0,1\n50,90', /a start inside the video .* in line 3 .* found 50.*under start_frame/],
    ['start_frame,end_frame\n40,40', /at least one frame in line 2 .* found frames 40 to 40/],
    ['start,end\n0.041,0.06', /at least one frame in line 2/],
    ['start_frame\n5\n5', /at least one frame in line 2/],
    ['{"scenes":[]}', /Expected an array of shots in "list.csv"/],
    ['[{"start_frame":0,"end_frame":40},7]', /Expected an object for entry 2 of "list.csv", found 7/],
    ['[{"start_frame":0,"end_frame":40},{"start_frame":40}]', /under "endframe" in entry 2 .* found ""/],
    ['[{', /Expected JSON in "list.csv"/],
  ])('%j', (text, sentence) => {
    expect(() => framesOf(text)).toThrow(sentence);
    expect(() => framesOf(text)).toThrow(expect.objectContaining({ name: 'UsageError' }));
  });
});
