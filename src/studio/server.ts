import type { HttpBindings } from '@hono/node-server';
import { downloadZip } from 'client-zip';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { createReadStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

import { UsageError } from '../base/index.js';
import { describeRoutes, explainError, inside, listen, pushNewest, sendFile, serveRoutes, type Handlers, type Limits } from '../http/index.js'; // prettier-ignore
import { REPORT_SCRIPT } from '../render/index.js';
import { reviewRoutes } from './comments.js';
import { routes } from './contract.js';
import type { Position } from './document-contract.js';
import { listResults } from './export-selection.js';
import { drawTokens, guard, LOCAL_NAMES, type Tokens } from './guard.js';
import type { NewsFeed } from './news.js';

/** What the server serves: a handler for every route, pictures and media by id, and the progress of work. */
export type Backend = {
  readonly handlers: Handlers<typeof routes>;
  /** JPEG of a shot, or of the beginning of a video; `null` if there is none. */
  picture(video: string, shot: number | 'first'): Promise<Uint8Array | null>;
  /** Path of what browsers play of a video; `null` if there is nothing. Ids are looked up, never used as paths. */
  media(video: string): string | null;
  /** Folder of the results; `null` while no topic is open. */
  results(): string | null;
  /** The marks of a study that has ended, as CSV. */
  studyCsv(study: string): Promise<string>;
  /** Calls with the state of everything that is pushed, now and whenever it changes, until the returned function is called. */
  subscribe: NewsFeed['subscribe'];
};

/** A running studio. Must be closed. */
export type StudioServer = {
  /** The address to open, token included. */
  readonly address: string;
  readonly port: number;
  readonly token: string;
  close(): Promise<void>;
};

/** Folder of the built page: next to the built server, or in `dist` if the server runs from source. */
function builtPage(): string {
  const places = [new URL('./web/', import.meta.url), new URL('../../dist/studio/web/', import.meta.url)];
  const found = places.map((place) => fileURLToPath(place)).find((place) => existsSync(join(place, 'studio.js')));
  if (found !== undefined) return found;
  throw new UsageError(
    'no-page',
    'Expected the page of the studio in the installation, found none. Build it with "npm run build".',
  );
}

/** A topic's folder may come from somebody else: of all pages among its results only the report runs its script. */
const RESULTS_POLICY =
  `default-src 'none'; script-src ${REPORT_SCRIPT}; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'; ` +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const LIMITS = { maxConnections: 256, requestMs: 30_000 };

export type ServerOptions = {
  /** 0 takes any free port. */
  readonly port: number;
  readonly version: string;
  /** Folder of the built page. */
  readonly page?: string | undefined;
  readonly limits?: Limits;
  readonly tokens?: Tokens;
  /** Addresses of this machine on its network: reviewers there may watch, comment and rate, and nothing else. */
  readonly review?: readonly string[];
};

/** Serves the studio on this machine only, or a review to its network. */
export async function startServer(backend: Backend, options: ServerOptions): Promise<StudioServer> {
  const { review } = options;
  const page = options.page ?? builtPage();
  const tokens = options.tokens ?? drawTokens();
  let port = options.port;
  let welcome: ((socket: Socket) => void) | null = null;
  const app = new Hono<{ Bindings: HttpBindings }>();
  const names = review ?? LOCAL_NAMES;
  app.use(guard({ names, port: () => port, tokens, welcome: (socket) => welcome?.(socket) }));
  const kinds = review ? REVIEW_NEWS : null;
  app.get('/api/events', (context) =>
    streamSSE(context, (stream) => pushNewest(stream, newsFor(backend.subscribe, kinds))),
  );
  app.get('/media/:video', async (context) => {
    const path = backend.media(context.req.param('video'));
    return path === null ? context.notFound() : merge(context.res, await sendFile(path, context.req.raw));
  });
  app.get('/pictures/:video/:shot{[0-9]+}', async (context) => {
    const jpeg = await backend.picture(context.req.param('video'), Number(context.req.param('shot')));
    if (jpeg === null) return context.notFound();
    return context.body(new Uint8Array(jpeg), 200, { 'Content-Type': 'image/jpeg', 'Cache-Control': 'max-age=3600' });
  });
  app.get('/pictures/:video/first', async (context) => {
    const jpeg = await backend.picture(context.req.param('video'), 'first');
    // A clip without pictures is an ordinary thing to find in a folder, not an error of the page.
    if (jpeg === null) return context.body(null, 204);
    return context.body(new Uint8Array(jpeg), 200, { 'Content-Type': 'image/jpeg', 'Cache-Control': 'max-age=3600' });
  });
  app.get('/:file{review|studio\\.(?:js|css)}?', async (context) => {
    const name = context.req.param('file') ?? 'index.html';
    return merge(context.res, await sendFile(join(page, name === 'review' ? 'index.html' : name), context.req.raw));
  });
  if (review) app.route('/', serveRoutes(reviewersMay, backend.handlers));
  else serveEditor(app, backend, options.version);
  app.onError(explainError);
  app.notFound((context) => context.json({ code: 'not-found', message: 'There is nothing at this address.' }, 404));

  const limits = { uploads: '/api/uploads/', ...(options.limits ?? LIMITS) };
  const server = await listen(app.fetch, { host: review ? '0.0.0.0' : '127.0.0.1', port, limits });
  ({ port, welcome } = server);
  return {
    address: review
      ? `http://${review[0]}:${port}/review#token=${tokens.full}`
      : `http://127.0.0.1:${port}/#token=${tokens.full}`,
    ...{ port, token: tokens.full },
    close: server.close,
  };
}

/** What reviewers may ask for and hear of; raters get their ballots and nothing else. */
const { joinStudy, readBallot, mark, finishRating } = routes;
const reviewersMay = { ...reviewRoutes, joinStudy, readBallot, mark, finishRating };
const REVIEW_NEWS: readonly string[] = ['comments', 'document'];

/** Everything that only the editor may ask for. */
function serveEditor(app: Hono<{ Bindings: HttpBindings }>, backend: Backend, version: string): void {
  app.get('/api/openapi.json', (context) =>
    context.json(describeRoutes(routes, { title: 'Throughline Studio', version })),
  );
  // Browsers ask for an icon of the report, which has none.
  app.get('/favicon.ico', (context) => context.body(null, 204));
  app.get('/results.zip', async (context) => {
    const folder = backend.results();
    if (folder === null) return context.notFound();
    return merge(context.res, zipOf(folder, await listResults(folder)));
  });
  app.get('/results/:file{.+}', async (context) => {
    const path = await inside(backend.results(), context.req.param('file'));
    context.header('Content-Security-Policy', RESULTS_POLICY);
    return path === null ? context.notFound() : merge(context.res, await sendFile(path, context.req.raw));
  });
  app.get('/studies/:file{study-[0-9]+\\.csv}', async (context) => {
    const file = context.req.param('file');
    const text = await backend.studyCsv(file.slice(0, -'.csv'.length));
    context.header('Content-Disposition', `attachment; filename="${file}"`);
    return context.body(text, 200, { 'Content-Type': 'text/csv; charset=utf-8', 'Cache-Control': 'no-store' });
  });
  app.route('/', serveRoutes(routes, backend.handlers));
}

/** Subscribes to the kinds that a client may have. Reviewers hear that there is another cut, not which settings made it. */
function newsFor(subscribe: Backend['subscribe'], kinds: readonly string[] | null): Parameters<typeof pushNewest>[1] {
  return (push) =>
    subscribe((kind, data) => {
      if (kinds !== null && !kinds.includes(kind)) return;
      push(kind, kinds !== null && kind === 'document' ? { revision: (data as Position).revision } : data);
    });
}

/** Adds the guard's headers to an answer. */
function merge(guarded: Response, answer: Response): Response {
  for (const [name, value] of guarded.headers) if (!answer.headers.has(name)) answer.headers.set(name, value);
  return answer;
}

/** All results in one archive, written while it is sent; films are stored as they are. */
function zipOf(folder: string, files: readonly { readonly name: string }[]): Response {
  async function* entries() {
    for (const { name } of files) {
      const path = await inside(folder, name);
      if (path === null) continue;
      const { size, mtime } = await stat(path);
      yield { name, size, lastModified: mtime, input: Readable.toWeb(createReadStream(path)) as ReadableStream };
    }
  }
  const answer = downloadZip(entries());
  answer.headers.set('Content-Disposition', 'attachment; filename="results.zip"');
  return answer;
}
