import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { planCopy, timePictures, type StoredPicture } from './copy-plan.js';

/** Pictures one tick apart, in storing order; capitals are key pictures. */
function stored(text: string): StoredPicture[] {
  return text
    .trim()
    .split(/\s+/)
    .map((word) => ({ ticks: Number(word.replace('K', '')), isKey: word.startsWith('K') }));
}

const kindsOf = (runs: ReturnType<typeof planCopy>): string[] =>
  runs.map(({ kind, stretch, filmTicks }) => `${kind} ${stretch.start}-${stretch.end} at ${filmTicks}`);

describe('planCopy, by hand', () => {
  // Two groups of six with pictures made from later ones, then a third that goes on.
  const pictures = stored('K0 3 1 2 5 4 K6 9 7 8 11 10 K12 15 13 14 17 16');

  it('copies from key picture to key picture and encodes what is left', () => {
    expect(kindsOf(planCopy(pictures, [{ start: 2, end: 14 }], false))).toEqual([
      'encode 2-6 at 0',
      'copy 6-12 at 4',
      'encode 12-14 at 10',
    ]);
  });

  it('needs no encoding where a stretch begins and ends with groups', () => {
    expect(kindsOf(planCopy(pictures, [{ start: 0, end: 12 }], false))).toEqual(['copy 0-12 at 0']);
  });

  it('copies to the end of the file, and only then past the last key picture', () => {
    expect(kindsOf(planCopy(pictures, [{ start: 12, end: 18 }], true))).toEqual(['copy 12-18 at 0']);
    expect(kindsOf(planCopy(pictures, [{ start: 12, end: 18 }], false))).toEqual(['encode 12-18 at 0']);
    expect(kindsOf(planCopy(pictures, [{ start: 12, end: 16 }], true))).toEqual(['encode 12-16 at 0']);
  });

  it('encodes stretches without a whole group, and goes on in film time', () => {
    expect(
      kindsOf(
        planCopy(
          pictures,
          [
            { start: 1, end: 5 },
            { start: 7, end: 8 },
            { start: 12, end: 18 },
          ],
          true,
        ),
      ),
    ).toEqual([
      // prettier-ignore
      'encode 1-5 at 0',
      'encode 7-8 at 4',
      'copy 12-18 at 5',
    ]);
  });

  it('does not divide where pictures shown before a key picture are stored behind it', () => {
    const open = stored('K0 3 1 2 K6 4 5 9 7 8 K12 10 11 14 13');
    expect(kindsOf(planCopy(open, [{ start: 0, end: 14 }], false))).toEqual(['encode 0-14 at 0']);
  });
});

/** Groups of pictures with pictures made from later ones, and whether each group leans on the one before. */
const groups = fc.array(
  fc.record({ size: fc.integer({ min: 1, max: 7 }), depth: fc.integer({ min: 0, max: 3 }), isOpen: fc.boolean() }),
  { minLength: 1, maxLength: 8 },
);

function storedGroups(list: { size: number; depth: number; isOpen: boolean }[]): StoredPicture[] {
  const pictures: StoredPicture[] = [];
  let ticks = 0;
  for (const { size, depth, isOpen } of list) {
    const group = Array.from({ length: size }, (_, place) => ({ ticks: ticks + place, isKey: place === 0 }));
    // An anchor is stored before the `depth` pictures that are shown before it.
    for (let at = 1; at + depth < group.length; at += depth + 1) group.splice(at, 0, ...group.splice(at + depth, 1));
    // A group that leans on the one before begins with its key picture but keeps the last of those before behind it.
    const leaning = isOpen && pictures.at(-1)?.isKey === false ? pictures.splice(-1) : [];
    pictures.push(group[0]!, ...leaning, ...group.slice(1));
    ticks += size;
  }
  return pictures;
}

describe('planCopy, always', () => {
  it('covers every stretch once, in order, and copies whole groups that stand by themselves', () => {
    fc.assert(
      fc.property(groups, fc.integer({ min: 0, max: 30 }), fc.integer({ min: 1, max: 30 }), (list, start, length) => {
        const pictures = storedGroups(list);
        const end = Math.min(start + length, pictures.length);
        if (start >= end) return;
        const runs = planCopy(pictures, [{ start, end }], true);
        expect(runs[0]!.stretch.start).toBe(start);
        expect(runs.at(-1)!.stretch.end).toBe(end);
        runs.forEach((run, k) => {
          expect(run.filmTicks).toBe(run.stretch.start - start);
          if (k > 0) expect(run.stretch.start).toBe(runs[k - 1]!.stretch.end);
        });
        for (const { kind, stretch } of runs) {
          if (kind === 'encode') continue;
          const inside = ({ ticks }: StoredPicture): boolean => ticks >= stretch.start && ticks < stretch.end;
          const places = pictures.flatMap((picture, place) => (inside(picture) ? [place] : []));
          expect(places).toEqual(places.map((_, k) => places[0]! + k));
          expect(pictures[places[0]!]).toEqual({ ticks: stretch.start, isKey: true });
        }
      }),
    );
  });
});

describe('timePictures', () => {
  it('by hand: a picture shown 10 ticks before its turn in storing delays all by 10', () => {
    const { timings, delay } = timePictures([0, 30, 10, 20], 45);
    expect(delay).toBe(10);
    expect(timings).toEqual([
      { decodeTicks: 0, showTicks: 10, durationTicks: 10 },
      { decodeTicks: 10, showTicks: 40, durationTicks: 10 },
      { decodeTicks: 20, showTicks: 20, durationTicks: 10 },
      { decodeTicks: 30, showTicks: 30, durationTicks: 15 },
    ]);
  });

  it('stores in rising order and shows nothing before it is stored', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 10_000 }), { minLength: 1, maxLength: 40 }), (shown) => {
        const { timings } = timePictures(shown, 20_000);
        timings.forEach(({ decodeTicks, showTicks, durationTicks }, place) => {
          expect(showTicks).toBeGreaterThanOrEqual(decodeTicks);
          expect(durationTicks).toBeGreaterThan(0);
          if (place > 0) expect(decodeTicks).toBeGreaterThan(timings[place - 1]!.decodeTicks);
        });
        expect(timings.some((timing) => timing.showTicks === timing.decodeTicks)).toBe(true);
      }),
    );
  });
});
