import { Counter, Gauge, Registry } from 'prom-client';

import type { Engine, Figures } from './topics.js';

/** Metrics of the service, for Prometheus; those of the fleet are there without workers, too. */
export function openMetrics(figures: () => readonly Figures[], queues: Engine['queues']) {
  const registry = new Registry();
  const registers = [registry];
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name: `throughline_${name}`, help, labelNames, registers });
  const topics = gauge('topics', 'Topics by tenant and state.', 'tenant', 'state');
  const backlog = gauge('backlog_videos', 'Videos of topics that wait.', 'tenant');
  const oldest = gauge('oldest_waiting_seconds', 'Age of the topic that waits longest.', 'tenant');
  const jobs = gauge('queue_jobs', 'Jobs in the queues of the fleet, by kind and state.', 'kind', 'state');
  const requests = new Counter({
    ...{ name: 'throughline_requests_total', help: 'Requests by tenant and status.' },
    ...{ labelNames: ['tenant', 'status'], registers },
  });
  return {
    count: (tenant: string, status: number): void => requests.inc({ tenant, status }),
    async text(): Promise<string> {
      for (const { tenant, byState, waitingVideos, oldestSeconds } of figures()) {
        for (const [state, count] of Object.entries(byState)) topics.set({ tenant, state }, count);
        backlog.set({ tenant }, waitingVideos);
        oldest.set({ tenant }, oldestSeconds);
      }
      jobs.reset();
      // Without Redis its queues cannot be counted; the topics that wait here can.
      for (const { kind, ready, active, delayed, blocked, failed } of await queues().catch(() => [])) {
        for (const [state, count] of Object.entries({ ready, active, delayed, blocked, failed })) {
          jobs.inc({ kind, state }, count);
        }
      }
      return registry.metrics();
    },
  };
}
