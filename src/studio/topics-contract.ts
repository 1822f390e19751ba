import { z } from 'zod';

import { route } from './route.js';
import { workSchema } from './work-contract.js';

/** What can be opened: topics and folders of videos in the folder where the studio was started. */
const foldersSchema = z.object({
  /** Where new topics are kept. */
  folder: z.string(),
  folders: z.array(z.object({ name: z.string(), kind: z.enum(['topic', 'folder']), videos: z.int().nonnegative() })),
});
export type Folders = z.output<typeof foldersSchema>;

const done = z.object({ name: z.string() });

export const topicRoutes = {
  folders: route({
    ...{ method: 'get', path: '/api/folders', summary: 'Topics and folders of videos that can be opened.' },
    response: foldersSchema,
  }),
  openFolder: route({
    ...{ method: 'post', path: '/api/open', summary: 'Open one of the places, by its name.' },
    ...{ body: z.strictObject({ name: z.string().max(400) }), response: done },
  }),
  beginTopic: route({
    ...{ method: 'post', path: '/api/topics', summary: 'Create an empty topic, to which videos can be sent.' },
    ...{ body: z.strictObject({ name: z.string().trim().min(1).max(120) }), response: done },
  }),
  upload: route({
    ...{ method: 'put', path: '/api/uploads/:name', summary: 'Send a video: its bytes, as they are.', stream: true },
    response: z.object({ name: z.string(), bytes: z.int().nonnegative() }),
  }),
  include: route({
    ...{
      method: 'post',
      path: '/api/include',
      summary: 'Add the videos that were sent to the topic, and analyse them.',
    },
    response: workSchema,
  }),
  look: route({
    ...{ method: 'post', path: '/api/look', summary: 'Continue to analyse the videos.' },
    response: workSchema,
  }),
} as const;
