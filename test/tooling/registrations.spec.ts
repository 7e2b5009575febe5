import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Where a module would enter what `@TradepostModule` declares. */
const CALLS =
  /\b(?:leader\.assume|jobs\.handle|purges\.add|kinds\.register|(?:personalData|data)\.(?:exports|erases))\(/;

const files = globSync('{src,plugins,examples,templates}/**/*.ts', {
  exclude: ['**/node_modules/**'],
}).filter((path) => !path.startsWith('src/kit/module/') && !path.endsWith('.spec.ts'));

it('constructor registrations (0): modules declare their work, and nothing else hands it over', () => {
  expect(files.length).toBeGreaterThan(1_000);
  const registrations = files.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => CALLS.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );
  expect(registrations).toEqual([]);
});
