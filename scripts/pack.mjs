// node scripts/pack.mjs before|after      runs around `npm pack` and `npm publish`
// BullMQ is packed into the package without msgpackr-extract: nothing needs it, and npm warns about its install script.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const modules = fileURLToPath(new URL('../node_modules', import.meta.url));
const aside = `${modules}/.packing`;
const moved = ['msgpackr-extract', '@msgpackr-extract'];
const manifest = 'msgpackr/package.json';

if (process.argv[2] === 'before') {
  mkdirSync(`${aside}/msgpackr`, { recursive: true });
  for (const name of moved) {
    if (existsSync(`${modules}/${name}`)) renameSync(`${modules}/${name}`, `${aside}/${name}`);
  }
  if (!existsSync(`${aside}/${manifest}`)) renameSync(`${modules}/${manifest}`, `${aside}/${manifest}`);
  const { optionalDependencies: _, ...rest } = JSON.parse(readFileSync(`${aside}/${manifest}`, 'utf8'));
  writeFileSync(`${modules}/${manifest}`, JSON.stringify(rest, null, 2));
} else {
  for (const name of [...moved, manifest]) {
    if (existsSync(`${aside}/${name}`)) renameSync(`${aside}/${name}`, `${modules}/${name}`);
  }
  rmSync(aside, { recursive: true, force: true });
}
