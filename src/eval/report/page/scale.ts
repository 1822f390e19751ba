/** A stretch of numbers laid out from left to right. */
export type Scale = {
  readonly ticks: readonly number[];
  /** Where a value stands, as an SVG length: `43.21%`. */
  place(value: number): string;
};

/** Steps of a scale are one of these times a power of ten. */
const STEPS = [1, 2, 5, 10];
const STEP_COUNT = 7;
/** Kept free at either end, so that marks at the ends are whole. */
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

/** As `place`, upwards. */
export function upwards(percent: string): string {
  return `${Number((100 - Number.parseFloat(percent)).toFixed(3))}%`;
}
