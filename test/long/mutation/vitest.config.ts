import { defineConfig } from 'vitest/config';

/** The fast specs of the domain: each mutant runs those that reach it. */
export default defineConfig({
  test: {
    include: ['src/domain/engine/**/*.spec.ts', 'src/domain/matching/**/*.spec.ts'],
    env: { ENGINE_COMMANDS: '1500', SEED: '1' },
    testTimeout: 60_000,
    isolate: false,
    pool: 'forks',
  },
});
