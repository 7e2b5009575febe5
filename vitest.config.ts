import { defineConfig } from 'vitest/config';

/**
 * Two projects, so that a run of the pure domain alone starts no database. `npm run test:long` adds
 * `--mode long`, which runs the long suites and nothing else.
 */
export default defineConfig(({ mode }) => ({
  // Nest and TypeORM read the types of constructors and columns at run time.
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  test: {
    // Decorators fill registries of their own once a worker; a fresh module graph a file costs twice the time.
    isolate: false,
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: ['reflect-metadata'],
    reporters: ['default', './test/support/summary-reporter.ts'],
    projects:
      mode === 'long'
        ? [
            {
              extends: true,
              test: {
                name: 'long',
                include: ['test/long/**/*.spec.ts'],
                testTimeout: 3_600_000,
                globalSetup,
              },
            },
          ]
        : [
            {
              extends: true,
              test: { name: 'domain', include: ['src/domain/**/*.spec.ts', 'bench/**/*.spec.ts'] },
            },
            {
              extends: true,
              test: {
                name: 'service',
                include: ['src/**/*.spec.ts', 'test/**/*.spec.ts'],
                exclude: ['src/domain/**', 'test/long/**'],
                globalSetup,
              },
            },
          ],
  },
}));

const globalSetup = ['test/support/global-setup.ts'];
