// npm run sbom > sbom.json     the packages that users get, as CycloneDX
import { writeSbom } from './supply-chain.js';

process.stdout.write(`${JSON.stringify(writeSbom(), null, 2)}\n`);
