import { createHmac, randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { isSame } from '../http/index.js';
import { writeWhole } from '../storage/index.js';
import { StoreError } from '../base/index.js';

/** What an address of a result is signed for. */
type Signed = {
  readonly tenant: string;
  readonly topic: string;
  readonly file: string;
  readonly expires: number;
};

/** Signs with keys derived from one secret of this service, which is in its folder. */
export type Signer = {
  /** HMAC-SHA256 of tenant, topic, file and expiry. */
  sign(what: Signed): string;
  /** Whether the signature is that of these, and they have not expired. */
  check(what: Signed, signature: string): boolean;
  /** The key with which a tenant checks webhooks. */
  webhookKey(tenant: string): string;
};

/** Reads the secret of the service, or draws it at the first start. */
export async function openSigner(folder: string, now: () => number = Date.now): Promise<Signer> {
  const path = join(folder, 'secret');
  let secret = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (secret === null) {
    const drawn = randomBytes(32);
    await writeWhole(path, async (draft) => {
      const file = await open(draft, 'wx', 0o600);
      await file.writeFile(drawn).finally(() => file.close());
    });
    secret = drawn;
  }
  if (secret.length !== 32) {
    throw new StoreError('bad-secret', `Expected 32 bytes in "${path}", found ${secret.length}. Remove it; addresses that were signed with it become invalid.`); // prettier-ignore
  }
  const key = (use: string): Buffer => createHmac('sha256', secret).update(use).digest();
  const addresses = key('addresses');
  const sign = ({ tenant, topic, file, expires }: Signed): string =>
    createHmac('sha256', addresses)
      .update(JSON.stringify([tenant, topic, file, expires]))
      .digest('base64url');
  return {
    sign,
    check: (what, signature) =>
      isSame(signature, sign(what)) && Number.isSafeInteger(what.expires) && what.expires * 1000 > now(),
    webhookKey: (tenant) => key(`webhooks of ${tenant}`).toString('hex'),
  };
}
