import { serve } from '@hono/node-server';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

import { UsageError } from '../base/index.js';
import { limitConnections, type Limits } from './connections.js';

/** Clients send their headers at once; slower connections are closed. */
const HEADERS_MS = 5_000;
const SILENT_MS = 300_000;

/** A server that listens. Must be closed. */
export type Listening = {
  readonly port: number;
  /** Keeps a connection that showed a token when there are too many. */
  welcome(socket: Socket): void;
  close(): Promise<void>;
};

/** Starts a server; port 0 takes any free one. */
export async function listen(
  fetch: Parameters<typeof serve>[0]['fetch'],
  { host, port, limits }: { readonly host: string; readonly port: number; readonly limits: Limits },
): Promise<Listening> {
  // Sending a file may take any time; `limitConnections` limits all other requests.
  const serverOptions = { headersTimeout: HEADERS_MS, requestTimeout: 0, connectionsCheckingInterval: 1000 };
  const server = serve({ fetch, hostname: host, port, serverOptions }) as Server;
  const welcome = limitConnections(server, limits);
  server.setTimeout(SILENT_MS);
  await new Promise<void>((started, failed) => {
    server.once('listening', started);
    server.once('error', (error: NodeJS.ErrnoException) => failed(explainListen(error, port)));
  });
  return {
    port: (server.address() as AddressInfo).port,
    welcome,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function explainListen(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === 'EADDRINUSE') {
    return new UsageError(
      'port-taken',
      `Expected a free port, found that ${port} is in use. Choose another with --port, or 0 for any.`,
    );
  }
  if (error.code === 'EACCES') {
    return new UsageError(
      'port-refused',
      `Expected a port that this user may use, found ${port}. Choose one above 1023 with --port.`,
    );
  }
  return error;
}
