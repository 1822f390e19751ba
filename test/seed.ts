import fc from 'fast-check';
import { relative } from 'node:path';
import { beforeEach } from 'vitest';

import { quarantine } from './quarantine.js';

/** Property tests draw the same cases in every run; `FC_SEED=<number>` searches elsewhere, `FC_SEED=random` anywhere. */
const asked = process.env['FC_SEED'];
if (asked !== 'random') fc.configureGlobal({ seed: asked === undefined ? 20170721 : Number(asked) });

if (quarantine.length > 0) {
  beforeEach(({ task, skip }) => {
    const file = relative(process.cwd(), task.file.filepath);
    const found = quarantine.find((each) => each.file === file && each.name === task.name);
    if (found) skip(`quarantined: ${found.reason}`);
  });
}
