import { createHmac } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { BlockList, isIP } from 'node:net';

import { UsageError } from '../base/index.js';
import type { Tenant } from './config.js';

/** Addresses that are no host of the public internet (IANA's special-purpose registries). */
const special = new BlockList();
for (const [net, bits] of [
  ...([['0.0.0.0', 8], ['10.0.0.0', 8], ['100.64.0.0', 10], ['127.0.0.0', 8], ['169.254.0.0', 16]] as const),
  ...([['172.16.0.0', 12], ['192.0.0.0', 24], ['192.0.2.0', 24], ['192.88.99.0', 24], ['192.168.0.0', 16]] as const),
  ...([['198.18.0.0', 15], ['198.51.100.0', 24], ['203.0.113.0', 24], ['224.0.0.0', 4], ['240.0.0.0', 4]] as const),
] as const) special.addSubnet(net, bits, 'ipv4'); // prettier-ignore
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');
// Teredo and others, documentation, 6to4: parts of 2000::/3 that hold or lead to addresses of other kinds.
for (const [net, bits] of [['2001::', 23], ['2001:db8::', 32], ['2002::', 16], ['3fff::', 20]] as const) special.addSubnet(net, bits, 'ipv6'); // prettier-ignore

/** Whether an address is that of a host on the public internet. IPv4 within IPv6 is not: it has another way. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !special.check(address, 'ipv4');
  return isIP(address) === 6 && global6.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

/** Refuses destinations that the operator has not allowed for this tenant. */
export function checkDestination(url: string, { webhooks }: Pick<Tenant, 'webhooks'>): void {
  const { origin, username, password } = new URL(url);
  if (webhooks.includes(origin) && username === '' && password === '') return;
  const allowed = webhooks.join(', ') || 'none';
  throw new UsageError('webhook-refused', `Expected a webhook at an origin that the operator allows (${allowed}), without user and password. Ask the operator to add yours.`); // prettier-ignore
}

const ANSWER_MS = 10_000;

type Delivery = { readonly url: string; readonly body: string; readonly id: string; readonly key: string };

/**
 * Posts one message, signed as `t=TIME,v1=HMAC-SHA256(key, TIME.BODY)`. The host is resolved once, all its addresses are
 * checked, and the connection goes to one of these; redirects are not followed, and the answer is not read. Throws unless
 * the answer is 2xx.
 */
export async function deliver({ url, body, id, key }: Delivery, tenant: Tenant, signal: AbortSignal): Promise<void> {
  checkDestination(url, tenant);
  const { hostname, protocol } = new URL(url);
  const found = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true });
  if (!tenant.webhooksToPrivate && !found.every(({ address }) => isPublic(address))) {
    throw new UsageError('webhook-private', `Expected "${hostname}" to be a host of the public internet, found a private address. The operator can allow it (webhooksToPrivate).`); // prettier-ignore
  }
  const time = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', key).update(`${time}.${body}`).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'throughline-delivery': id,
    'throughline-signature': `t=${time},v1=${signature}`,
  };
  const { address, family } = found[0]!;
  const status = await new Promise<number>((settle, fail) => {
    const sent = (protocol === 'https:' ? requestSecure : requestPlain)(
      url,
      {
        ...{ method: 'POST', headers, agent: false, signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]) },
        lookup: (_name, { all }, done) => (all ? done(null, [{ address, family }]) : done(null, address, family)),
      },
      (answer) => {
        settle(answer.statusCode ?? 0);
        answer.destroy();
      },
    );
    sent.once('error', fail).end(body);
  });
  if (status < 200 || status > 299) throw new UsageError('webhook-answer', `Expected an answer 2xx, found ${status}.`);
}
