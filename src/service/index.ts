/**
 * service: topics of several tenants over HTTP, on this machine or a fleet.
 *
 * - A request without a valid token is refused; only hashes of tokens are kept. Addresses of results are signed for a
 *   tenant, a topic, a file and a time instead.
 * - A tenant sees, reads, cancels and removes nothing of another: it is served by an application that knows its topics alone.
 *   Tenants that wait get equal numbers of videos, and at most their quotas.
 * - Videos come from roots that the operator named for the tenant, links followed; no option names files. Answers contain
 *   no paths of the machine.
 * - Webhooks go only to origins that the operator named, and by default to no private address; no redirect is followed.
 * - What was accepted is on disk before it is answered, and goes on after a restart. A webhook is called at least once.
 * - What changes something or reads a result is in the audit log before it is answered; no secret is.
 */
export { drawToken, readConfig } from './config.js';
export { fleetEngine, localEngine } from './engines.js';
export { startService } from './server.js';
