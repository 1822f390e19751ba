import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

import { readYaml } from './fixtures/yaml.js';

const root = resolve(import.meta.dirname, '..');
const read = (name: string): string => readFileSync(resolve(root, name), 'utf8');

type Service = {
  image: string;
  user?: string;
  build?: { context: string; dockerfile: string };
  command?: string[];
  entrypoint?: string[];
  environment?: Record<string, string>;
  read_only?: boolean;
  stop_grace_period?: string;
  expose?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test?: string[]; disable?: boolean };
  volumes?: string[];
};
const compose = readYaml(read('compose.yaml')) as { services: Record<string, Service>; volumes: Record<string, null> };

/** Instructions with their words; a line that ends in a backslash goes on. */
const steps = read('Containerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => ({ name: line.split(' ', 1)[0]!, rest: line.slice(line.indexOf(' ') + 1) }));
const last = (name: string): string => steps.findLast((step) => step.name === name)?.rest ?? '';
/** What is taken from this folder, rather than from another stage. */
const copied = steps
  .filter(({ name, rest }) => name === 'COPY' && !rest.startsWith('--from'))
  .flatMap(({ rest }) => rest.split(' ').slice(0, -1));

/** Every `--option` of a command, as its help tells. */
async function optionsOf(command: string): Promise<Set<string>> {
  const args = ['--import', 'tsx', resolve(root, 'src/cli/main.ts'), command, '--help'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return new Set(stdout.match(/--[a-z][a-z-]*/g));
}

describe('the container file', () => {
  it('copies what is there, and is handed nothing else', () => {
    const allowed = read('.dockerignore').match(/(?<=^!).+$/gm) ?? [];
    expect(read('.dockerignore')).toMatch(/^\*$/m);
    expect([...copied].sort()).toEqual(expect.arrayContaining([...allowed].sort()));
    for (const path of copied) {
      expect(existsSync(resolve(root, path)), path).toBe(true);
      expect(allowed, path).toContain(path);
    }
  });

  it('copies what a build and the package need', () => {
    const { files, scripts } = JSON.parse(read('package.json')) as { files: string[]; scripts: { build: string } };
    for (const named of scripts.build.match(/\S+\.(json|ts)/g) ?? []) expect(copied).toContain(named);
    expect(copied).toContain((JSON.parse(read('tsconfig.build.json')) as { extends: string }).extends.slice(2));
    // A worker does not read: what the package has for people stays outside.
    const pages = ['docs', 'examples', 'skills', 'ARCHITECTURE.md'];
    expect([...copied, ...pages, 'dist']).toEqual(expect.arrayContaining(files));
    for (const page of pages) expect(copied).not.toContain(page);
  });

  it('runs nobody’s install scripts, and not as root', () => {
    for (const { rest } of steps.filter(({ rest: text }) => /npm (ci|prune|install)/.test(text))) {
      expect(rest).toContain('--ignore-scripts');
    }
    expect(last('USER')).toBe('node');
  });

  it('is asked for its health where the worker tells it', () => {
    const words = JSON.parse(last('CMD')) as string[];
    const port = words[words.indexOf('--metrics-port') + 1]!;
    expect(last('HEALTHCHECK')).toContain(`http://127.0.0.1:${port}/health`);
    expect(last('EXPOSE')).toBe(port);
    expect(compose.services['worker']?.expose).toEqual([port]);
  });
});

describe('the compose file', () => {
  const { worker, throughline, redis, bucket } = compose.services as Record<string, Service> & { worker: Service };

  it('names only options that the worker has', async () => {
    const known = await optionsOf('worker');
    for (const words of [JSON.parse(last('CMD')) as string[], worker.command!]) {
      expect(words[0]).toBe('worker');
      for (const word of words.filter((text) => text.startsWith('--'))) expect(known, word).toContain(word);
    }
  });

  it('holds no secret: each comes from outside, and its absence is said', () => {
    for (const [name, service] of Object.entries(compose.services)) {
      for (const [variable, value] of Object.entries(service.environment ?? {})) {
        if (/KEY|SECRET|PASSWORD|AUTH/.test(variable))
          expect(value, `${name}: ${variable}`).toMatch(/^\$\{\w+:\?.+\}$/);
        if (/:\/\/[^/]*@/.test(value)) expect(value, `${name}: ${variable}`).toMatch(/:\/\/:\$\{\w+:\?[^}]+\}@/);
      }
    }
    expect(read('.gitignore').split('\n')).toContain('.env');
  });

  it('tells the program where Redis and the store are', () => {
    for (const service of [worker, throughline!, bucket!]) {
      expect(service.environment?.['THROUGHLINE_REDIS']).toMatch(/@redis:6379$/);
      expect(service.environment?.['AWS_ENDPOINT_URL_S3']).toBe('http://s3:7070');
      expect(service.read_only).toBe(true);
      expect(service.build?.dockerfile).toBe('Containerfile');
    }
    expect(compose.services['s3']?.command).toContain(':7070');
  });

  it('lets tasks finish before it pulls the plug', () => {
    const grace = Number(worker.command![worker.command!.indexOf('--grace') + 1]);
    expect(Number.parseInt(worker.stop_grace_period!, 10)).toBeGreaterThan(grace);
  });

  it('keeps jobs on disk, drops none, and shows no password among the arguments', () => {
    const script = redis!.command!.at(-1)!;
    const [line, ...input] = script.split('\n');
    expect(line).toMatch(/--appendonly yes .*--maxmemory-policy noeviction/);
    expect(line).not.toContain('PASSWORD');
    expect(input.join()).toContain('requirepass $$REDIS_PASSWORD');
    expect(redis!.user).toBe('redis');
  });

  it('waits for services that exist and can tell', () => {
    for (const service of Object.values(compose.services)) {
      for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
        expect(compose.services, name).toHaveProperty(name);
        if (condition === 'service_healthy') expect(compose.services[name]?.healthcheck?.test, name).toBeDefined();
      }
      const named = (service.volumes ?? []).filter((volume) => !volume.startsWith('/'));
      for (const volume of named) expect(compose.volumes).toHaveProperty(volume.split(':')[0]!);
    }
  });
});
