/** jobs/bullmq: tasks in queues on Redis. The only folder that knows BullMQ; loaded on demand. */
export { openFleet, type Fleet, type FleetStatus } from './fleet.js';
export { openLog } from './redis.js';
export { addressOf, openMetrics, serveMetrics } from './metrics.js';
export { explainRedis, isVague } from './redis.js';
export { hide, secretsOf } from './redis.js';
export type { TopicRow } from './topics.js';
export { startFleetWorker, type FleetWorker, type WorkerSettings } from './worker.js';
