import { relative } from 'node:path';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/**
 * Ends a run with one plain line, `N passed, N failed`, for people and machines that read only that. Failures outside a
 * test (a spec file that does not load, an unhandled rejection) count as one each, so that a broken run never looks
 * like a good one. Before it stands how many tests of which files were skipped; files say why where they skip.
 */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    const skipped = new Map<string, number>();
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed += 1;
        if (state === 'failed') failed += 1;
        if (state === 'skipped') skipped.set(module.moduleId, (skipped.get(module.moduleId) ?? 0) + 1);
      }
      failed += module.errors().length;
      for (const suite of module.children.allSuites()) failed += suite.errors().length;
    }
    for (const [path, count] of skipped)
      process.stdout.write(`${count} skipped in ${relative(process.cwd(), path)}\n`);
    process.stdout.write(`${passed} passed, ${failed} failed\n`);
  }
}
