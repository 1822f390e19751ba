/**
 * http: what the servers of Throughline share. It knows no topics and no tenants.
 *
 * - A table of routes declares every request with the schemas of its body and its answer; both are checked, and the OpenAPI
 *   document is made from the same table.
 * - Errors are JSON with a code and a sentence; bodies are limited, and so are connections and the time a request may take.
 * - A file is sent only from inside its folder, links followed. Secrets are compared in constant time.
 */
export {
  route,
  type Handlers,
  type ParametersOf,
  type RawRoute,
  type ReceivedFrom,
  type Route,
  type SentTo,
} from './route.js';
export { describeRoutes, explainError, serveRoutes } from './serve-routes.js';
export { inside, isWithin, readRange, sendFile } from './send-file.js';
export type { Limits } from './connections.js';
export { listen, type Listening } from './listen.js';
export { isSame } from './same.js';
export { pushNewest } from './push.js';
