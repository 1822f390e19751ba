import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { locateFfmpeg } from '../src/media/index.js';
import { drawTopic } from './fixtures/drawn-topic.js';
import { programEntry } from './fixtures/program.js';
import { readYaml } from './fixtures/yaml.js';

const root = resolve(import.meta.dirname, '..');
type Step = {
  name: string;
  id?: string;
  shell?: string;
  run?: string;
  uses?: string;
  env?: Record<string, string>;
  'working-directory'?: string;
};
type Action = {
  name: string;
  description: string;
  inputs: Record<string, { description: string; required?: boolean; default?: string }>;
  outputs: Record<string, { description: string; value: string }>;
  runs: { using: string; steps: Step[] };
};
const text = readFileSync(join(root, 'action.yml'), 'utf8');
const action = readYaml(text) as Action;
const summarise = action.runs.steps.find(({ id }) => id === 'summarise')!;
const entry = await programEntry();
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'throughline-action-'));
  await drawTopic({ folder: join(home, 'town'), ffmpeg: (await locateFfmpeg()).path, scale: 0.2, videoCount: 2 });
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** Runs the step as the runner does: its expressions filled in, its script given to bash. */
async function runStep(inputs: Record<string, string>) {
  const output = join(home, `output-${Math.random()}`);
  await writeFile(output, '');
  const filled = Object.entries(summarise.env!).map(([name, expression]) => {
    const [, about, what] = /^\$\{\{ (inputs|github)\.(\w+) \}\}$/.exec(expression)!;
    const value =
      about === 'github' ? dirname(dirname(dirname(entry))) : (inputs[what!] ?? action.inputs[what!]!.default);
    return [name, value!];
  });
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['--noprofile', '--norc', '-eo', 'pipefail', '-c', summarise.run!],
    {
      ...{ cwd: home, encoding: 'utf8' },
      env: {
        ...process.env,
        ...Object.fromEntries(filled),
        GITHUB_OUTPUT: output,
        THROUGHLINE_CACHE: join(home, 'cache'),
      },
    },
  );
  const outputs: Record<string, string> = {};
  for (const [, name, , value] of (await readFile(output, 'utf8')).matchAll(/^(\w+)<<(\S+)\n([^]*?)\n?^\2$/gm)) {
    outputs[name!] = value!;
  }
  return { status, stdout, stderr, outputs };
}

describe('the action for GitHub', () => {
  it('is whole: what it uses is declared, what it declares is used, every output is written', () => {
    expect(action.runs.using).toBe('composite');
    expect(action.description.length).toBeLessThan(125);
    for (const step of action.runs.steps) {
      expect(step.shell, step.name).toBe('bash');
      // Nothing of others is loaded, and no input is text of a script.
      expect(step.uses, step.name).toBeUndefined();
      expect(step.run, step.name).not.toContain('${{');
    }
    const used = [...text.matchAll(/\$\{\{ inputs\.(\w+) \}\}/g)].map(([, name]) => name!);
    expect(used.toSorted()).toEqual(Object.keys(action.inputs).toSorted());
    for (const [name, { description, required, default: usual }] of Object.entries(action.inputs)) {
      expect(description, name).toMatch(/\.$/);
      expect(required === true, name).toBe(usual === undefined);
    }
    for (const [name, { value }] of Object.entries(action.outputs)) {
      expect(value).toBe(`\${{ steps.summarise.outputs.${name} }}`);
      expect(summarise.run).toContain(`${name}<<`);
    }
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
    const named = [...text.matchAll(/npm run (\w+)/g)].map(([, name]) => name!);
    expect(named).toEqual(['build']);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
  });

  it('draws the storyboards of a folder, whatever its name, and says where they are', { tags: 'slow' }, async () => {
    const folder = '-town "$(touch spoilt)"; `touch spoilt` é';
    await rename(join(home, 'town'), join(home, folder));
    const { status, outputs, stderr, stdout } = await runStep({ folder, out: 'out here', film: '2 shots' });
    expect([status, stdout, stderr]).toEqual([0, '', '']);
    expect(outputs['storyboards']!.split('\n')).toEqual(
      ['aiko', 'bruno', 'concept'].map((name) => `out here/${name}.storyboard.png`),
    );
    for (const path of [outputs['report']!, ...outputs['storyboards']!.split('\n')]) {
      expect(existsSync(join(home, path)), path).toBe(true);
    }
    expect(existsSync(join(home, outputs['results']!, 'concept.mp4'))).toBe(true);
    expect(existsSync(join(home, outputs['results']!, 'aiko.mp4'))).toBe(false);
    expect(existsSync(join(home, 'spoilt'))).toBe(false);

    // A video that cannot be used is a warning; a folder without videos is a failure.
    await writeFile(join(home, folder, 'list.mp4'), 'milk, flour, two lemons\n');
    const some = await runStep({ folder, out: 'some' });
    expect(some.status).toBe(0);
    expect(some.stdout).toContain('::warning::');
    const none = await runStep({ folder: 'nowhere' });
    expect(none.status).toBe(2);
    expect(none.outputs).toEqual({});
  });
});
