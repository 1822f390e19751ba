// BullMQ is packed into the package without msgpackr-extract: nothing needs it, and npm warns about its install script.
import { rmSync } from 'node:fs';

for (const name of ['msgpackr-extract', '@msgpackr-extract']) {
  rmSync(new URL(`../node_modules/${name}`, import.meta.url), { recursive: true, force: true });
}
