import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    alias: [{ find: /^throughline$/, replacement: fileURLToPath(new URL('./src/index.ts', import.meta.url)) }],
  },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/real/**'],
    globalSetup: ['test/install-programs.ts'],
    setupFiles: ['test/seed.ts'],
    pool: 'forks',
    // Long enough for a machine with other work: nothing here is about time.
    testTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    hookTimeout: 300_000,
    // Browsers, Redis and killed processes meet other work in CI: a test that fails is tried once more, and both tries are shown.
    retry: process.env['CI'] === 'true' ? 1 : 0,
  },
});
