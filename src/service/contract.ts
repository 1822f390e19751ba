import { z } from 'zod';

import { route, type RawRoute } from '../http/index.js';

const stateSchema = z.enum(['queued', 'running', 'done', 'failed', 'cancelled']);
const why = z.object({ code: z.string(), message: z.string() });
const time = z.string().nullable();

/** A topic on disk. Paths of this machine are not part of it. */
export const recordSchema = z.object({
  schema: z.literal('service-topic.1'),
  id: z.string().regex(/^[0-9a-f]{32}$/),
  tenant: z.string(),
  /** Its place among all topics, in the order in which they came. */
  place: z.int(),
  /** A root and a folder in it, as the tenant named them. */
  folder: z.string(),
  options: z.record(z.string(), z.unknown()),
  videos: z.int(),
  state: stateSchema,
  created: z.string(),
  started: time,
  ended: time,
  reason: why.nullable(),
  skipped: z.array(why.extend({ path: z.string() })),
  webhook: z
    .object({ url: z.string(), state: z.enum(['waiting', 'delivered', 'failed']), attempts: z.int() })
    .nullable(),
  /** The topic in the queues of the fleet; `isOurs`: this service queued it. */
  fleet: z.object({ id: z.string(), isOurs: z.boolean() }).nullable(),
});
export type TopicRecord = z.output<typeof recordSchema>;

const progress = z.object({ stage: z.string(), fraction: z.number() });
export type Progress = z.output<typeof progress>;

/** A topic as its tenant sees it. */
const topicSchema = recordSchema
  .pick({
    id: true,
    folder: true,
    options: true,
    videos: true,
    state: true,
    created: true,
    started: true,
    ended: true,
    reason: true,
    skipped: true,
  }) // prettier-ignore
  .extend({
    progress: progress.nullable(),
    webhook: recordSchema.shape.webhook.unwrap().omit({ url: true }).nullable(),
  });
export type TopicView = z.output<typeof topicSchema>;

const DAY_S = 86_400;
/** Of the options of a topic, as JSON: they are kept with it. */
const MAX_OPTIONS = 65_536;

/** Requests and answers in JSON. */
export const routes = {
  submit: route({
    method: 'post',
    path: '/api/topics',
    summary: 'Queue a topic: a folder of videos, given as the name of a root and a path in it ("films/paris").',
    body: z.strictObject({
      folder: z.string().min(1).max(4096),
      /** Options of a run, as in the configuration file; none that names files or this machine's resources. */
      options: z
        .record(z.string(), z.unknown())
        .refine(
          (options) => JSON.stringify(options).length <= MAX_OPTIONS,
          `expected at most ${MAX_OPTIONS} characters`,
        )
        .default({}),
      /** Called when the topic ends. Its origin must be one that the operator allows. */
      webhook: z.url().max(2048).optional(),
    }),
    response: topicSchema,
  }),
  list: route({
    method: 'get',
    path: '/api/topics',
    summary: 'All topics of the tenant, the latest first.',
    response: z.object({ topics: z.array(topicSchema.omit({ options: true, skipped: true })) }),
  }),
  read: route({
    method: 'get',
    path: '/api/topics/:topic',
    summary: 'The state of a topic.',
    response: topicSchema,
  }),
  cancel: route({
    method: 'post',
    path: '/api/topics/:topic/cancel',
    summary: 'Stop a topic that waits or is under way. Finished analyses are kept for the next time.',
    response: topicSchema,
  }),
  remove: route({
    method: 'delete',
    path: '/api/topics/:topic',
    summary: 'Remove a topic that has ended, with its results here.',
    response: z.object({}),
  }),
  sign: route({
    method: 'post',
    path: '/api/topics/:topic/results',
    summary: 'List the results of a topic that is done, each with an address that needs no token until it expires.',
    body: z.strictObject({ seconds: z.int().min(1).max(7 * DAY_S).default(3600) }), // prettier-ignore
    response: z.object({
      expires: z.string(),
      files: z.array(z.object({ name: z.string(), bytes: z.int(), address: z.string() })),
    }),
  }),
  account: route({
    method: 'get',
    path: '/api/account',
    summary: 'The limits of the tenant, what is used of them, its roots, and the key of its webhook signatures.',
    response: z.object({
      tenant: z.string(),
      roots: z.array(z.string()),
      limits: z.object({ running: z.int(), videos: z.int(), topics: z.int() }),
      used: z.object({ running: z.int(), videos: z.int(), topics: z.int() }),
      webhooks: z.array(z.string()),
      webhookKey: z.string(),
    }),
  }),
};

/** The other requests. */
export const rawRoutes = {
  events: {
    path: '/api/topics/:topic/events',
    summary:
      'The state of a topic now and whenever it changes, as server-sent events named "topic"; ends with the topic.',
    type: 'text/event-stream',
  },
  result: {
    path: '/results/:topic/:file{.+}',
    summary: 'A file of the results, whole or in ranges, by a signed address.',
    type: 'application/octet-stream',
    isOpen: true,
    query: ['expires', 'signature'],
  },
  health: { path: '/health', summary: 'This process is alive.', type: 'text/plain', isOpen: true },
  ready: { path: '/ready', summary: 'Topics can be taken and worked on.', type: 'text/plain', isOpen: true },
  metrics: { path: '/metrics', summary: 'Metrics for Prometheus, for operators.', type: 'text/plain' },
  description: { path: '/openapi.json', summary: 'This document.', type: 'application/json', isOpen: true },
} as const satisfies Record<string, RawRoute>;
