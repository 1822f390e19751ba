import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { exported, smallC3dFile } from '../../src/features/small-networks.case.js';
import { programEntry } from '../fixtures/program.js';

const entry = await programEntry();
let home: string;

type Outcome = { code: number | null; stdout: string; stderr: string };

/** Runs the real program in a process of its own, with a models folder of its own. */
const throughline = (...args: string[]): Promise<Outcome> => run(entry, ...args);

/** Runs the tool of the repository in the same way. */
const tool = (...args: string[]): Promise<Outcome> =>
  run('--import', import.meta.resolve('tsx'), join(import.meta.dirname, '../../tools/models.ts'), ...args);

function run(...args: string[]): Promise<Outcome> {
  return new Promise((settle) => {
    const child = spawn(process.execPath, args, {
      cwd: home,
      env: {
        ...process.env,
        THROUGHLINE_MODELS: join(home, 'models'),
        THROUGHLINE_CACHE: join(home, 'cache'),
        NO_COLOR: '1',
      },
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.on('close', (code) => settle({ code, stdout, stderr }));
  });
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-cli-models-'));
  await writeFile(join(home, 'c3d.pickle'), smallC3dFile());
});
afterAll(() => rm(home, { recursive: true, force: true }));

describe('throughline doctor', () => {
  it.runIf(process.platform === 'linux')('says which devices a network can compute on', { tags: 'slow' }, async () => {
    const { stdout } = await throughline('doctor', '--json');
    const { findings } = JSON.parse(stdout) as { findings: { name: string }[] };
    expect(findings.find(({ name }) => name === 'devices')).toEqual({
      ...{ name: 'devices', state: 'good', text: 'cpu; not here: cuda, coreml, dml' },
    });
  });
});

describe('throughline models', () => {
  it('lists and checks weights that a tool converted, and removes them', { tags: 'slow' }, async () => {
    const imported = await tool('import', 'c3d.pickle', '--network', 'c3d', '--mean', '0.4,0.4,0.4');
    expect(imported).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('"c3d" gives 9 numbers') });
    expect((await readdir(join(home, 'models'))).sort()).toEqual(['c3d.json', 'c3d.onnx']);

    const list = await throughline('models', 'list');
    expect(list.code).toBe(0);
    expect(list.stdout).toMatch(/^efficientnet-lite0 +embedded +1280 +4\.8 MB +aa03e4017f54fd5c +Apache-2\.0/m);
    expect(list.stdout).toMatch(/^c3d +stored +9 /m);

    const check = await throughline('models', 'check', 'c3d');
    expect(check.code).toBe(0);
    expect(check.stdout).toMatch(/^inputs +input n × 3 × 16 × 112 × 112 float$/m);
    expect(check.stdout).toMatch(
      /^sees +windows of 16 frames, the 112 × 112 centre of frames scaled to 171 × 128; BGR, minus 102, 102, 102,/m,
    );
    expect(check.stdout).toMatch(/^runs +yes: a black sample gives finite numbers/m);
    const { stdout } = await throughline('models', 'check', join('models', 'c3d.onnx'), '--layer', 'pool5', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ output: 'pool5', dim: 64, opset: 13 });

    expect(await throughline('models', 'remove', 'c3d')).toMatchObject({ code: 0, stdout: 'Removed "c3d".\n' });
    expect(await readdir(join(home, 'models'))).toEqual([]);
  });

  it(
    'takes an ONNX file of any exporter: checks it, stores it with its licence, and tells of one without a record',
    { tags: 'slow' },
    async () => {
      await writeFile(join(home, 'any.onnx'), exported([16, 112, 112], [4096, 8, 5]));
      const presumed = await throughline('models', 'check', 'any.onnx');
      expect(presumed.stdout).toMatch(/^feature +\/classifier\/0\/Relu_output_0, 4096 numbers per sample$/m);
      expect(presumed.stdout).toMatch(/^from +no record next to the file: read as --features c3d takes it;/m);
      const other = await throughline('models', 'check', 'any.onnx', '--features', 'onnx', '--json');
      expect(JSON.parse(other.stdout)).toMatchObject({ presumed: 'onnx', output: 'output', dim: 5 });
      const imported = await throughline('models', 'import', 'any.onnx', '--network', 'c3d', '--licence', 'mine alone');
      expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining('"c3d" gives 4096 numbers') });
      await writeFile(join(home, 'models', 'left.onnx'), exported([8, 8], [5]));
      const { stdout } = await throughline('models', 'list');
      expect(stdout).toMatch(/^c3d +stored +4096 .* mine alone$/m);
      expect(stdout).toMatch(/^left +stored +\? .* Expected a record next to it, found none/m);
      for (const name of ['c3d', 'left']) expect((await throughline('models', 'remove', name)).code).toBe(0);
    },
  );

  it.each([
    [['models', 'import', 'c3d.pickle'], '--network'],
    [['models', 'import', 'c3d.pickle', '--network', 'onnx'], 'the ending .onnx'],
    [['models', 'check', 'nothing'], 'models list'],
    [['models', 'import', 'c3d.pickle', '--network', 'c3d'], 'tools/README.md'],
    [['summarize', '.', '--features', 'c4d'], 'Did you mean c3d?'],
    [['summarize', '.', '--features', 'onnx', '--mean', '123,117,104'], 'three numbers from 0 to 1'],
    [['summarize', '.', '--input', '224'], 'WIDTHxHEIGHT'],
  ])('%j is wrong usage', { tags: 'slow' }, async (args, sentence) => {
    const { code, stderr } = await throughline(...args);
    expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(code).toBe(2);
  });
});
