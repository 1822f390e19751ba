/** jobs/bullmq: tasks in queues on Redis. The only folder that knows BullMQ; loaded on demand. */
export { openFleet, type Fleet, type FleetStatus, type QueueRow } from './fleet.js';
export { openLog, type Log } from './redis.js';
export { addressOf, openMetrics, serveMetrics, type Metrics } from './metrics.js';
export { explainRedis, isVague } from './redis.js';
export { hide, secretsOf } from './redis.js';
export type { TopicRow, WorkerRow } from './topics.js';
export { startFleetWorker, type FleetWorker, type Rate, type WorkerSettings } from './worker.js';
