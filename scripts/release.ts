/**
 * npm run release -- 1.2.3     makes a release: version, changelog, build, checks of the packed package, commit, tag.
 * Nothing is published: the last line says how. `--dry-run` packs and checks what is there, and changes nothing.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(import.meta.dirname, '..');

/** The changelog with its unreleased entries under a version. Throws if there are none. */
export function releasedChangelog(text: string, version: string, date: string): string {
  const [before, after] = text.split(/^## Unreleased\n/m);
  const entries = after?.split(/^## /m, 1)[0]?.trim();
  if (before === undefined || !entries) {
    throw new Error(
      'Expected entries under "## Unreleased" in CHANGELOG.md, found none. Write what changes for users.',
    );
  }
  return `${before}## Unreleased\n\n## ${version} (${date})\n${after}`;
}

function run(command: string, ...args: string[]): string {
  return execFileSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Installs a package in a folder. Throws if npm warns about it; warnings about npm's own configuration do not count. */
function installIn(folder: string, archive: string): void {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--no-audit', '--no-fund', archive];
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
  const warnings = stderr.split('\n').filter((line) => /^npm (warn|error) (?!Unknown )/.test(line));
  if (status !== 0 || warnings.length > 0)
    throw new Error(`npm install: ${[...warnings, `exit code ${status}`].join('\n')}`);
  console.log(stdout.trim());
  // From its lock file too.
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Packs the package, checks it with two programs, and installs it in an empty project. */
function checkPackage(): void {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-release-'));
  try {
    const [{ filename, size }] = JSON.parse(run('npm', 'pack', '--json', '--pack-destination', folder)) as [
      { filename: string; size: number },
    ];
    const archive = join(folder, filename);
    console.log(`${filename}: ${(size / 1e6).toFixed(1)} MB`);
    console.log(run('npx', 'publint', archive, '--strict'));
    // ESM for Node 20: entry points of CommonJS and of old resolvers are not promised.
    console.log(run('npx', 'attw', archive, '--profile', 'esm-only'));
    installIn(folder, archive);
    console.log(run(process.execPath, join(folder, 'node_modules/throughline-video/dist/cli/main.js'), 'doctor'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function release(version: string): void {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) {
    throw new Error(`Expected a version such as 1.2.3, found "${version}". Name one.`);
  }
  if (run('git', 'status', '--porcelain').trim() !== '') {
    throw new Error('Expected a clean working tree, found changes. Commit them first.');
  }
  const changelog = join(root, 'CHANGELOG.md');
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(changelog, releasedChangelog(readFileSync(changelog, 'utf8'), version, date));
  run('npm', 'version', version, '--no-git-tag-version');
  run('npm', 'run', 'check');
  checkPackage();
  run('git', 'commit', '-am', `release: ${version}`);
  run('git', 'tag', `v${version}`);
  console.log(`Tagged v${version}. Publish with: git push --follow-tags && npm publish`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [asked] = process.argv.slice(2);
  if (asked === '--dry-run') {
    run('npm', 'run', 'build');
    checkPackage();
  } else release(asked ?? '');
}
