/**
 * studio: a topic in the browser, on this machine only. Everything it does, the command line can do again from the topic's
 * folder. The page knows the server by its types only.
 *
 * - One table of routes declares every request: a route that server or page lacks does not compile. Host, origin and token
 *   of every request are checked.
 * - An edit is a command with the revision it was made on; one on an older revision is refused.
 * - Analysis, ranking and rendering run in one thread beside the server; of the requests of a moving slider only the newest
 *   waits.
 * - Nothing outside the topic's folder is written, except the token.
 * - A study stores what every method plays, in ticks; raters get letters, never method names.
 */
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';

import { UsageError } from '../base/index.js';
import { defaultCacheFolder } from '../index.js';
import { VERSION } from '../version.js';
import { readAccess, writeAccess } from './access.js';
import { openTopics, type TopicsOptions } from './topics.js';
import { drawTokens } from './guard.js';
import { startServer, type StudioServer } from './server.js';
import { topicFolder } from './session.js';

export type { StudioServer } from './server.js';
export { studyDocument } from './study.js';
export { topicFolder } from './session.js';
export { folderName, foldersIn, openTopics } from './topics.js';
export { routes, type Command, type Selection, type Topic, type Work } from './contract.js';
export type { Backend } from './server.js';

/**
 * Opens a topic or a folder of videos in the studio; without one, the page offers a choice. Analysis runs in the background.
 * A topic keeps its token, and its port if that is free, so that open pages work again after a restart. With `share`, others on
 * the network may watch, comment and rate at a second address, with a token of its own that ends with this studio.
 */
export async function startStudio(
  folder?: string,
  { port = 0, page, share = false, ...options }: TopicsOptions & { port?: number; page?: string; share?: boolean } = {},
): Promise<StudioServer & { readonly review: string | null }> {
  const own = share ? ownAddresses() : [];
  const accessFolder = join(defaultCacheFolder(), 'studio');
  const topic = folder === undefined ? null : await topicFolder(folder);
  const known = topic === null ? { tokens: drawTokens(), port: 0 } : await readAccess(accessFolder, topic);
  const remember = (at: string, started: StudioServer): Promise<void> =>
    writeAccess(accessFolder, at, { tokens: known.tokens, port: started.port });
  let server: StudioServer | null = null;
  let review: StudioServer | null = null;
  const desk = await openTopics(folder, {
    ...options,
    review: () => review?.address ?? null,
    onOpen: (at) => void (server && remember(at, server)),
  });
  const start = (at: number): Promise<StudioServer> =>
    startServer(desk, { port: at, version: VERSION, page, tokens: known.tokens });
  try {
    server = await start(port === 0 ? known.port : port).catch((error: unknown) => {
      // The port of last time is a convenience; one that was asked for is not.
      if (port !== 0 || known.port === 0) throw error;
      return start(0);
    });
    if (topic !== null) await remember(topic, server);
    if (share) review = await startServer(desk, { port: 0, version: VERSION, page, review: own });
    const { close } = server;
    return {
      ...{ ...server, review: review?.address ?? null },
      close: async () => void (await Promise.all([desk.close(), close(), review?.close()])),
    };
  } catch (error) {
    await desk.close();
    throw error;
  }
}

/** Addresses of this machine on its networks. */
function ownAddresses(): string[] {
  const found = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const addresses = found.flatMap(({ family, internal, address }) => (family === 'IPv4' && !internal ? [address] : []));
  if (addresses.length > 0) return addresses;
  throw new UsageError(
    'no-network',
    'Expected a network to share the review on, found none. Connect, or leave out --share.',
  );
}
