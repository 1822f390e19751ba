import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { readPublicTypes } from '../scripts/public-types.js';
import { releasedChangelog } from '../scripts/release.js';
import { programEntry } from './fixtures/program.js';

const root = join(import.meta.dirname, '..');
const dist = dirname(dirname(await programEntry()));

/** The files and packages that a file loads by static imports: what `import()` loads is loaded when it is used. */
function loadedBy(entry: string): { files: string[]; packages: string[] } {
  const packages = new Set<string>();
  const files = new Set<string>();
  const follow = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const [, name] of readFileSync(file, 'utf8').matchAll(
      /^(?:import|export)\s(?:[^;]*?\sfrom\s)?['"]([^'"]+)['"];/gm,
    )) {
      if (name!.startsWith('.')) follow(join(dirname(file), name!));
      else if (!name!.startsWith('node:')) packages.add(name!);
    }
  };
  follow(join(dist, entry));
  return { files: [...files], packages: [...packages] };
}

describe('what the package exports', () => {
  it(
    'is in the report of public types, with fewer than 100 names, and every type that they mention',
    { tags: 'slow' },
    () => {
      const { report, names, hidden } = readPublicTypes();
      // Changed on purpose? "npm run public-types" writes it again.
      expect(report).toBe(readFileSync(join(root, 'docs/reference/public-types.txt'), 'utf8'));
      expect(names.length).toBeLessThan(100);
      expect(hidden).toEqual([]);
    },
  );

  it('loads no service and no file format for a user of the solver alone', () => {
    const { files, packages } = loadedBy('public/select.js');
    expect(files.length).toBeGreaterThan(20);
    expect(packages).toEqual(['ml-matrix']);
  });

  it('loads what agents and the studio need only for them', () => {
    const { files, packages } = loadedBy('cli/program.js');
    expect(files.length).toBeGreaterThan(100);
    expect(packages.filter((name) => /^(@modelcontextprotocol|hono|@hono|bullmq|@aws-sdk)/.test(name))).toEqual([]);
    expect(files.filter((file) => /dist\/(agents|studio)\//.test(file))).toEqual([]);
    expect(loadedBy('agents/index.js').packages.filter((name) => name.startsWith('@modelcontextprotocol'))).toEqual([]);
  });

  it('has no source maps whose sources are not there', () => {
    const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8')) as {
      compilerOptions: Record<string, unknown>;
    };
    expect(compilerOptions['sourceMap']).toBeUndefined();
    expect(readFileSync(join(dist, 'index.js'), 'utf8')).not.toContain('sourceMappingURL');
  });
});

describe('a release', () => {
  it('closes the unreleased entries under its version, and leaves an empty list for the next', () => {
    const text = '# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0 (2026-01-01)\n\n- First.\n';
    const released = releasedChangelog(text, '0.2.0', '2026-02-03');
    expect(released).toBe(
      '# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-02-03)\n\n- New.\n\n## 0.1.0 (2026-01-01)\n\n- First.\n',
    );
    expect(() => releasedChangelog(released, '0.3.0', '2026-03-04')).toThrow('found none');
  });
});
