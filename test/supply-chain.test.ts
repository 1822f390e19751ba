import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

import { licenceTrouble, lockedPackages, policy, runtimePackages, writeSbom } from '../scripts/supply-chain.js';

const notices = readFileSync(resolve(import.meta.dirname, '../THIRD-PARTY-NOTICES.md'), 'utf8');

describe('packages of others', () => {
  it('have licences that are allowed, and none that is not goes through', () => {
    expect(runtimePackages().flatMap((one) => licenceTrouble(one) ?? [])).toEqual([]);
    const stranger = { name: 'stranger', place: 'node_modules/none/stranger', version: '1.0.0' };
    expect(licenceTrouble({ ...stranger, license: 'MIT' })).toBeNull();
    expect(licenceTrouble({ ...stranger, license: 'AGPL-3.0' })).toContain('AGPL-3.0');
    expect(licenceTrouble(stranger)).toContain('no licence');
    expect(licenceTrouble({ ...stranger, name: 'h5wasm', license: 'Proprietary' })).toContain('now Proprietary');
  });

  it('run no install script that nobody has looked at', () => {
    const found = lockedPackages().flatMap(({ name, hasInstallScript }) => (hasInstallScript ? [name] : []));
    expect(found.sort()).toEqual(Object.keys(policy.installScripts).sort());
  });

  it('are held to the bytes they had', () => {
    expect(lockedPackages().filter(({ integrity }) => !integrity?.startsWith('sha512-'))).toEqual([]);
  });

  it('are all in the bill of materials, and nothing else is', { tags: 'slow' }, () => {
    const listed = writeSbom().components.map(({ name, version }) => `${name}@${version}`);
    const wanted = runtimePackages().map(({ name, version }) => `${name}@${version}`);
    expect([...new Set(listed)].sort()).toEqual([...new Set(wanted)].sort());
  });

  it('are named in the notices', () => {
    const patterns = [...notices.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell]) =>
      cell!.split(', ').map((name) => name.replaceAll('\\', '').replace(/\*.*$/, '*')),
    );
    const isNamed = (name: string): boolean =>
      patterns.some((pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern));
    expect(runtimePackages().flatMap(({ name }) => (isNamed(name) ? [] : [name]))).toEqual([]);
  });

  it('are asked about, and where npm is not there to ask, that is said', { tags: 'slow' }, () => {
    const root = resolve(import.meta.dirname, '..');
    const tsx = resolve(root, 'node_modules/tsx/dist/cli.mjs');
    const { status, stdout } = spawnSync(process.execPath, [tsx, 'scripts/audit.ts'], { cwd: root, env: { PATH: '' }, encoding: 'utf8' }); // prettier-ignore
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^audit: not done, npm could not be started/)]);
  });
});
