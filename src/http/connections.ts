import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many may be connected, and how long a request may take to be sent. */
export type Limits = {
  readonly maxConnections: number;
  readonly requestMs: number;
  /** Where those who showed a token may send as long as it takes. */
  readonly uploads?: string;
};

/**
 * Keeps the server reachable. With too many connections, the oldest that never showed a token is closed, so that other
 * clients cannot lock those out that have one. Requests must be sent in time, except uploads. Returns a function to call with
 * a socket that showed a token.
 */
export function limitConnections(
  server: Server,
  { maxConnections, requestMs, uploads }: Limits,
): (socket: Socket) => void {
  const strangers = new Set<Socket>();
  const friends = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    strangers.add(socket);
    socket.once('close', () => strangers.delete(socket) || friends.delete(socket));
    if (strangers.size + friends.size <= maxConnections) return;
    const [oldest] = strangers;
    oldest!.destroy();
  });
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    // The body of such a request is never read and would keep the connection busy.
    if ((request.method === 'GET' || request.method === 'HEAD') && hasBody(request)) response.shouldKeepAlive = false;
    const late = setTimeout(() => {
      const isUpload = request.method === 'PUT' && uploads !== undefined && request.url?.startsWith(uploads) === true;
      if (!request.complete && !(isUpload && friends.has(request.socket))) request.socket.destroy();
    }, requestMs);
    response.once('close', () => clearTimeout(late));
  });
  return (socket) => {
    if (strangers.delete(socket)) friends.add(socket);
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}
