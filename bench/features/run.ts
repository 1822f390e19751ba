// npx tsx bench/features/run.ts     CPU time a picture by batch size, against one at a time; writes results.txt
import { writeFileSync } from 'node:fs';

import { random } from '../../src/base/index.js';
import { EMBEDDED_MODEL, readEmbeddedNetwork } from '../../src/features/index.js';
import { openOnnx } from '../../src/features/onnx.js';
import { machineLine } from '../machine.js';

const SIZES = [1, 2, 4, 8];
const PICTURES = 8;
const ROUNDS = 15;
const machine = await machineLine(
  `${EMBEDDED_MODEL.name}, one thread; median of ${ROUNDS} interleaved rounds of ${PICTURES} pictures`,
);

const {
  onnx,
  input: { width: widthPx, height: heightPx },
} = await readEmbeddedNetwork();
const session = await openOnnx(onnx, 'input', 'feature');
const { next } = random(1);
const values = Float32Array.from({ length: Math.max(...SIZES) * 3 * widthPx * heightPx }, () => 2 * next() - 1);
const times = new Map(SIZES.map((size) => [size, [] as number[]]));
for (let round = 0; round <= ROUNDS; round++) {
  for (const size of SIZES) {
    const batch = values.subarray(0, size * 3 * widthPx * heightPx);
    const start = process.cpuUsage();
    for (let done = 0; done < PICTURES; done += size) await session.run(batch, [size, 3, heightPx, widthPx]);
    const { user, system } = process.cpuUsage(start);
    // The first round warms up.
    if (round > 0) times.get(size)!.push((user + system) / 1000 / PICTURES);
  }
}
await session.close();

const median = (list: number[]): number => list.toSorted((a, b) => a - b)[list.length >> 1]!;
const single = median(times.get(1)!);
const lines = [
  machine,
  ...SIZES.map((size) => {
    const ms = median(times.get(size)!);
    return `  batches of ${size}   ${ms.toFixed(1)} CPU-ms a picture   ${(ms / single).toFixed(2)} × one at a time`;
  }),
];
console.log(lines.join('\n'));
writeFileSync(new URL('results.txt', import.meta.url), `${lines.join('\n')}\n`);
