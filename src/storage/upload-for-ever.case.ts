/** Run as a process of its own by the contract of stores: uploads two files in turn under one name, until killed. */
import { openObjects } from './index.js';

const [url = '', name = '', ...paths] = process.argv.slice(2);
const objects = await openObjects(url);
process.stdout.write('ready\n');
for (let round = 0; ; round++) await objects.upload(name, paths[round % paths.length]!);
