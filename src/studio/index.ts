/**
 * studio: a topic in the browser, on this machine only. Everything it does, the command line can do again from the topic's
 * folder. The page knows the server by its types only.
 */
import { VERSION } from '../version.js';
import { openDesk, type DeskOptions } from './desk.js';
import { startServer, type StudioServer } from './server.js';

export type { StudioServer } from './server.js';
export { studyDocument } from './study.js';

/** Opens a topic or a folder of videos in the studio; without one, the page offers a choice. Analysis runs in the background. */
export async function startStudio(
  folder?: string,
  { port = 0, page, ...options }: DeskOptions & { port?: number; page?: string } = {},
): Promise<StudioServer> {
  const desk = await openDesk(folder, options);
  try {
    const server = await startServer(desk, { port, version: VERSION, page });
    return {
      ...server,
      close: async () => void (await Promise.all([desk.close(), server.close()])),
    };
  } catch (error) {
    await desk.close();
    throw error;
  }
}
