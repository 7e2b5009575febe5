import { statSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Specs of random commands: they find nearly everything, and take longest to say so. */
const RANDOM = /(differential|previewed-lists|self-limits|room|cover-queue|order-book)\.spec\.ts$/;

/** A mutant is done with at its first failure, so the specs that fail fastest come first. */
class FastestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const weight = ({ moduleId }: TestSpecification): number =>
      (RANDOM.test(moduleId) ? 1e9 : 0) + statSync(moduleId).size;
    return files.toSorted((a, b) => weight(a) - weight(b));
  }
}

/** The fast specs of the domain: each mutant runs those that reach it. */
export default defineConfig({
  test: {
    include: ['src/domain/engine/**/*.spec.ts', 'src/domain/matching/**/*.spec.ts'],
    env: { ENGINE_COMMANDS: '1500', SEED: '1', SHORTEN: 'no' },
    testTimeout: 60_000,
    isolate: false,
    pool: 'forks',
    sequence: { sequencer: FastestFirst },
  },
});
