import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { formatTimecode, parseRate, parseTimecode, RATE_NAMES, type Counting } from './rates.js';
import { countableRate, isCountable, nearestStandard, rateOfNumber, timelineRateFor, framesADay } from './rates.js';

const df30 = parseRate('29.97df');
const df60 = parseRate('59.94df');

describe('timecode', () => {
  // From the counting rule of SMPTE ST 12-1: labels ;00 and ;01 (at 59.94 ;00 to ;03) are left out each minute but every tenth.
  it.each<[Counting, number, string]>([
    [df30, 0, '00:00:00;00'],
    [df30, 1799, '00:00:59;29'],
    [df30, 1800, '00:01:00;02'],
    [df30, 3597, '00:01:59;29'],
    [df30, 3598, '00:02:00;02'],
    [df30, 17_981, '00:09:59;29'],
    [df30, 17_982, '00:10:00;00'],
    [df30, 19_782, '00:11:00;02'],
    [df30, 107_892, '01:00:00;00'],
    [df30, 2_589_407, '23:59:59;29'],
    [df60, 3599, '00:00:59;59'],
    [df60, 3600, '00:01:00;04'],
    [df60, 35_964, '00:10:00;00'],
    [df60, 215_784, '01:00:00;00'],
    [df60, 5_178_815, '23:59:59;59'],
    [parseRate('29.97'), 1800, '00:01:00:00'],
    [parseRate('29.97'), 108_000, '01:00:00:00'],
    [parseRate('23.976'), 86_400, '01:00:00:00'],
    [parseRate('25'), 90_024, '01:00:00:24'],
    [parseRate('59.94'), 59, '00:00:00:59'],
    [{ rate: { num: 120, den: 1 }, dropFrame: false }, 119, '00:00:00:119'],
  ])('%j: frame %i is %s', (counting, frame, label) => {
    expect(formatTimecode(frame, counting)).toBe(label);
    expect(parseTimecode(label, counting)).toBe(frame);
  });

  it('is a clock that counts every label but the dropped ones', () => {
    for (const [counting, nominal, dropped] of [
      [df30, 30, 2],
      [df60, 60, 4],
    ] as const) {
      // prettier-ignore
      let frame = 0;
      for (let minute = 0; minute < 22; minute++) {
        for (let second = 0; second < 60; second++) {
          for (let count = 0; count < nominal; count++) {
            if (second === 0 && count < dropped && minute % 10 !== 0) continue;
            const parts = [Math.floor(minute / 60), minute % 60, second].map((part) => String(part).padStart(2, '0'));
            const label = `${parts.join(':')};${String(count).padStart(2, '0')}`;
            if (formatTimecode(frame, counting) !== label) expect(formatTimecode(frame, counting)).toBe(label);
            frame++;
          }
        }
      }
      expect(framesADay(counting)).toBe(dropped === 2 ? 2_589_408 : 5_178_816);
    }
  });

  it('reads what it writes, and begins again after a day', () => {
    const rates = fc.constantFrom(...RATE_NAMES.map(parseRate));
    fc.assert(
      fc.property(rates, fc.nat(5_178_815), (counting, frame) => {
        const day = framesADay(counting);
        expect(parseTimecode(formatTimecode(frame, counting), counting)).toBe(frame % day);
        expect(formatTimecode(frame - day, counting)).toBe(formatTimecode(frame, counting));
      }),
    );
  });

  it.each([
    ['00:01:00;00', df30],
    ['00:01:00;01', df30],
    ['00:01:00;03', df60],
    ['00:00:00:25', parseRate('25')],
    ['24:00:00:00', parseRate('25')],
    ['00:60:00:00', parseRate('25')],
    ['1:00:00:00', parseRate('25')],
    ['00:00:00', parseRate('25')],
    ['', parseRate('25')],
  ])('has no %s', (label, counting) => expect(parseTimecode(label, counting)).toBeNull());
});

describe('rates', () => {
  it('have the names people use', () => {
    expect(RATE_NAMES.join(' ')).toBe('23.976 24 25 29.97 29.97df 30 50 59.94 59.94df 60');
    expect(parseRate(' 23.98 ')).toEqual({ rate: { num: 24_000, den: 1001 }, dropFrame: false });
    expect(parseRate('29.97DF')).toEqual({ rate: { num: 30_000, den: 1001 }, dropFrame: true });
    for (const text of ['', '25df', '12', '29.97x', 'NaN', '1e3']) {
      expect(() => parseRate(text)).toThrow(/Expected a frame rate of 23.976, 24/);
    }
  });

  it('of timelines suit their sources: the same, else a multiple or a part, else the nearest', () => {
    const pick = (num: number, den = 1): string => {
      const rate = timelineRateFor({ num, den });
      return `${rate.num}/${rate.den}`;
    };
    expect([
      pick(25),
      pick(30_000, 1001),
      pick(15),
      pick(12),
      pick(10),
      pick(120),
      pick(48),
      pick(120_000, 1001),
    ]).toEqual(['25/1', '30000/1001', '30/1', '24/1', '30/1', '60/1', '24/1', '60000/1001']);
    expect(pick(31)).toBe('30/1');
    expect(nearestStandard(29.1)).toEqual({ num: 30_000, den: 1001 });
    expect(nearestStandard(5)).toEqual({ num: 24_000, den: 1001 });
    expect(nearestStandard(1000)).toEqual({ num: 60, den: 1 });
  });

  it('that are nearly a countable one count as it, while no frame gets another number', () => {
    // What ffmpeg guesses for a Matroska file of 29.97, whose clock has milliseconds.
    expect(countableRate({ num: 19_001, den: 634 }, 300)).toEqual({ num: 30_000, den: 1001 });
    expect(countableRate({ num: 2997, den: 100 }, 100_000)).toEqual({ num: 30_000, den: 1001 });
    expect(countableRate({ num: 2997, den: 100 }, 1_000_000)).toBeNull();
    expect(countableRate({ num: 25, den: 2 }, 10)).toBeNull();
    expect([isCountable({ num: 14_000, den: 1001 }), isCountable({ num: 2000, den: 143 })]).toEqual([true, true]);
    expect(isCountable({ num: Number.MAX_SAFE_INTEGER, den: 1 })).toBe(false);
    expect([rateOfNumber(23.98), rateOfNumber(23.976), rateOfNumber(24)].map((rate) => rate?.den)).toEqual([
      1001, 1001, 1,
    ]);
    expect([rateOfNumber(NaN), rateOfNumber(-25), rateOfNumber(12.5), rateOfNumber(Infinity)]).toEqual(
      Array(4).fill(null),
    );
  });
});
