/** What the lock file says about packages, and what we allow. `npm run licences` prints it and fails where they differ. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const home = resolve(import.meta.dirname, '..');
const readJson = (path: string): unknown => JSON.parse(readFileSync(join(home, path), 'utf8'));

type Locked = {
  version: string;
  license?: string;
  integrity?: string;
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  hasInstallScript?: boolean;
};
type Policy = {
  allowed: string[];
  exceptions: Record<string, { licence: string; why: string }>;
  installScripts: Record<string, string>;
};
export type Package = Locked & { readonly name: string; readonly place: string };

export const policy = readJson('scripts/supply-chain.json') as Policy;

/** Every package of the lock file. */
export function lockedPackages(): Package[] {
  const { packages } = readJson('package-lock.json') as { packages: Record<string, Locked> };
  return Object.entries(packages).flatMap(([place, locked]) =>
    place === '' ? [] : [{ ...locked, place, name: place.slice(place.lastIndexOf('node_modules/') + 13) }],
  );
}

/** Those that users get. */
export function runtimePackages(): Package[] {
  return lockedPackages().filter(({ dev, devOptional }) => !dev && !devOptional);
}

/** What is wrong with the licence of a package; `null` if nothing is. An installed package must agree with the lock file. */
export function licenceTrouble({ name, place, license }: Package, rules: Policy = policy): string | null {
  const own = join(home, place, 'package.json');
  const said = existsSync(own) ? (JSON.parse(readFileSync(own, 'utf8')) as { license?: string }).license : license;
  if (said !== license) return `${name}: the lock file says ${license}, the package ${said}`;
  const exception = Object.entries(rules.exceptions).find(([pattern]) => matches(pattern, name))?.[1];
  if (exception)
    return exception.licence === license ? null : `${name}: excepted as ${exception.licence}, now ${license}`;
  if (license !== undefined && rules.allowed.includes(license)) return null;
  return `${name}: ${license ?? 'no licence'} is not among those allowed in scripts/supply-chain.json`;
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

type Sbom = {
  metadata: { component: { 'bom-ref': string; name: string } };
  components: { 'bom-ref': string; name: string; version: string }[];
  dependencies: { ref: string; dependsOn?: string[] }[];
};

/**
 * npm's own list, less what is for development alone. Its `--omit dev` also leaves out what both development and users
 * need.
 */
export function writeSbom(): Sbom {
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: home, encoding: 'utf8', maxBuffer: 1 << 26 });
  if (status !== 0) throw new Error(`Expected a list of packages from "npm sbom", found an error: ${stderr}`);
  const all = JSON.parse(stdout) as Sbom;
  const root = all.metadata.component['bom-ref'];
  const wanted = new Set([root, ...runtimePackages().map(({ name, version }) => `${name}@${version}`)]);
  return {
    ...all,
    metadata: { ...all.metadata, component: { ...all.metadata.component, name: 'throughline' } },
    components: all.components.filter((component) => wanted.has(component['bom-ref'])),
    dependencies: all.dependencies
      .filter(({ ref }) => wanted.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((on) => wanted.has(on)) })),
  };
}
