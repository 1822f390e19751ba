// npm run licences     every package that users get, with its licence; fails on one that is unknown or not allowed
import { licenceTrouble, runtimePackages } from './supply-chain.js';

const packages = runtimePackages();
for (const { name, version, license, optional } of packages) {
  console.log(`${name} ${version}  ${license ?? 'no licence'}${optional ? '  (optional)' : ''}`);
}
const troubles = packages.flatMap((one) => licenceTrouble(one) ?? []);
console.log(`${packages.length} packages; ${troubles.length === 0 ? 'all licences are allowed' : 'trouble:'}`);
for (const trouble of troubles) console.error(trouble);
process.exitCode = troubles.length === 0 ? 0 : 1;
