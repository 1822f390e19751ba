import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';

import { isSame } from '../http/index.js';

/** Headers of every answer: the page runs nothing from elsewhere, and no other page can embed or read it. */
const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; " +
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** Needs no token: the page itself, which contains nothing of the topic, and the description of the routes. */
const OPEN = new Set(['/', '/review', '/studio.js', '/studio.css', '/api/openapi.json']);

/**
 * Tokens of one studio. `full` allows everything and is part of the printed address. Its part `look` allows reading only:
 * the page keeps it as a cookie for pictures and media, and browsers send cookies to every port of a machine.
 */
export type Tokens = { readonly full: string; readonly look: string };

export function drawTokens(): Tokens {
  const [secret, look] = [randomBytes(24).toString('base64url'), randomBytes(24).toString('base64url')];
  return { full: `${secret}.${look}`, look };
}

/**
 * Admits only the studio's own page. Another name that points to this machine (DNS rebinding) has another Host; the page
 * of another site has another Origin or Sec-Fetch-Site; other users of the machine have no token.
 */
export function guard({ port, names, tokens, welcome }: Gate): MiddlewareHandler<{ Bindings: HttpBindings }> {
  return async (context, next) => {
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
    // Browsers know this header on this machine only, or by https.
    if (names === LOCAL_NAMES) context.header('Cross-Origin-Opener-Policy', 'same-origin');
    const refuse = (code: string, message: string) => {
      // Whatever else comes on this connection is not read.
      context.header('Connection', 'close');
      return context.json({ code, message }, 403);
    };
    const hosts = names.map((name) => `${name}:${port()}`);
    const host = context.req.header('host') ?? '';
    if (!hosts.includes(host)) return refuse('wrong-host', 'The studio answers only to its own address.');
    const origin = context.req.header('origin');
    const site = context.req.header('sec-fetch-site');
    const isOurs = origin === undefined || origin === `http://${host}`;
    // A link may lead here, as the private file does with which the browser is opened: the page itself contains nothing.
    const header = (name: string): string | undefined => context.req.header(`sec-fetch-${name}`);
    const isVisit =
      ['/', '/review'].includes(context.req.path) && header('mode') === 'navigate' && header('dest') === 'document';
    if (!isOurs || (site !== undefined && site !== 'same-origin' && site !== 'none' && !isVisit)) {
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

/** Names under which this machine is reached. */
export const LOCAL_NAMES: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/** Names, port and tokens of a server; `welcome` is called with every connection that showed a token. */
type Gate = {
  readonly names: readonly string[];
  readonly port: () => number;
  readonly tokens: Tokens;
  welcome(socket: Socket): void;
};
