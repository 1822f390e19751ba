import { timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';

/** Headers of every answer: nothing from elsewhere runs in the page, nothing elsewhere shows or reads it. */
const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; " +
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
};

/**
 * Lets only the studio's own page in. A name that merely points here (DNS rebinding) has another Host; another site's
 * page has another Origin, or says that it is not the same; whatever changes something must show the token as well.
 */
export function guard({ port, token }: { port: () => number; token: string }): MiddlewareHandler {
  return async (context, next) => {
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
    const refuse = (code: string, message: string) => context.json({ code, message }, 403);
    const hosts = [`127.0.0.1:${port()}`, `localhost:${port()}`, `[::1]:${port()}`];
    const host = context.req.header('host') ?? '';
    if (!hosts.includes(host)) return refuse('wrong-host', 'The studio answers only to its own address.');
    const origin = context.req.header('origin');
    const site = context.req.header('sec-fetch-site');
    const isOurs = origin === undefined || origin === `http://${host}`;
    if (!isOurs || (site !== undefined && site !== 'same-origin' && site !== 'none')) {
      return refuse('wrong-origin', 'The studio answers only to its own page.');
    }
    if (context.req.method !== 'GET' && context.req.method !== 'HEAD') {
      const shown = /^Bearer (.+)$/.exec(context.req.header('authorization') ?? '')?.[1] ?? '';
      if (!isSame(shown, token)) {
        return refuse('no-token', 'Open the studio by the address that was printed when it started.');
      }
    }
    return next();
  };
}

/** Compares in a time that does not tell how much was right. */
function isSame(shown: string, token: string): boolean {
  const [left, right] = [Buffer.from(shown), Buffer.from(token)];
  return left.length === right.length && timingSafeEqual(left, right);
}
