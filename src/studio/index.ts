/**
 * studio: a topic in the browser, on this machine alone. See, steer, compare; everything it does the command line can do
 * again from the topic's folder. The page knows the server by its types only.
 */
import { VERSION } from '../version.js';
import { startServer, type StudioServer } from './server.js';
import { openSession } from './session.js';

export type { StudioServer } from './server.js';

/** Opens a topic, or a folder of videos, in the studio. Looking at the videos goes on behind. */
export async function startStudio(
  folder: string,
  { port = 0, jobs, page }: { port?: number; jobs?: number | undefined; page?: string } = {},
): Promise<StudioServer> {
  const session = await openSession(folder, { jobs });
  try {
    const server = await startServer(session, { port, version: VERSION, page });
    return {
      ...server,
      close: async () => {
        session.close();
        await server.close();
      },
    };
  } catch (error) {
    session.close();
    throw error;
  }
}
