import { describe, expect, it } from 'vitest';

import { random } from '../../base/index.js';
import { alignTracks } from '../index.js';

/** An onset curve of a place: sounds that begin at no fixed times. */
function place(seconds: number, seed: number): Uint8Array {
  const dice = random(seed);
  return Uint8Array.from({ length: 100 * seconds }, () => (dice.next() < 0.05 ? 80 + 160 * dice.next() : 10 * dice.next())); // prettier-ignore
}

/** What a camera hears of it: from a second on, softer or louder, with onsets of its own. */
function heard(sound: Uint8Array, from: number, seconds: number, seed: number, noise = 40): Uint8Array {
  const dice = random(seed);
  const gain = 0.5 + 0.5 * dice.next();
  return sound
    .slice(100 * from, 100 * (from + seconds))
    .map((value) => Math.min(255, gain * value + noise * dice.next()));
}

const sound = place(120, 1);
const offsets = (tracks: (Uint8Array | null)[]) =>
  alignTracks(tracks)!.map((each) => each && [each.group, each.offsetSeconds]);

describe('alignment by sound', () => {
  it('finds where tracks overlap, to the hundredth of a second, and leaves others alone', () => {
    const tracks = [heard(sound, 30, 40, 2), heard(sound, 12, 30, 3), null, place(40, 9), heard(sound, 55, 30, 4)];
    const found = alignTracks(tracks)!;
    expect(found.map((each) => each && [each.group, Math.round(100 * each.offsetSeconds)])).toEqual([
      [0, 1800],
      [0, 0],
      null,
      null,
      [0, 4300],
    ]);
    for (const each of found) if (each) expect(each.confidence).toBeGreaterThan(7);
  });

  it('keeps events apart, and numbers them by their first video', () => {
    const other = place(60, 5);
    const tracks = [heard(other, 0, 30, 6), heard(sound, 0, 30, 7), heard(sound, 10, 30, 8), heard(other, 5, 30, 9)];
    expect(offsets(tracks)).toEqual([[0, 0], [1, 0], [1, expect.closeTo(10, 1)], [0, expect.closeTo(5, 1)]]); // prettier-ignore
  });

  it('aligns nothing that has no place of its own: silence, short tracks, a strict beat', () => {
    const beat = (from: number) => Uint8Array.from({ length: 3000 }, (_, t) => ((t + from) % 50 === 0 ? 200 : 5));
    expect(offsets([new Uint8Array(3000), new Uint8Array(3000)])).toEqual([null, null]);
    expect(offsets([heard(sound, 0, 3, 1), heard(sound, 0, 3, 2)])).toEqual([null, null]);
    expect(offsets([beat(0), beat(30)])).toEqual([null, null]);
    expect(offsets([])).toEqual([]);
  });

  it('does not align a video that was edited: only a part of it fits', () => {
    const edited = Uint8Array.from([...heard(sound, 0, 8, 5), ...place(22, 6)]);
    expect(offsets([heard(sound, 0, 30, 7), edited])).toEqual([null, null]);
  });

  it('takes a faint pair if a third track confirms it', () => {
    const [a, b, c] = [heard(sound, 0, 20, 1, 0), heard(sound, 5, 20, 2, 470), heard(sound, 8, 20, 3, 0)];
    expect(offsets([a!, b!])).toEqual([null, null]);
    expect(offsets([a!, b!, c!])).toEqual([[0, 0], [0, expect.closeTo(5, 1)], [0, expect.closeTo(8, 1)]]); // prettier-ignore
  });

  it('does not begin what would take too long', () => {
    const track = place(20, 1);
    expect(alignTracks(Array.from({ length: 300 }, () => track))).toBeNull();
  });
});
