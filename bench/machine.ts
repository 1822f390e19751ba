import { createRequire } from 'node:module';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

import { locateFfmpeg } from '../src/media/index.js';
import { VERSION } from '../src/version.js';

/** What was measured, on what, with which versions, when, and how busy the machine was with other work before. */
export async function machineLine(what: string): Promise<string> {
  return `${what}. ${(await machineFacts()).join(', ')}`;
}

export async function machineFacts(): Promise<string[]> {
  const { version } = await locateFfmpeg();
  const onnx = createRequire(import.meta.url)('onnxruntime-node/package.json') as { version: string };
  return [
    `${cpus()[0]?.model}, ${availableParallelism()} threads, ${Math.round(totalmem() / 2 ** 30)} GB`,
    `Node ${process.version}`,
    `ffmpeg ${/version (\S+)/.exec(version)?.[1] ?? version}`,
    `onnxruntime ${onnx.version}`,
    `Throughline ${VERSION}`,
    `${new Date().toISOString().slice(0, 10)}, load before ${loadavg()[0]!.toFixed(1)}`,
  ];
}
