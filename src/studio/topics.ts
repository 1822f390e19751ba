import { readdir } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';

import { UsageError } from '../base/index.js';
import { beginTopic, describeTopic, isTopic, VIDEO_ENDINGS } from '../pipeline/index.js';
import { routes, type Folders, type Topic } from './contract.js';
import { openNews } from './news.js';
import type { Backend } from './server.js';
import { openSession, UNOPENED, type Session } from './session.js';
import { MAX_UPLOAD_BYTES } from './upload.js';
import { openWork } from './work.js';

export type TopicsOptions = {
  readonly jobs?: number | undefined;
  /** Folder of the topic that is opened first, if it is not the usual one. */
  readonly at?: string | undefined;
  /** Whether files that browsers do not play get copies that they do; default true. */
  readonly proxies?: boolean | undefined;
  /** Folder in which topics are found and created if none is named; default: the current folder. */
  readonly home?: string | undefined;
  /** Bytes of the largest video that may be sent. */
  readonly maxUpload?: number | undefined;
  /** The address for reviewers, once there is one. */
  readonly review?: (() => string | null) | undefined;
  /** Called with the folder of a topic that was opened later. */
  readonly onOpen?: ((folder: string) => void) | undefined;
};

/** The studio before and after a topic is open. Must be closed. */
export async function openTopics(
  given: string | undefined,
  options: TopicsOptions,
): Promise<Backend & { close(): Promise<void> }> {
  const { jobs, home = process.cwd(), maxUpload = MAX_UPLOAD_BYTES, at, proxies = true } = options;
  const news = openNews();
  const work = openWork((now) => news.emit('work', now));
  const open = (folder: string, at?: string): Promise<Session> =>
    openSession(folder, { jobs, work, news, maxUpload, at, proxies });
  let session = given === undefined ? null : await open(given, at);
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
  const nothing: Topic = { ...UNOPENED, maxUpload };
  return {
    handlers: {
      ...forward(current),
      readTopic: async (request) => {
        const topic = session ? await session.handlers.readTopic(request) : { ...nothing, work: work.now() };
        return { ...topic, review: options.review?.() ?? null };
      },
      cancel: async () => work.cancel(),
      folders: async () => ({ folder: resolve(home), folders: session ? [] : await foldersIn(home) }),
      openFolder: async ({ body }) => {
        await openOnly(async () => {
          const found = (await foldersIn(home)).find(({ name }) => name === body.name);
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

const MAX_FOLDERS = 200;

/** Topics and folders of videos inside a folder, and the folder itself if it has videos. */
export async function foldersIn(home: string): Promise<Folders['folders']> {
  const entries = await readdir(home, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
  const found = await Promise.all(['.', ...names.sort().slice(0, MAX_FOLDERS)].map((name) => folderAt(home, name)));
  return found.filter((place) => place !== null);
}

async function folderAt(home: string, name: string): Promise<Folders['folders'][number] | null> {
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
export function folderName(name: string): string {
  return (
    name
      .replace(/[\p{Cc}\p{Cs}\p{Cf}<>:"/\\|?*]+/gu, '-')
      .replace(/^[.\s-]+|[.\s-]+$/g, '')
      .slice(0, 80) || 'videos'
  );
}
