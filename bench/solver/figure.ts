/** One line of a figure. */
export type Line = { readonly name: string; readonly points: readonly (readonly [number, number])[] };

/** One panel: both axes logarithmic unless said otherwise. */
export type Panel = {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly linearX?: boolean;
  readonly lines: readonly Line[];
};

const COLORS = ['#0b6e99', '#c2410c', '#4d7c0f', '#7c3aed'];
const WIDTH = 360;
const HEIGHT = 260;
const FRAME = { left: 58, right: 14, top: 34, bottom: 42 };

/** Panels side by side, as an SVG that needs no script, font or style sheet. */
export function drawPanels(panels: readonly Panel[]): string {
  const body = panels.map((panel, k) => `<g transform="translate(${k * WIDTH} 0)">${drawPanel(panel)}</g>`).join('\n');
  const [width, height] = [WIDTH * panels.length, HEIGHT];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
    `font-family="sans-serif" font-size="11">\n<rect width="100%" height="100%" fill="#fff"/>\n${body}\n</svg>\n`
  );
}

function drawPanel({ title, x, y, linearX = false, lines }: Panel): string {
  const points = lines.flatMap((line) => line.points).filter(([, value]) => value > 0);
  const toX = scaleOf(
    points.map(([value]) => value),
    FRAME.left,
    WIDTH - FRAME.right,
    linearX,
  );
  const toY = scaleOf(
    points.map(([, value]) => value),
    HEIGHT - FRAME.bottom,
    FRAME.top,
    false,
  );
  const grid = toY.ticks.map(
    (tick) =>
      `<line x1="${FRAME.left}" x2="${WIDTH - FRAME.right}" y1="${toY.at(tick)}" y2="${toY.at(tick)}" stroke="#ddd"/>` +
      `<text x="${FRAME.left - 5}" y="${toY.at(tick) + 4}" text-anchor="end">${label(tick)}</text>`,
  );
  const feet = toX.ticks.map(
    (tick) => `<text x="${toX.at(tick)}" y="${HEIGHT - FRAME.bottom + 15}" text-anchor="middle">${label(tick)}</text>`,
  );
  // The legend stands where the curves are not: left over rising ones, right over falling ones.
  const rising = lines.every(({ points }) => points.at(-1)![1] > points[0]![1]);
  const [anchor, legend] = rising ? ['start', FRAME.left + 6] : ['end', WIDTH - FRAME.right - 4];
  const drawn = lines.map(({ name, points }, k) => {
    const path = points.filter(([, value]) => value > 0).map(([px, py]) => `${toX.at(px)},${toY.at(py)}`);
    const [color, top] = [COLORS[k % COLORS.length], FRAME.top + 12 + 14 * k];
    return (
      `<polyline points="${path.join(' ')}" fill="none" stroke="${color}" stroke-width="2"/>` +
      path.map((at) => `<circle cx="${at.split(',')[0]}" cy="${at.split(',')[1]}" r="2" fill="${color}"/>`).join('') +
      `<text x="${legend}" y="${top}" text-anchor="${anchor}" fill="${color}">${name}</text>`
    );
  });
  return [
    `<text x="${FRAME.left}" y="20" font-size="13" font-weight="bold">${title}</text>`,
    ...grid,
    ...feet,
    `<text x="${(FRAME.left + WIDTH) / 2}" y="${HEIGHT - 8}" text-anchor="middle">${x}</text>`,
    `<text transform="translate(14 ${HEIGHT / 2}) rotate(-90)" text-anchor="middle">${y}</text>`,
    ...drawn,
  ].join('\n');
}

function scaleOf(
  values: readonly number[],
  from: number,
  to: number,
  linear: boolean,
): { at(v: number): number; ticks: number[] } {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (linear) {
    const step = 10 ** Math.floor(Math.log10(Math.max(1, high))) / 2 || 1;
    const ticks = Array.from({ length: Math.floor(high / step) + 1 }, (_, k) => k * step).filter(
      (tick) => tick <= high,
    );
    return { at: (value) => round(from + ((to - from) * value) / high), ticks };
  }
  const [first, last] = [
    Math.floor(Math.log10(low)),
    Math.max(Math.floor(Math.log10(low)) + 1, Math.ceil(Math.log10(high))),
  ];
  const every = Math.ceil((last - first) / 6);
  const ticks = Array.from({ length: Math.floor((last - first) / every) + 1 }, (_, k) => 10 ** (first + k * every));
  return { at: (value) => round(from + ((to - from) * (Math.log10(value) - first)) / (last - first)), ticks };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function label(tick: number): string {
  if (tick === 0 || (tick >= 0.01 && tick < 10_000)) return String(Number(tick.toPrecision(3)));
  return `1e${Math.round(Math.log10(tick))}`;
}
