import { colourGrids, type ColourGrid, type ColourGrids } from './colour-grid.js';

/** Slots of time per second: thumbnails are kept at this rate, whatever the rate of the frames. */
export const SLOTS = 24;
/** A picture that is back within this time, in seconds, makes what lies between a flash. */
const FLASH = 0.17;
/** The same where what lies between is brighter: the light of a camera flash decays slowly. */
const LONG_FLASH = 0.6;
/** Levels of mean luma by which it is brighter. */
const BRIGHTER = 10;
/** Mean luma of a black picture, at most. */
const BLACK = 16;
/** ... and then as different from before as this share of the change at most. */
const BACK = 0.35;
/** Changes below this are never a cut, so what comes after need not be looked at. */
const WORTH_A_LOOK = 3300;

/** Cells of a thumbnail, 4 × 4 pixels each. */
const CELL_PX = 4;
/** Slots that a gradual transition may span. */
const SPANS = [4, 6, 9, 14, 21, 32, 48];
/** A plateau is the mean of so many slots. */
export const PLATEAU = 3;
/** Slots away from a transition at which plateaus are compared with themselves. */
export const awayFrom = (span: number): number => Math.max(PLATEAU, Math.min(span, 12));
/** Slots either side of which the mean pictures are compared, to see where a take shows something else. */
const NOVELTY = SLOTS;
const KEPT = 2 * SLOTS + Math.max(...SPANS) * 2 + 8;

/** What looks like a gradual transition: the last slot before it and the first after it. */
export type Ramp = { readonly from: number; readonly to: number; readonly worth: number };

/** A gradual transition changes at least this share of the colours in the cells of the picture: shaking does not. */
const RAMP_CHANGE = 0.45 * 65_535;
/** ... and the mean picture by so many levels. */
const RAMP_HEIGHT = 11;

/**
 * Above 0 for a transition: both sides differ, both stand still beside it, and between them is a blend, or a short blur.
 * The constants were chosen on the tuning half of bench/shots.
 */
function worthOf(span: number, height: number, unrest: number, misfit: number): number {
  const blend = 0.4 + 0.5 * Math.min(1, height / 30) - unrest - misfit;
  const blur = height >= 24 && span <= 14 ? 0.7 - unrest : 0;
  return Math.max(blend, blur);
}

/** What is measured of the pictures of a video. */
export type Signal = {
  /** Per frame: difference from the frame before, from 0 to 65535. */
  readonly change: Uint16Array;
  /** Per frame: the same, but 0 to less where the picture before comes back, as after a flash. */
  readonly lasting: Uint16Array;
  /** Per slot: mean absolute difference between the second before and the second after, in 1/64 levels. */
  readonly novelty: Uint16Array;
  /** Per slot: contrast of the picture in levels, 0 for a plain one. */
  readonly contrast: Uint16Array;
  readonly ramps: readonly Ramp[];
};

type SignalMeter = { push(picture: Uint8Array, seconds: number): void; end(): Signal };

type Kept = { readonly grid: ColourGrid; luma: number; seconds: number };

export function signalMeter(widthPx: number, heightPx: number): SignalMeter {
  const grids = colourGrids(widthPx, heightPx);
  const thumbs = thumbnails(widthPx, heightPx, grids);
  const [change, lasting] = [growable(), growable()];
  const spare: Kept[] = [];
  /** Frames `first` to `first + recent.length`, oldest first. */
  const recent: Kept[] = [];
  let first = 0;
  let settled = 0;
  let flashEnd = 0;
  let origin: number | null = null;

  const between = (a: number, b: number): number =>
    grids.difference((recent[a - first] as Kept).grid, (recent[b - first] as Kept).grid);

  /**
   * How much of a change at frame t lasts: the least difference between a picture before and one from t on, so nothing after
   * a flash and before its end. `flashEnd` is the frame at which the flash that begins here is over.
   */
  const lastingAt = (t: number, direct: number): number => {
    if (t < flashEnd) return 0;
    const here = recent[t - first] as Kept;
    const before = recent[t - 1 - first] as Kept;
    // Out of black, a picture is no flash.
    const isLit = before.luma >= BLACK && here.luma - before.luma >= BRIGHTER;
    let least = direct;
    for (let b = t + 1; b < first + recent.length; b++) {
      const wait = (recent[b - first] as Kept).seconds - here.seconds;
      if (wait > LONG_FLASH || (wait > FLASH && !isLit)) break;
      // An abrupt return after a while is a cut back.
      if (wait > FLASH && change.at(b) >= BACK * direct) break;
      const there = between(t - 1, b);
      if (there < BACK * direct) {
        flashEnd = b + 1;
        return 0;
      }
      if (wait <= FLASH) least = Math.min(least, there);
    }
    for (let a = t - 2; a >= first && before.seconds - (recent[a - first] as Kept).seconds <= FLASH; a--)
      least = Math.min(least, between(a, t));
    return least;
  };
  const settle = (until: number): void => {
    for (
      ;
      settled < first + recent.length && (recent[settled - first] as Kept).seconds + LONG_FLASH < until;
      settled++
    ) {
      const direct = change.at(settled);
      lasting.push(direct < WORTH_A_LOOK ? direct : lastingAt(settled, direct));
      while (
        first < settled - 1 &&
        (recent[0] as Kept).seconds + LONG_FLASH < (recent[settled - first] as Kept).seconds
      ) {
        spare.push(recent.shift() as Kept);
        first++;
      }
    }
  };

  return {
    push(picture, seconds) {
      origin ??= seconds;
      const kept = spare.pop() ?? { grid: new Uint32Array(grids.length), luma: 0, seconds: 0 };
      grids.describe(picture, kept.grid);
      kept.luma = thumbs.push(picture, kept.grid, seconds - origin);
      kept.seconds = seconds;
      const last = recent.at(-1);
      recent.push(kept);
      change.push(last ? grids.difference(last.grid, kept.grid) : 0);
      settle(seconds);
    },
    end() {
      settle(Infinity);
      return { change: change.values(), lasting: lasting.values(), ...thumbs.end() };
    },
  };
}

type Thumb = Float32Array;

/** Mean pictures of each slot of time in YCbCr, and what is seen by comparing them. */
function thumbnails(widthPx: number, heightPx: number, grids: ColourGrids) {
  const [cols, rows] = [Math.ceil(widthPx / CELL_PX), Math.ceil(heightPx / CELL_PX)];
  const cells = cols * rows;
  const size = 3 * cells;
  const areas = new Float32Array(cells);
  const cellOf = new Uint32Array(widthPx * heightPx);
  for (let y = 0, i = 0; y < heightPx; y++)
    for (let x = 0; x < widthPx; x++, i++) {
      cellOf[i] = Math.floor(y / CELL_PX) * cols + Math.floor(x / CELL_PX);
      (areas[cellOf[i]!] as number)++;
    }
  const ring = Array.from({ length: KEPT }, (): Thumb => new Float32Array(size));
  /** At the place of slot s, the mean of the plateau that begins with it. */
  const plateaus = Array.from({ length: KEPT }, (): Thumb => new Float32Array(size));
  /** The mean picture of the second from a slot on, by slot. */
  const seconds = Array.from({ length: NOVELTY + 1 }, () => ({ from: -1, mean: new Float32Array(size) as Thumb }));
  const gridRing = Array.from({ length: KEPT }, (): ColourGrid => new Uint32Array(grids.length));
  /** Sums over pictures and pixels, in whole numbers: Y, B − Y and R − Y in 256ths. */
  const sum = new Float64Array(size);
  let summed = 0;
  let slot = 0;
  /** Slots without a picture since the last one with one. */
  let empty = 0;
  const novelty = growable();
  const contrast = growable();
  const ramps: Ramp[] = [];
  const before: Thumb = new Float32Array(size);

  const meanOf = (from: number, count: number, into: Thumb): Thumb => {
    into.fill(0);
    for (let s = from; s < from + count; s++) {
      const thumb = ring[s % KEPT] as Thumb;
      for (let i = 0; i < size; i++) (into[i] as number) += thumb[i] as number;
    }
    for (let i = 0; i < size; i++) (into[i] as number) /= count;
    return into;
  };

  const plateauAt = (from: number): Thumb => plateaus[from % KEPT] as Thumb;
  const secondFrom = (from: number): Thumb => {
    const kept = seconds[from % seconds.length]!;
    if (kept.from !== from) meanOf(from, NOVELTY, kept.mean);
    kept.from = from;
    return kept.mean;
  };

  const rampAt = (from: number, to: number): void => {
    const a = plateauAt(from - PLATEAU + 1);
    const b = plateauAt(to);
    const height2 = square(a, b);
    const height = Math.sqrt(height2 / size);
    if (height < RAMP_HEIGHT) return;
    const span = to - from;
    const away = awayFrom(span);
    const still = (thumb: Thumb, s: number): number => Math.sqrt(square(thumb, plateauAt(s)) / height2);
    const unrest = Math.max(still(a, from - PLATEAU + 1 - away), still(b, to + away));
    let misfit = 0;
    for (const share of [0.25, 0.5, 0.75]) {
      const m = ring[Math.round(from + share * span) % KEPT] as Thumb;
      let along = 0;
      for (let i = 0; i < size; i++) along += ((m[i] as number) - (a[i] as number)) * ((b[i] as number) - (a[i] as number)); // prettier-ignore
      const alpha = along / height2;
      let off = 0;
      for (let i = 0; i < size; i++) off += ((m[i] as number) - (a[i] as number) - alpha * ((b[i] as number) - (a[i] as number))) ** 2; // prettier-ignore
      // Blends come in order: a quarter of the way, about a quarter is new.
      const stray = Math.max(0, Math.abs(alpha - share) - 0.25);
      misfit = Math.max(misfit, Math.sqrt(off / height2) + stray);
    }
    const worth = worthOf(span, height, unrest, misfit);
    const grid = (slot: number): ColourGrid => gridRing[slot % KEPT] as ColourGrid;
    if (worth > 0 && grids.difference(grid(from), grid(to)) >= RAMP_CHANGE) ramps.push({ from, to, worth });
  };

  /** What can be said once slot `now` is there. */
  const look = (now: number): void => {
    for (const span of SPANS) {
      const away = awayFrom(span);
      const to = now - away - PLATEAU + 1;
      const from = to - span;
      if (from - PLATEAU + 1 - away >= 0) rampAt(from, to);
    }
    const middleSlot = now - NOVELTY + 1;
    if (middleSlot < 0) return;
    const count = Math.min(NOVELTY, middleSlot);
    let difference = 0;
    if (count > 0) {
      const earlier = count < NOVELTY ? meanOf(middleSlot - count, count, before) : secondFrom(middleSlot - NOVELTY);
      const later = secondFrom(middleSlot);
      for (let i = 0; i < size; i++) difference += Math.abs((earlier[i] as number) - (later[i] as number)) / size;
    }
    novelty.push(Math.min(65535, Math.round(64 * difference)));
  };
  const endPlateau = (): void => {
    const from = slot - PLATEAU + 1;
    if (from >= 0) meanOf(from, PLATEAU, plateauAt(from));
  };
  const close = (): void => {
    empty = summed === 0 ? empty + 1 : 0;
    // Everything that is kept shows the same picture: nothing is new, and no ramp begins or ends.
    if (empty > KEPT) {
      contrast.push(contrast.at(slot - 1));
      novelty.push(0);
      endPlateau();
      slot++;
      return;
    }
    const thumb = ring[slot % KEPT] as Thumb;
    const previous = ring[(slot + KEPT - 1) % KEPT] as Thumb;
    if (summed === 0) {
      thumb.set(previous);
      (gridRing[slot % KEPT] as ColourGrid).set(gridRing[(slot + KEPT - 1) % KEPT] as ColourGrid);
    } else {
      for (let i = 0; i < size; i++) {
        const area = areas[i % cells] as number;
        thumb[i] = (sum[i] as number) / (i < cells ? 256 : 512) / area / summed;
      }
    }
    sum.fill(0);
    summed = 0;
    let [mean, spread] = [0, 0];
    for (let i = 0; i < cells; i++) mean += (thumb[i] as number) / cells;
    for (let i = 0; i < cells; i++) spread += ((thumb[i] as number) - mean) ** 2 / cells;
    contrast.push(Math.round(Math.sqrt(spread)));
    endPlateau();
    look(slot);
    slot++;
  };

  return {
    push(picture: Uint8Array, grid: ColourGrid, seconds: number): number {
      const own = Math.floor(seconds * SLOTS);
      // A long gap counts as a still picture; more slots than are compared would add nothing.
      while (slot < own) close();
      let luma = 0;
      for (let i = 0, at = 0; i < cellOf.length; i++, at += 3) {
        const red = picture[at] as number;
        const blue = picture[at + 2] as number;
        const cell = cellOf[i] as number;
        const Y = 77 * red + 150 * (picture[at + 1] as number) + 29 * blue;
        luma += Y;
        (sum[cell] as number) += Y;
        (sum[cells + cell] as number) += 256 * blue - Y;
        (sum[2 * cells + cell] as number) += 256 * red - Y;
      }
      summed++;
      (gridRing[slot % KEPT] as ColourGrid).set(grid);
      return luma / 256 / (widthPx * heightPx);
    },
    end() {
      close();
      const slots = slot;
      // The last second has no second after it.
      while (novelty.values().length < slots) novelty.push(0);
      return { novelty: novelty.values(), contrast: contrast.values(), ramps };
    },
  };
}

function square(a: Thumb, b: Thumb): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += ((a[i] as number) - (b[i] as number)) ** 2;
  return sum;
}

/** A list of numbers from 0 to 65535, at two bytes each. */
type Growable = { push(value: number): void; at(index: number): number; values(): Uint16Array };

/** An empty list, which doubles its size when it is full. */
function growable(): Growable {
  let room = new Uint16Array(1024);
  let count = 0;
  return {
    push(value) {
      if (count === room.length) {
        const larger = new Uint16Array(2 * room.length);
        larger.set(room);
        room = larger;
      }
      room[count++] = value;
    },
    at: (index) => room[index] as number,
    values: () => room.subarray(0, count),
  };
}
