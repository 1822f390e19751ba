import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many may be connected, and how long a request may take to be sent. */
export type Limits = { readonly mostConnections: number; readonly requestMs: number };

/**
 * Keeps the server reachable. Where too many are connected, the oldest that never showed the token goes, so that others
 * on this machine cannot keep the page out; what is sent must be sent in time, a video by the page excepted.
 */
export function limitConnections(server: Server, { mostConnections, requestMs }: Limits): (socket: Socket) => void {
  const strangers = new Set<Socket>();
  const friends = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    strangers.add(socket);
    socket.once('close', () => strangers.delete(socket) || friends.delete(socket));
    if (strangers.size + friends.size <= mostConnections) return;
    const [oldest] = strangers;
    oldest!.destroy();
  });
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    // Nobody reads what is sent along with a question: it would hold the connection.
    if ((request.method === 'GET' || request.method === 'HEAD') && hasBody(request)) response.shouldKeepAlive = false;
    const late = setTimeout(() => {
      const isVideo = request.method === 'PUT' && request.url?.startsWith('/api/uploads/') === true;
      if (!request.complete && !(isVideo && friends.has(request.socket))) request.socket.destroy();
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
