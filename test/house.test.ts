import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

import { quarantine } from './quarantine.js';
import { documentedWords } from '../scripts/measures.js';
import { mayImport, zones } from '../scripts/zones.js';

const root = resolve(import.meta.dirname, '..');
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.tsx?$/.test(name),
);

/** Names that a file imports, with the file each comes from. */
function importsOf(file: string): { name: string; from: string }[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found = (names: string, from: string): { name: string; from: string }[] =>
    names.split(',').map((name) => ({
      name: name.trim().replace(/^type /, '').split(/ as |:/)[0]!,
      from: join(dirname(file), from.replace(/\.js$/, '.ts')),
    })); // prettier-ignore
  return [
    ...[...text.matchAll(/(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'(\.[^']+)'/g)],
    ...[...text.matchAll(/\{([^}]*)\}\s*=\s*await import\('(\.[^']+)'\)/g)],
    ...[...text.matchAll(/import \* as (\w+) from '(\.[^']+)'/g)].map(([, space, from]) => {
      const used = [...text.matchAll(new RegExp(String.raw`\b${space!}\.(\w+)`, 'g'))].map(([, name]) => name!);
      return ['', used.join(), from!];
    }),
  ].flatMap(([, names, from]) => found(names!, from!));
}

/** Names that files outside a room import from its door. */
const takenFrom = new Map<string, Set<string>>();
for (const folder of ['src', 'tools', 'test', 'bench', 'scripts', 'examples']) {
  for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, name);
    if (!/\.tsx?$/.test(name)) continue;
    for (const taken of importsOf(file)) {
      if (file.startsWith(`${dirname(taken.from)}/`)) continue;
      takenFrom.set(taken.from, (takenFrom.get(taken.from) ?? new Set()).add(taken.name));
    }
  }
}

/** The doors of the package. */
const packageDoors = ['index.ts', ...['select', 'eval', 'jobs'].map((name) => join('public', `${name}.ts`))].map(
  (name) => join('src', name),
);

/** Rooms that a door of the package passes on in part; their own tests take the rest from their index.ts. */
const behindPackageDoors = ['select', 'topic', 'eval', 'jobs'].map((room) => join('src', room, 'index.ts'));

/** Names that a file lets out whose declaration, there or where it comes from, has no comment above it. */
function bareExports(file: string, wanted?: ReadonlySet<string>): string[] {
  const text = readFileSync(file, 'utf8');
  const isWanted = (name: string): boolean => wanted?.has(name) ?? true;
  const passedOn = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)';/gm)].flatMap(([, names, from]) => {
    const own = names!.split(',').map((name) => name.trim().replace(/^type /, '')).filter(Boolean); // prettier-ignore
    const origins = own.filter((name) => isWanted(name.split(' as ').at(-1)!)).map((name) => name.split(' as ')[0]!);
    const source = join(dirname(file), from!.replace(/\.js$/, '.ts'));
    return origins.length > 0 ? bareExports(source, new Set(origins)) : [];
  });
  const own = text.split('\n').flatMap((line, at, lines) => {
    const [, name] = /^export (?:async )?(?:function\*?|const|type|class) (\w+)/.exec(line) ?? [];
    return name && isWanted(name) && !lines[at - 1]?.endsWith('*/') ? [name] : [];
  });
  return [...own, ...passedOn];
}

describe('the house', () => {
  it('lets in whom the table of the architecture says', () => {
    const table = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').matchAll(/^\| `([a-z]+)` \| ([^|]+) \|/gm);
    const reported = [...table].map(([, room, may]) => [room, may]);
    expect(reported).toEqual(Object.keys(zones).map((name) => [name, mayImport(name)]));
  });

  it('lets no symbol out of a room without saying what it promises', () => {
    const doors = sources.filter((name) => name.endsWith('index.ts'));
    const bare = doors.flatMap((door) => bareExports(join(root, 'src', door)).map((name) => `${door}: ${name}`));
    expect(bare).toEqual([]);
  });

  it('is left by the doors that the package names', () => {
    const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      exports: Record<string, { default?: string } | string>;
    };
    const named = Object.values(exports).flatMap((door) =>
      typeof door === 'object' && door.default ? [door.default] : [],
    );
    expect(named.map((door) => join(door.replace('./dist', 'src').replace('.js', '.ts')))).toEqual(packageDoors);
  });

  it(
    'has no export that no other file imports, no file that nothing reaches, no package that nothing uses',
    { tags: 'slow' },
    () => {
      // Types in the index.ts of a room may be there for callers to name (knip.json).
      const args = ['node_modules/knip/bin/knip.js', '--no-progress', '--reporter', 'compact'];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
      expect([stdout.trim(), stderr, status]).toEqual(['', '', 0]);
    },
  );

  it('lets no function out of a room that nobody outside imports', () => {
    const rooms = sources.map((name) => join('src', name)).filter((name) => /^src\/\w+\/index\.ts$/.test(name));
    const unused = rooms
      .filter((door) => !behindPackageDoors.includes(door))
      .flatMap((door) => {
        const text = readFileSync(join(root, door), 'utf8');
        const names = [...text.matchAll(/^export \{([^}]*)\} from/gm)].flatMap((match) => match[1]!.split(','));
        const values = names.map((name) => name.trim()).filter((name) => name !== '' && !name.startsWith('type '));
        return values.filter((name) => !takenFrom.get(door)?.has(name)).map((name) => `${door}: ${name}`);
      });
    expect(rooms.length).toBeGreaterThan(10);
    expect(unused).toEqual([]);
  });

  it('has no door that passes on all it finds', () => {
    const doors = sources.filter((name) => name.endsWith('index.ts'));
    expect(doors.length).toBeGreaterThan(10);
    for (const name of doors) expect(readFileSync(join(root, 'src', name), 'utf8'), name).not.toMatch(/^export \*/m);
  });

  it('has no file of more than 400 lines', () => {
    const long = sources.filter((name) => readFileSync(join(root, 'src', name), 'utf8').split('\n').length > 400);
    expect(long).toEqual([]);
  });

  it('is documented in fewer than 40,000 words', () => {
    expect(documentedWords()).toBeGreaterThan(10_000);
    expect(documentedWords()).toBeLessThan(40_000);
  });

  it('tries no test twice, and has at most three in quarantine, each one that is there, with a reason', () => {
    expect(readFileSync(join(root, 'vitest.config.ts'), 'utf8')).not.toMatch(/\bretry\b/);
    expect(quarantine.length).toBeLessThanOrEqual(3);
    for (const { file, name, reason } of quarantine) {
      expect(readFileSync(join(root, file), 'utf8'), file).toContain(name);
      expect(reason, name).toMatch(/^.{20,}\.$/);
    }
  });

  it('names nothing with words that this field does not use', () => {
    const refused = new Set([
      'cast',
      'crew',
      'hear',
      'lend',
      'plant',
      'pour',
      'poured',
      'rests',
      'shelf',
      'tell',
      'told',
    ]);
    const named = sources
      .filter((name) => !/\.(test|case)\./.test(name))
      .flatMap((name) => {
        const text = readFileSync(join(root, 'src', name), 'utf8');
        const declared = text.matchAll(/\b(?:const|let|function\*?|type|class)\s+(\w+)/g);
        return [...declared].map(([, word]) => ({ name, word: word! }));
      });
    const odd = named.filter(({ word }) =>
      (word.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? []).some((part) => refused.has(part.toLowerCase())),
    );
    expect(named.length).toBeGreaterThan(1000);
    expect(odd).toEqual([]);
  });

  it('has no promise to do something later', () => {
    const later = sources.filter((name) =>
      /\b(TODO|FIXME|HACK|XXX)\b/.test(readFileSync(join(root, 'src', name), 'utf8')),
    );
    expect(later).toEqual([]);
  });
});
