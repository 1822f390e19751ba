/**
 * agents: the studio's commands as tools of the Model Context Protocol, over standard input and output. Every edit is one
 * that the studio makes, and the command line can make the same films from the topic's folder.
 *
 * - Videos are read only inside the folders given, links followed; everything is written into the folder of the topic, which
 *   is inside them, too.
 * - Every tool has typed arguments and a typed answer; long work reports progress, and ends when the request is cancelled.
 * - Nothing but messages is written to standard output. Names of files reach a client as data, without control characters in
 *   texts.
 */
export { serveAgents } from './server.js';
