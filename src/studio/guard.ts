import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
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

/** The page itself, which has nothing of the topic, and what the server can be asked. */
const OPEN = new Set(['/', '/studio.js', '/studio.css', '/api/openapi.json']);

/**
 * Tokens of one studio. `full` changes things, and stands behind the printed address; its part `look` only shows them:
 * the page keeps it as a cookie for pictures and media, and browsers give cookies to every port of a machine.
 */
export type Tokens = { readonly full: string; readonly look: string };

export function drawTokens(): Tokens {
  const [secret, look] = [randomBytes(24).toString('base64url'), randomBytes(24).toString('base64url')];
  return { full: `${secret}.${look}`, look };
}

/**
 * Lets only the studio's own page in. A name that merely points here (DNS rebinding) has another Host; another site's
 * page has another Origin, or says that it is not the same; other users of the machine have no token.
 */
export function guard({ port, tokens, welcome }: Gate): MiddlewareHandler<{ Bindings: HttpBindings }> {
  return async (context, next) => {
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
    const refuse = (code: string, message: string) => {
      // Whatever else was to come on this connection is of no interest.
      context.header('Connection', 'close');
      return context.json({ code, message }, 403);
    };
    const hosts = [`127.0.0.1:${port()}`, `localhost:${port()}`, `[::1]:${port()}`];
    const host = context.req.header('host') ?? '';
    if (!hosts.includes(host)) return refuse('wrong-host', 'The studio answers only to its own address.');
    const origin = context.req.header('origin');
    const site = context.req.header('sec-fetch-site');
    const isOurs = origin === undefined || origin === `http://${host}`;
    if (!isOurs || (site !== undefined && site !== 'same-origin' && site !== 'none')) {
      return refuse('wrong-origin', 'The studio answers only to its own page.');
    }
    const isLook = context.req.method === 'GET' || context.req.method === 'HEAD';
    const shown = /^Bearer (.+)$/.exec(context.req.header('authorization') ?? '')?.[1] ?? '';
    const cookie = new RegExp(`(?:^|; )studio-${port()}=([^;]+)`).exec(context.req.header('cookie') ?? '')?.[1] ?? '';
    if (isSame(shown, tokens.full) || (isLook && isSame(cookie, tokens.look))) welcome(context.env.incoming.socket);
    else if (!isLook || !OPEN.has(context.req.path)) {
      return refuse('no-token', 'Open the studio by the address that was printed when it started.');
    }
    await next();
    if (context.res.status === 404) context.header('Connection', 'close');
  };
}

/** Where the studio is, who may enter, and whom to tell of a connection that showed a token. */
type Gate = { readonly port: () => number; readonly tokens: Tokens; welcome(socket: Socket): void };

/** Compares in a time that does not tell how much was right. */
function isSame(shown: string, token: string): boolean {
  const [left, right] = [Buffer.from(shown), Buffer.from(token)];
  return left.length === right.length && timingSafeEqual(left, right);
}
