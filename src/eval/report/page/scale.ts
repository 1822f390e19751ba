/** A stretch of numbers laid out from left to right. */
export type Scale = {
  readonly ticks: readonly number[];
  /** Where a value is, as an SVG length: `43.21%`. */
  place(value: number): string;
};

/** Steps of a scale are one of these times a power of ten. */
const STEPS = [1, 2, 5, 10];
const STEP_COUNT = 7;
/** Percent kept free at both ends, so that marks there are not cut off. */
const MARGIN = 3;

/** The scale that holds all the values between round ends. */
export function scaleOf(values: readonly number[]): Scale {
  const [least, most] = values.length > 0 ? [Math.min(...values), Math.max(...values)] : [0, 1];
  const range = most - least || Math.abs(most) || 1;
  const power = 10 ** Math.floor(Math.log10(range / STEP_COUNT));
  const step = power * STEPS.find((each) => each * power * STEP_COUNT >= range * (1 - 1e-9))!;
  const first = Math.floor(least / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(most / step - 1e-9));
  return {
    ticks: Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * step).toPrecision(12))),
    place: (value) => {
      const share = (value / step - first) / (last - first);
      return `${Number((MARGIN + (100 - 2 * MARGIN) * share).toFixed(3))}%`;
    },
  };
}

/** The same place on an upright scale, whose zero is at the bottom. */
export function upwards(percent: string): string {
  return `${Number((100 - Number.parseFloat(percent)).toFixed(3))}%`;
}
