import { readdir } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';

import { UsageError } from '../base/index.js';
import { VIDEO_ENDINGS } from '../stages/index.js';
import { beginTopic, describeTopic, isTopic } from '../project/index.js';
import { routes, type Topic } from './contract.js';
import type { Places } from './desk-contract.js';
import { openNews } from './news.js';
import type { Backend } from './server.js';
import { openSession, type Session, UNOPENED } from './session.js';
import { MOST_UPLOAD_BYTES } from './upload.js';
import { openWork } from './work.js';

export type DeskOptions = {
  readonly jobs?: number | undefined;
  /** Folder in which topics are found and created if none is named; default: the current folder. */
  readonly home?: string | undefined;
  /** Bytes of the largest video that may be sent. */
  readonly mostUpload?: number | undefined;
  /** Called with the folder of a topic that was opened later. */
  readonly onOpen?: ((folder: string) => void) | undefined;
};

/** The studio before and after a topic is open. Must be closed. */
export async function openDesk(
  given: string | undefined,
  options: DeskOptions,
): Promise<Backend & { close(): Promise<void> }> {
  const { jobs, home = process.cwd(), mostUpload = MOST_UPLOAD_BYTES } = options;
  const news = openNews();
  const work = openWork((now) => news.emit('work', now));
  const open = (folder: string): Promise<Session> => openSession(folder, { jobs, work, news, mostUpload });
  let session = given === undefined ? null : await open(given);
  const current = (): Session => {
    if (session) return session;
    throw new UsageError('no-topic', 'No topic is open yet. Drop videos, or open an existing one.');
  };
  let isOpening = false;
  /** Opens the only topic of this studio; `find` says in which folder it is. */
  const openOnly = async (find: () => Promise<string>): Promise<void> => {
    if (session || isOpening) {
      throw new UsageError('open-already', 'A topic is already open here. Start another studio for another topic.');
    }
    isOpening = true;
    try {
      session = await open(await find());
      options.onOpen?.(session.folder);
    } finally {
      isOpening = false;
    }
  };
  const nothing: Topic = { ...UNOPENED, mostUpload };
  return {
    handlers: {
      ...forward(current),
      readTopic: async (request) => (session ? session.handlers.readTopic(request) : { ...nothing, work: work.now() }),
      cancel: async () => work.cancel(),
      places: async () => ({ folder: resolve(home), places: session ? [] : await placesIn(home) }),
      openPlace: async ({ body }) => {
        await openOnly(async () => {
          const found = (await placesIn(home)).find(({ name }) => name === body.name);
          if (found) return join(home, found.name);
          throw new UsageError('not-found', `Expected a topic or a folder of videos named "${body.name}", found none. Reload the page.`); // prettier-ignore
        });
        return body;
      },
      beginTopic: async ({ body: { name } }) => {
        await openOnly(async () => {
          const folder = join(home, `${folderName(name)}-topic`);
          if (await isTopic(folder)) {
            throw new UsageError(
              'topic-exists',
              `Expected a new name, found a topic in "${folder}". Open that one, or choose another name.`,
            );
          }
          await beginTopic(folder, [], { name });
          return folder;
        });
        return { name };
      },
    },
    picture: async (video, shot) => session?.picture(video, shot) ?? null,
    media: (video) => session?.media(video) ?? null,
    results: () => session?.results() ?? null,
    studyCsv: (study) => current().studyCsv(study),
    subscribe: news.subscribe,
    close: async () => {
      work.cancel();
      await session?.close();
      await work.ended();
    },
  };
}

/** The handlers of the topic that is open at the time of the call. */
function forward(current: () => Session): Session['handlers'] {
  const names = Object.keys(routes) as (keyof Session['handlers'])[];
  const late = names.map((name) => [name, async (request: never) => current().handlers[name](request)]);
  return Object.fromEntries(late) as Session['handlers'];
}

const MOST_PLACES = 200;

/** Topics and folders of videos inside a folder, and the folder itself if it has videos. */
async function placesIn(home: string): Promise<Places['places']> {
  const entries = await readdir(home, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
  const found = await Promise.all(['.', ...names.sort().slice(0, MOST_PLACES)].map((name) => placeAt(home, name)));
  return found.filter((place) => place !== null);
}

async function placeAt(home: string, name: string): Promise<Places['places'][number] | null> {
  const folder = join(home, name);
  if (await isTopic(folder)) {
    const known = await describeTopic(folder).catch(() => null);
    return known && { name, kind: 'topic', videos: known.project.videos.length };
  }
  const files = await readdir(folder).catch(() => []);
  const videos = files.filter((file) => !file.startsWith('.') && VIDEO_ENDINGS.has(extname(file).toLowerCase())).length;
  return videos === 0 ? null : { name, kind: 'folder', videos };
}

/** The name of a topic as a safe folder name. */
function folderName(name: string): string {
  return (
    name
      .replace(/[\p{Cc}\p{Cs}\p{Cf}<>:"/\\|?*]+/gu, '-')
      .replace(/^[.\s-]+|[.\s-]+$/g, '')
      .slice(0, 80) || 'videos'
  );
}
