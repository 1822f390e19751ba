import { defineConfig } from 'vitest/config';

/** Tests on real footage that is not part of the repository; THROUGHLINE_REAL_VIDEOS says where it stands. */
export default defineConfig({
  test: {
    include: ['test/real/**/*.test.ts'],
    setupFiles: ['test/seed.ts'],
    pool: 'forks',
    testTimeout: 900_000,
    hookTimeout: 900_000,
  },
});
