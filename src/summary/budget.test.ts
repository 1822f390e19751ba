import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { budgetTicks, formatBudget, parseBudget, type Budget } from './index.js';

describe('parseBudget', () => {
  it.each<[string, Budget]>([
    ['15%', { kind: 'share', share: 0.15 }],
    ['29 %', { kind: 'share', share: 0.29 }],
    ['0.5%', { kind: 'share', share: 0.005 }],
    ['100%', { kind: 'share', share: 1 }],
    ['30s', { kind: 'seconds', seconds: 30 }],
    ['2.5s', { kind: 'seconds', seconds: 2.5 }],
    ['1m30s', { kind: 'seconds', seconds: 90 }],
    ['1M 30S', { kind: 'seconds', seconds: 90 }],
    ['2m', { kind: 'seconds', seconds: 120 }],
    ['2min', { kind: 'seconds', seconds: 120 }],
    ['1h', { kind: 'seconds', seconds: 3600 }],
    ['0:45', { kind: 'seconds', seconds: 45 }],
    ['90:00', { kind: 'seconds', seconds: 5400 }],
    ['1:02:03.5', { kind: 'seconds', seconds: 3723.5 }],
    ['12 shots', { kind: 'shots', shots: 12 }],
    ['12shots', { kind: 'shots', shots: 12 }],
    ['1 shot', { kind: 'shots', shots: 1 }],
  ])('reads %s', (text, budget) => expect(parseBudget(text)).toEqual(budget));

  it.each([
    '',
    ' ',
    '30',
    'abc',
    '-5s',
    '-10%',
    '15 %%',
    '1.5 shots',
    'shots',
    '%',
    '0:60',
    '1:60:00',
    '1::2',
    '5 s 3 m',
    '1e3s',
  ])('refuses "%s" as no length', (text) =>
    expect(() => parseBudget(text)).toThrow(/Expected a length such as .* which is not a length\./),
  );
  it.each(['0s', '0%', '0 shots', '0:00', '0m0s'])('refuses "%s" as nothing', (text) =>
    expect(() => parseBudget(text)).toThrow(/which is nothing\. Give a share up to 100%/),
  );
  it.each(['101%', '100.1%', '1000%'])('refuses "%s" as more than the video', (text) =>
    expect(() => parseBudget(text)).toThrow(/more than the whole video/),
  );
  it('refuses numbers that cannot be counted', () => {
    expect(() => parseBudget(`${'9'.repeat(400)}s`)).toThrow(/more than can be counted/);
  });
});

const budgets: fc.Arbitrary<Budget> = fc.oneof(
  fc.integer({ min: 1, max: 10_000 }).map((parts) => ({ kind: 'share' as const, share: parts / 10_000 })),
  fc.integer({ min: 1, max: 10_000_000 }).map((millis) => ({ kind: 'seconds' as const, seconds: millis / 1000 })),
  fc.integer({ min: 1, max: 999 }).map((shots) => ({ kind: 'shots' as const, shots })),
);

describe('formatBudget', () => {
  it('writes what people write', () => {
    expect(
      ['15%', '100%', '0.5%', '90s', '2.5s', '1 shot', '12 shots'].map((text) => formatBudget(parseBudget(text))),
    ).toEqual(['15%', '100%', '0.5%', '90s', '2.5s', '1 shot', '12 shots']);
    expect(formatBudget({ kind: 'share', share: 1e-7 })).toBe('0.00001%');
  });

  it('is read back as the same budget', () => {
    fc.assert(
      fc.property(budgets, (budget) => {
        expect(parseBudget(formatBudget(budget))).toEqual(budget);
      }),
    );
  });
});

describe('budgetTicks', () => {
  const total = { start: 500, end: 600, base: { num: 1, den: 25 } };

  it('takes a share of the whole as written, where floats would lose a tick', () => {
    expect(0.29 * 100).toBeLessThan(29);
    expect(budgetTicks({ kind: 'share', share: 0.29 }, total)).toBe(29);
    expect(budgetTicks({ kind: 'share', share: 0.299 }, total)).toBe(29);
    expect(budgetTicks({ kind: 'share', share: 1 }, total)).toBe(100);
  });

  it('takes seconds in whole ticks, rounded down', () => {
    expect(budgetTicks({ kind: 'seconds', seconds: 1.16 }, total)).toBe(29);
    expect(budgetTicks({ kind: 'seconds', seconds: 1.1999 }, total)).toBe(29);
    expect(budgetTicks({ kind: 'seconds', seconds: 10 }, { ...total, base: { num: 1001, den: 30_000 } })).toBe(299);
    expect(budgetTicks({ kind: 'seconds', seconds: 1e30 }, total)).toBe(Number.MAX_SAFE_INTEGER);
  });
});
