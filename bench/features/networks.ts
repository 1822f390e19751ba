// npx tsx bench/features/networks.ts     CPU time a picture of each network that is there, against the embedded one; writes networks.txt
import { writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { cpus } from 'node:os';

import { random } from '../../src/base/index.js';
import { EMBEDDED_MODEL, readEmbeddedNetwork } from '../../src/features/index.js';
import { ADDABLE_NAMES, findStored, networkOf, PRESUMED, readModelFile } from '../../src/features/models/index.js';
import type { Network } from '../../src/features/network.js';
import { openOnnx } from '../../src/features/onnx.js';

const PICTURES = 2;
const ROUNDS = 11;

const networks: { network: Network; megabytes: number }[] = [
  { network: await readEmbeddedNetwork(), megabytes: (await stat(EMBEDDED_MODEL.file)).size / 1e6 },
];
for (const name of ADDABLE_NAMES) {
  const path = await findStored(name);
  if (path === null) continue;
  const network = await networkOf(name, await readModelFile(path), PRESUMED.onnx, {}, 'cpu');
  networks.push({ network, megabytes: (await stat(path)).size / 1e6 });
}
const { next } = random(1);
const opened = await Promise.all(
  networks.map(async ({ network: { onnx, input, output } }) => ({
    session: await openOnnx(onnx, input.name, output),
    shape: [1, 3, input.height, input.width],
    values: Float32Array.from({ length: 3 * input.height * input.width }, () => 2 * next() - 1),
    times: [] as number[],
  })),
);
for (let round = 0; round <= ROUNDS; round++) {
  for (const { session, shape, values, times } of opened) {
    const start = process.cpuUsage();
    for (let done = 0; done < PICTURES; done++) await session.run(values, shape);
    const { user, system } = process.cpuUsage(start);
    // The first round warms up.
    if (round > 0) times.push((user + system) / 1000 / PICTURES);
  }
}
await Promise.all(opened.map(({ session }) => session.close()));

const median = (list: number[]): number => list.toSorted((a, b) => a - b)[list.length >> 1]!;
const own = median(opened[0]!.times);
const lines = [
  `${cpus()[0]?.model}, Node ${process.version}, one thread; median of ${ROUNDS} interleaved rounds of ${PICTURES} pictures`,
  ...networks.map(({ network, megabytes }, place) => {
    const ms = median(opened[place]!.times);
    const figures = `${ms.toFixed(1)} CPU-ms a picture, ${(1000 / ms).toFixed(0)} pictures a CPU-second, ${(ms / own).toFixed(1)} × the embedded network`;
    return `  ${network.name.padEnd(20)} ${figures}; file of ${megabytes.toFixed(1)} MB`;
  }),
];
console.log(lines.join('\n'));
writeFileSync(new URL('networks.txt', import.meta.url), `${lines.join('\n')}\n`);
