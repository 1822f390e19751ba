/** How the tests are divided: what `npm test` runs, and the parts of `npm run test:all`. */

/**
 * Tests of `src/` that change the process they run in (folder, user, environment, open files), that start many others, or that
 * load the network runtime, which works in one thread of a process.
 */
const WITH_PROCESSES = [
  'src/pipeline/analysis/**/*.test.ts',
  'src/demo/**/*.test.ts',
  'src/media/**/*.test.ts',
  'src/render/reel.test.ts',
  'src/features/**/*.test.ts',
  'tools/**/*.test.ts',
  'src/jobs/bullmq/task-processes.test.ts',
  'src/pipeline/collect-inputs.test.ts',
  'src/storage/rows-file.test.ts',
  'src/studio/server.test.ts',
];

/**
 * Tests that load modules again in other surroundings, which the next file would get; and one that ends threads as they
 * start, after which a process that had loaded the network runtime was once seen to crash.
 */
const WITH_OWN_PROCESS = ['src/media/killed.test.ts', 'src/media/encoder.test.ts', 'src/features/shallow.test.ts'];

/** A program that a part needs, the Debian package that has it, and the variable that names another one, or `none`. */
export type Needed = { readonly program: string; readonly debian: string; readonly variable?: string };

/** Files that are tested together by a vitest project of that name. */
export type Part = {
  readonly name: string;
  readonly about: string;
  readonly files: readonly string[];
  readonly except?: readonly string[];
  readonly needs?: readonly Needed[];
};

/** What `npm test` runs, without tests that have the tag `slow`. */
export const fastParts: readonly Part[] = [
  {
    name: 'pure',
    about: 'functions',
    files: ['src/**/*.test.ts'],
    except: [...WITH_PROCESSES, 'src/storage/s3.test.ts', 'src/storage/object-cache.test.ts'],
  },
  {
    name: 'files',
    about: 'media, pipeline, export and the command line on small files',
    files: [...WITH_PROCESSES, 'test/**/*.test.ts'],
    except: [
      ...WITH_OWN_PROCESS,
      'test/{studio,jobs,hostile,real}/**',
      'test/containers.test.ts',
      'test/fixtures/redis.test.ts',
    ],
  },
  { name: 'isolated', about: 'files that need a process of their own', files: WITH_OWN_PROCESS },
];

/** What only `npm run test:all` runs, besides `LONG`. */
export const slowParts: readonly Part[] = [
  {
    name: 'studio',
    about: 'the page of the studio in a browser',
    files: ['test/studio/**/*.test.ts'],
    needs: [{ program: 'chromium', debian: 'chromium', variable: 'THROUGHLINE_BROWSER' }],
  },
  {
    name: 'fleet',
    about: 'many machines, on a real Redis and an S3 server',
    files: ['test/jobs/**/*.test.ts', 'test/fixtures/redis.test.ts', 'src/storage/{s3,object-cache}.test.ts'],
    needs: [{ program: 'redis-server', debian: 'redis-server', variable: 'THROUGHLINE_REDIS_SERVER' }],
  },
  {
    name: 'hostile',
    about: 'hostile files, fuzz, faults, disks, links',
    files: ['test/hostile/**/*.test.ts'],
    needs: [{ program: 'strace', debian: 'strace' }],
  },
  { name: 'containers', about: 'container and compose files', files: ['test/containers.test.ts'] },
  {
    name: 'timelines',
    about: 'other programs read the timelines we write',
    files: ['test/real/timelines.test.ts'],
    needs: [
      { program: 'melt', debian: 'melt' },
      { program: 'xmllint', debian: 'libxml2-utils' },
      { program: 'openshot-qt', debian: 'openshot-qt' },
    ],
  },
  {
    name: 'real',
    about: 'real footage and data sets, which are not part of the repository',
    files: ['test/real/**/*.test.ts'],
    except: ['test/real/timelines.test.ts'],
  },
];

/** The part of `npm run test:all` with the tests of the fast parts that have the tag `slow`. */
export const LONG = {
  name: 'long',
  about: 'long tests of functions, media, pipeline and the command line',
  tag: 'slow',
};
