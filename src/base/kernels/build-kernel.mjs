// Compiles multiply-add.as to WebAssembly and writes it as a TypeScript module, so that it travels like any other code.
//   node src/base/kernels/build-kernel.mjs
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const folder = new URL('.', import.meta.url);

/** The text of multiply-add.wasm.ts for the present source. */
export async function compileKernel() {
  const source = await readFile(new URL('multiply-add.as', folder), 'utf8');
  let binary = null;
  const { error, stderr } = await asc.main(
    ['kernel.ts', '--outFile', 'kernel.wasm', '-O3', '--runtime', 'stub', '--enable', 'simd', '--noAssert'],
    {
      readFile: (name) => (name === 'kernel.ts' ? source : null),
      writeFile: (name, contents) => {
        if (name === 'kernel.wasm') binary = contents;
      },
      listFiles: () => [],
    },
  );
  if (error !== null || binary === null) throw new Error(`The kernel does not compile.\n${stderr.toString()}`);
  const text = Buffer.from(binary).toString('base64');
  return `/** multiply-add.as, compiled: made by build-kernel.mjs, not by hand. */\nexport const kernelBase64 =\n  '${text}';\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await writeFile(new URL('multiply-add.wasm.ts', folder), await compileKernel());
}
