/**
 * studio: a topic in the browser, on this machine only. Everything it does, the command line can do again from the topic's
 * folder. The page knows the server by its types only.
 */
import { join } from 'node:path';

import { defaultCacheFolder } from '../index.js';
import { VERSION } from '../version.js';
import { readAccess, writeAccess } from './access.js';
import { openDesk, type DeskOptions } from './desk.js';
import { drawTokens } from './guard.js';
import { startServer, type StudioServer } from './server.js';
import { topicFolder } from './session.js';

export type { StudioServer } from './server.js';
export { studyDocument } from './study.js';

/**
 * Opens a topic or a folder of videos in the studio; without one, the page offers a choice. Analysis runs in the background.
 * A topic keeps its token, and its port if that is free, so that open pages work again after a restart.
 */
export async function startStudio(
  folder?: string,
  { port = 0, page, ...options }: DeskOptions & { port?: number; page?: string } = {},
): Promise<StudioServer> {
  const accessFolder = join(defaultCacheFolder(), 'studio');
  const topic = folder === undefined ? null : await topicFolder(folder);
  const known = topic === null ? { tokens: drawTokens(), port: 0 } : await readAccess(accessFolder, topic);
  const remember = (at: string, started: StudioServer): Promise<void> =>
    writeAccess(accessFolder, at, { tokens: known.tokens, port: started.port });
  let server: StudioServer | null = null;
  const desk = await openDesk(folder, { ...options, onOpen: (at) => void (server && remember(at, server)) });
  const start = (at: number): Promise<StudioServer> =>
    startServer(desk, { port: at, version: VERSION, page, tokens: known.tokens });
  try {
    server = await start(port === 0 ? known.port : port).catch((error: unknown) => {
      // The port of last time is a convenience; one that was asked for is not.
      if (port !== 0 || known.port === 0) throw error;
      return start(0);
    });
    if (topic !== null) await remember(topic, server);
    const { close } = server;
    return { ...server, close: async () => void (await Promise.all([desk.close(), close()])) };
  } catch (error) {
    await desk.close();
    throw error;
  }
}
