// npm run models -- embedded | import FILE | add NAME     makes the included network, and networks of the models folder (README.md)
import { Command, Option } from 'commander';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { UsageError } from '../src/base/index.js';
import { EMBEDDED_MODEL } from '../src/features/embedded.js';
import { writeParts } from '../src/storage/index.js';
import { ADDABLE_NAMES, addNetwork } from './addable.js';
import { type FileChoice, importFile } from './import-file.js';
import { convertTflite } from './tflite-to-onnx.js';

/** The file of the included network as its makers publish it (models/README.md). */
export const PUBLISHED = new URL('efficientnet-lite0.tflite', import.meta.url);

/** The included network as it is shipped. */
export async function makeEmbedded(): Promise<Uint8Array> {
  const file = await readFile(PUBLISHED);
  const found = createHash('sha256').update(file).digest('hex');
  if (found !== EMBEDDED_MODEL.sha256) {
    throw new UsageError('bad-model', `Expected the published file with sha256 ${EMBEDDED_MODEL.sha256}, found ${found}. Restore it.`); // prettier-ignore
  }
  return convertTflite(file, { keepsCodes: true }).onnx;
}

const program = new Command('npm run models --').description('Make networks that Throughline can use.');

program
  .command('embedded')
  .description('Convert the published file of the included network to the ONNX file in models/.')
  .action(async () => {
    const onnx = await makeEmbedded();
    const path = fileURLToPath(EMBEDDED_MODEL.file);
    await writeParts(path, [onnx]);
    console.log(`${path}: ${onnx.length} bytes, sha256 ${createHash('sha256').update(onnx).digest('hex')}`);
  });

program
  .command('import')
  .description('Put published weights of C3D or VGG-16 (PyTorch or Caffe), or an ONNX file, into the models folder.')
  .argument('<file>', 'a .pth, .pickle, .caffemodel or .onnx file')
  .addOption(
    new Option('--network <NAME>', 'Which network it is.').choices(['c3d', 'vgg16', 'onnx']).makeOptionMandatory(),
  )
  .option('--name <NAME>', 'Name in the models folder. Default: that of the network; for onnx, of the file.')
  .option('--licence <TEXT>', 'What its source says about using it; kept with it.')
  .option('--pixel-mean <FILE>', 'Training mean per pixel: a .binaryproto or .npy file.')
  .option('--mean <R,G,B>', 'Mean to subtract, on the scale 0 to 1.')
  .option('--std <R,G,B>', 'Spread to divide by, on the scale 0 to 1.')
  .option('--layer <NAME>', 'Tensor of an ONNX file that is the feature.')
  .option('--input <WIDTHxHEIGHT>', 'Input of an ONNX file that leaves it open.')
  .addOption(
    new Option('--channel-order <ORDER>', 'Channel order, if it differs from the known files.').choices(['rgb', 'bgr']),
  )
  .addOption(new Option('--pool5 <SIDE>', 'Where the last pooling of C3D is padded.').choices(['end', 'both']))
  .addOption(new Option('--up-to <LAYER>', 'Last layer to keep.').choices(['fc6', 'fc7']))
  .action(async (file: string, choice: FileChoice) => {
    const { name, dim, path } = await importFile(file, choice, writeParts);
    console.log(`"${name}" gives ${dim} numbers per sample. It was saved as ${path}.`);
  });

program
  .command('add')
  .description('Download a published network with npm and put it into the models folder.')
  .argument('<name>', ADDABLE_NAMES.join(', '))
  .action(async (name: string) => {
    const { path, isNew } = await addNetwork(name, { write: writeParts });
    console.log(isNew ? `Added as ${path}. Use it with --features ${name}.` : `"${name}" is already there: ${path}.`);
  });

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await program.parseAsync().catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 2;
  });
}
