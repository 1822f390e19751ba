// npx tsx bench/features/networks.ts     CPU time a sample of each kind of features that is there, against the embedded network; writes networks.txt
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { random } from '../../src/base/index.js';
import { EMBEDDED_MODEL, FETCHED_NAMES, readEmbeddedNetwork, type NetworkInput } from '../../src/features/index.js';

import { findStored } from '../../src/features/models.js';
import { networkOf, PRESUMED, readModelFile } from '../../src/features/network-of.js';
import { openOnnx } from '../../src/features/onnx.js';
import { openShallow } from '../../src/features/open-extractor.js';
import { c3dGraph, type WeightTensor } from '../../tools/weights.js';
import { machineLine } from '../machine.js';

const ROUNDS = 11;
const results = fileURLToPath(new URL('networks.txt', import.meta.url));
const machine = await machineLine(`One thread, median of ${ROUNDS} interleaved rounds`);
const { next } = random(1);

/** A kind of features at work on one sample, and what is said of it beside its time. */
type Candidate = {
  readonly name: string;
  readonly unit: 'picture' | 'window';
  readonly remark: string;
  run(): Promise<unknown>;
  close(): Promise<void>;
  readonly times: number[];
};

async function ofNetwork(
  name: string,
  { onnx, input, output }: { onnx: Uint8Array | string; input: NetworkInput; output: string },
  remark: string,
): Promise<Candidate> {
  const { run, close } = await openOnnx(onnx, input.name, output);
  const { frames, height, width } = input;
  const shape = [1, 3, ...(frames === undefined ? [] : [frames]), height, width];
  const values = Float32Array.from({ length: shape.reduce((product, size) => product * size) }, () => 2 * next() - 1);
  return { name, unit: frames === undefined ? 'picture' : 'window', remark, run: () => run(values, shape), close, times: [] }; // prettier-ignore
}

function shallow(): Candidate {
  const { name, sample, embed, close } = openShallow({ workers: 1 });
  const picture = Uint8Array.from({ length: 3 * sample.widthPx * sample.heightPx }, () => 256 * next());
  return { name, unit: 'picture', remark: 'no file', run: () => embed(picture), close, times: [] };
}

/** C3D as published with random weights: those that were trained take the same time. */
function randomC3d(): Promise<Candidate> {
  const widths = [64, 128, 256, 256, 512, 512, 512, 512];
  const names = ['conv1', 'conv2', 'conv3a', 'conv3b', 'conv4a', 'conv4b', 'conv5a', 'conv5b'];
  const shapes = names.map((name, at) => [name, [widths[at]!, widths[at - 1] ?? 3, 3, 3, 3]] as const);
  const tensor = (shape: readonly number[]): WeightTensor => ({
    shape,
    floats() {
      const reach = Math.sqrt(6 / shape.slice(1).reduce((product, size) => product * size, 1));
      const length = shape.reduce((product, size) => product * size);
      return new Uint8Array(Float32Array.from({ length }, () => reach * (2 * next() - 1)).buffer);
    },
  });
  const tensors = [...shapes, ['fc6', [4096, 8192]] as const, ['fc7', [4096, 4096]] as const].flatMap(
    ([name, shape]) => [[`${name}.weight`, tensor(shape)] as const, [`${name}.bias`, tensor([shape[0]!])] as const],
  );
  const { onnx, sidecar } = c3dGraph({ form: 'torch', tensors: new Map(tensors) });
  const remark = `file of ${(onnx.length / 1e6).toFixed(1)} MB, random weights; a window is 16 frames`;
  return ofNetwork('c3d', { onnx, input: sidecar.input, output: 'fc6' }, remark);
}

const sizeOf = async (path: string | URL): Promise<string> =>
  `file of ${((await stat(path)).size / 1e6).toFixed(1)} MB`;
const embedded = await readEmbeddedNetwork();
const candidates = [await ofNetwork(embedded.name, embedded, await sizeOf(EMBEDDED_MODEL.file))];
for (const name of FETCHED_NAMES) {
  const path = await findStored(name);
  if (path === null) continue;
  const network = await networkOf(name, await readModelFile(path), PRESUMED.onnx, {}, 'cpu');
  candidates.push(await ofNetwork(name, network, await sizeOf(path)));
}
candidates.push(shallow(), await randomC3d());

for (let round = 0; round <= ROUNDS; round++) {
  for (const { unit, run, times } of candidates) {
    const samples = unit === 'picture' ? 2 : 1;
    const start = process.cpuUsage();
    for (let done = 0; done < samples; done++) await run();
    const { user, system } = process.cpuUsage(start);
    // The first round warms up.
    if (round > 0) times.push((user + system) / 1000 / samples);
  }
}
for (const { close } of candidates) await close();

const median = (list: number[]): number => list.toSorted((a, b) => a - b)[list.length >> 1]!;
const own = median(candidates[0]!.times);
const rows = new Map(
  candidates.map(({ name, unit, remark, times }) => {
    const ms = median(times);
    const rate = (1000 / ms).toFixed(unit === 'picture' ? 0 : 2);
    const figures = `${ms.toFixed(1)} CPU-ms a ${unit}, ${rate} ${unit}s a CPU-second, ${(ms / own).toFixed(1)} × the embedded network`;
    return [name, `  ${name.padEnd(20)} ${figures}; ${remark}`];
  }),
);
// What is not there now was measured when it was: its row stays, and says so.
const before = existsSync(results) ? readFileSync(results, 'utf8').split('\n').slice(1).filter(Boolean) : [];
for (const line of before) {
  const name = line.trim().split(' ', 1)[0]!;
  if (!rows.has(name)) rows.set(name, line.endsWith('earlier') ? line : `${line}; measured earlier`);
}
const lines = [machine, ...rows.values()];
console.log(lines.join('\n'));
writeFileSync(results, `${lines.join('\n')}\n`);
