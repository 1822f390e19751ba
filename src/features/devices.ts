import { openNetworkProcess } from './network-process.js';
import { onnxGraph } from './onnx-graph.js';
import { DEVICES, type Device } from './types.js';
import type { NetworkInput } from './weights/index.js';

/** The devices that work on this machine; each is tried with a network of one operation in a process of its own. */
export async function usableDevices(): Promise<Device[]> {
  const graph = onnxGraph('trial');
  graph.node('Relu', [graph.input('input', [1, 3, 1, 1])], 'output');
  graph.output('output', [1, 3, 1, 1]);
  const size = { width: 1, height: 1 };
  const input: NetworkInput = { ...size, name: 'input', scaleTo: size, channelOrder: 'rgb', mean: [0, 0, 0], std: [1, 1, 1] }; // prettier-ignore
  const onnx = graph.build();
  const tried = await Promise.all(
    DEVICES.map(async (device) => {
      const trial = openNetworkProcess({ onnx, input, output: 'output', dim: 3, device });
      const isUsable = await trial.embed(new Uint8Array(3)).then(
        () => true,
        () => false,
      );
      await trial.close();
      return isUsable;
    }),
  );
  return DEVICES.filter((_, k) => tried[k]);
}
