/**
 * Writes docs/reference/public-types.txt: every name that the package exports, with its declaration. `--check` compares instead.
 * A name that a declaration mentions must be exported as well, unless the platform or a dependency has it.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'vite';

const root = resolve(import.meta.dirname, '..');
const REPORT = 'docs/reference/public-types.txt';

type Node = { readonly type: string; readonly start: number; readonly end: number; readonly [field: string]: unknown };
type Named = { readonly file: string; readonly name: string };
type Module = {
  readonly text: string;
  /** Declarations by local name; overloads are several nodes. */
  readonly declared: ReadonlyMap<string, readonly Node[]>;
  /** What a local name is in another file; `null` for one of another package. */
  readonly imported: ReadonlyMap<string, Named | null>;
  readonly exported: ReadonlyMap<string, Named>;
};

/** The public names of the package, and the names that their declarations mention but that cannot be imported. */
export type PublicTypes = {
  readonly report: string;
  readonly names: readonly string[];
  readonly hidden: readonly string[];
};

/** Reads the declarations of the doors of `package.json`. */
export function readPublicTypes(): PublicTypes {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-types-'));
  try {
    const tsc = join(root, 'node_modules', '.bin', 'tsc');
    execFileSync(tsc, ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', folder], { cwd: root });
    return describe(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function describe(folder: string): PublicTypes {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string }>;
  };
  const modules = new Map<string, Module>();
  const moduleOf = (file: string): Module => {
    const known = modules.get(file) ?? readModule(file);
    modules.set(file, known);
    return known;
  };
  /** Where a name is declared. */
  const origin = ({ file, name }: Named): Named | null => {
    const module = moduleOf(file);
    if (module.declared.has(name)) return { file, name };
    const next = module.exported.get(name) ?? module.imported.get(name);
    if (!next) return null;
    if (next.file === file) return next.name === name ? null : origin(next);
    const passed = moduleOf(next.file);
    return origin(passed.exported.get(next.name) ?? next);
  };
  const keyOf = ({ file, name }: Named): string => `${file} ${name}`;

  const doors = Object.entries(exports).flatMap(([door, target]) =>
    typeof target === 'string' ? [] : [{ door, file: join(folder, target.types.replace('./dist/', '')) }],
  );
  const open = new Set<string>();
  const names = new Set<string>();
  const lines: string[] = [];
  const queue: Named[] = [];
  for (const { door, file } of doors) {
    lines.push('', `## ${door === '.' ? 'throughline-video' : `throughline-video${door.slice(1)}`}`, '');
    for (const [name, at] of [...moduleOf(file).exported].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const found = origin(at);
      if (!found) throw new Error(`Found no declaration of "${name}" of the door "${door}".`);
      names.add(name);
      open.add(keyOf(found));
      queue.push(found);
      const { text, declared } = moduleOf(found.file);
      for (const node of declared.get(found.name)!) lines.push(plain(text.slice(node.start, node.end)));
    }
  }
  const hidden = new Set<string>();
  const seen = new Set<string>();
  for (let at = queue.pop(); at; at = queue.pop()) {
    if (seen.has(keyOf(at))) continue;
    seen.add(keyOf(at));
    const module = moduleOf(at.file);
    for (const node of module.declared.get(at.name) ?? []) {
      for (const name of mentioned(node)) {
        if (!module.declared.has(name) && !module.imported.get(name)) continue;
        const found = origin({ file: at.file, name });
        if (!found || found.file.includes('node_modules')) continue;
        if (!open.has(keyOf(found)))
          hidden.add(`${found.name} (in ${at.name}, ${found.file.slice(folder.length + 1)})`);
        queue.push(found);
      }
    }
  }
  return {
    report: [`${names.size} public names. Written by "npm run public-types".`, ...lines, ''].join('\n'),
    names: [...names].toSorted(),
    hidden: [...hidden].toSorted(),
  };
}

function plain(declaration: string): string {
  return declaration
    .replace(/\/\*\*[^]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function readModule(file: string): Module {
  const text = readFileSync(file, 'utf8');
  const { program } = parseSync(file, text, { lang: 'dts' }) as unknown as { program: { body: Node[] } };
  const declared = new Map<string, Node[]>();
  const imported = new Map<string, Named | null>();
  const exported = new Map<string, Named>();
  const fileOf = (source: unknown): string | null => {
    const spec = (source as { value?: string } | null)?.value ?? '';
    if (!spec.startsWith('.')) return null;
    const path = join(dirname(file), spec.replace(/\.js$/, '.d.ts'));
    return existsSync(path) ? path : null;
  };
  const nameOf = (node: unknown): string =>
    (node as { name?: string; value?: string }).name ?? (node as { value: string }).value;
  const declare = (node: Node, isExported: boolean): void => {
    const ids = (node['declarations'] as { id: unknown }[] | undefined)?.map(({ id }) => id) ?? [node['id']];
    for (const name of ids.map(nameOf)) {
      declared.set(name, [...(declared.get(name) ?? []), node]);
      if (isExported) exported.set(name, { file, name });
    }
  };
  for (const node of program.body) {
    const specifiers = (node['specifiers'] ?? []) as Node[];
    if (node.type === 'ImportDeclaration') {
      const from = fileOf(node['source']);
      for (const each of specifiers) {
        const name = each['imported'] ? nameOf(each['imported']) : '*';
        imported.set(nameOf(each['local']), from ? { file: from, name } : null);
      }
    } else if (node.type === 'ExportNamedDeclaration') {
      if (node['declaration']) declare(node['declaration'] as Node, true);
      const from = node['source'] ? fileOf(node['source']) : file;
      for (const each of specifiers) {
        if (from) exported.set(nameOf(each['exported']), { file: from, name: nameOf(each['local']) });
      }
    } else if (node.type.endsWith('Declaration') && (node['id'] || node['declarations'])) {
      declare(node, false);
    }
  }
  return { text, declared, imported, exported };
}

/** The names of types that a declaration mentions. `typeof` a value is no name of a type. */
function mentioned(node: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(node)) for (const each of node) mentioned(each, found);
  else if (node && typeof node === 'object') {
    const { type } = node as Node;
    const named = type === 'TSTypeReference' ? (node as Node)['typeName'] : type === 'TSClassImplements' || type === 'TSInterfaceHeritage' ? (node as Node)['expression'] : null; // prettier-ignore
    const first = leftmost(named);
    if (first) found.add(first);
    for (const value of Object.values(node)) mentioned(value, found);
  }
  return found;
}

function leftmost(name: unknown): string | null {
  const node = name as { name?: string; left?: unknown } | null;
  return node ? (node.name ?? leftmost(node.left)) : null;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { report, names, hidden } = readPublicTypes();
  console.log(`${names.length} public names, ${hidden.length} hidden`);
  for (const name of hidden) console.error(`Not exported: ${name}`);
  if (hidden.length > 0) process.exitCode = 1;
  const path = join(root, REPORT);
  if (!process.argv.includes('--check')) writeFileSync(path, report);
  else if (readFileSync(path, 'utf8') !== report) {
    console.error(`${REPORT} is out of date: run "npm run public-types".`);
    process.exitCode = 1;
  }
}
