import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

/**
 * Two projects, so that a run of the pure domain alone starts no database. `npm run test:long` adds
 * `--mode long`, which runs the long suites, and the longer version of specs that have two, and nothing else.
 */
export default defineConfig(({ mode }) => ({
  // The sources of the client, so that no spec runs on an old build of it.
  resolve: { alias: { '@tradepost/client': resolve('packages/client/src/index.ts') } },
  // Nest and TypeORM read the types of constructors and columns at run time.
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  test: {
    // Decorators fill registries of their own once a worker; a fresh module graph a file costs twice the time.
    isolate: false,
    pool: 'forks',
    // One more than the cores that they are meant for: most of a spec waits for its service and its database.
    maxWorkers: 3,
    // Far beyond what any of them takes on a calm machine: a busy one must fail nothing that is right.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    setupFiles: ['reflect-metadata'],
    reporters: ['default', './test/support/summary-reporter.ts'],
    projects:
      mode === 'long'
        ? [
            {
              extends: true,
              test: {
                name: 'long',
                include: ['test/long/**/*.spec.ts', ...specsInBothSizes()],
                env: { TEST_LENGTH: 'long' },
                testTimeout: 3_600_000,
                globalSetup,
                setupFiles,
              },
            },
          ]
        : [
            {
              extends: true,
              test: {
                name: 'domain',
                include: ['src/domain/**/*.spec.ts', 'bench/**/*.spec.ts', 'plugins/**/*.spec.ts'],
              },
            },
            {
              extends: true,
              test: {
                name: 'service',
                include: ['src/**/*.spec.ts', 'test/**/*.spec.ts'],
                exclude: ['src/domain/**', 'test/long/**'],
                globalSetup,
                setupFiles,
              },
            },
          ],
  },
}));

const globalSetup = ['test/support/global-setup.ts'];
const setupFiles = ['test/support/check-answers.ts'];

/** Those that prove by repetition, as often as `test/support/rounds.ts` tells them. */
function specsInBothSizes(): string[] {
  return globSync('{src,test,bench}/**/*.spec.ts').filter((path) =>
    readFileSync(path, 'utf8').includes('support/rounds.js'),
  );
}
