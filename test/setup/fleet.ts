import { startSharedRedis } from '../fixtures/redis.js';

/** One Redis for all tests of the fleet that do not stop it. */
export default async function startRedis(): Promise<() => Promise<void>> {
  const server = await startSharedRedis();
  return async () => {
    delete process.env['THROUGHLINE_REDIS_SHARED'];
    await server?.close();
  };
}
