import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

/**
 * `npm test` adds `--mode fast`: the contract, in minutes, from the sources. `npm run test:all` adds `--mode rest`: all
 * other specs, which need a build, browsers, Redis, chains or several processes. `npm run test:long` adds `--mode long`:
 * what takes hours, and the longer version of specs that have two. Without a mode, as in `vitest run FILE`, a spec of
 * either of the first two is found.
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
    // Twice the cores that they are meant for: half of a spec waits for its service and its database.
    maxWorkers: 4,
    // Far beyond what any of them takes on a calm machine: a busy one must fail nothing that is right.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    setupFiles: ['reflect-metadata', './test/support/cost/cost-setup.ts'],
    reporters: ['default', './test/support/summary-reporter.ts'],
    projects: projectsOf(mode),
  },
}));

/**
 * Specs about durability, processes, browsers, plugins, upgrades or what is built; matrices of all routes, floods and long
 * series of attacks; and the dearest of those that repeat at random.
 */
const PATHS_OF_REST = [
  'bench/',
  'plugins/',
  'src/core/',
  'src/modules/blog/rendering/markdown.spec.ts',
  'src/modules/markets/derived-tables.spec.ts',
  'src/modules/markets/holdings/balance-history.spec.ts',
  'src/modules/users/password-login.spec.ts',
  'src/kit/database/embedded/',
  'test/client/',
  'test/cluster/',
  'test/console/',
  'test/e2e/accounts/account-roles.spec.ts',
  'test/e2e/admin/roles.spec.ts',
  'test/e2e/auth/identity',
  'test/e2e/auth/oauth-attacks.spec.ts',
  'test/e2e/auth/passkeys.spec.ts',
  'test/e2e/auth/stolen-credentials.spec.ts',
  'test/e2e/banking/bank-reports.spec.ts',
  'test/e2e/banking/held-payments.spec.ts',
  'test/e2e/banking/payouts-hostile.spec.ts',
  'test/e2e/core/',
  'test/e2e/fix/',
  'test/e2e/limits/',
  'test/e2e/mail/',
  'test/e2e/news/news-feeds.spec.ts',
  'test/e2e/pets/pets-images.spec.ts',
  'test/e2e/petstore/',
  'test/e2e/users/erasure.spec.ts',
  'test/e2e/users/exports.spec.ts',
  'test/e2e/users/users-limits.spec.ts',
  'test/e2e/wallets/wallet-transfers.spec.ts',
  'test/e2e/webhooks/webhooks-groups.spec.ts',
  'test/e2e/kit/cold-caches.spec.ts',
  'test/e2e/kit/demo.spec.ts',
  'test/e2e/kit/module.spec.ts',
  'test/e2e/kit/hostile-',
  'test/e2e/kit/periods.spec.ts',
  'test/e2e/kit/plugin-',
  'test/e2e/kit/realtime-load.spec.ts',
  'test/e2e/kit/routes.spec.ts',
  'test/e2e/kit/traces.spec.ts',
  'test/e2e/kit/turns.spec.ts',
  'test/e2e/plugins/',
  'test/e2e/replicas/',
  'test/recovery/',
  'test/tooling/',
];
/** What starts a browser, Redis, a chain, several processes or the built service. */
const IMPORTS_OF_REST =
  /support\/(?:anvil|browser|pg-cluster|redis|replicas)\.js'|src\/testing\/|service-under-fire\.js'|dist\//;

const specs = globSync('{bench,plugins,src,test}/**/*.spec.ts', { exclude: ['**/node_modules/**'] }).filter(
  (path) => !path.startsWith('test/long/'),
);
const specsOfRest = specs.filter(
  (path) =>
    !path.startsWith('test/fast/') &&
    (/-(?:restart|upgrade)\.spec\.ts$/.test(path) ||
      PATHS_OF_REST.some((start) => path.startsWith(start)) ||
      IMPORTS_OF_REST.test(readFileSync(path, 'utf8'))),
);

function projectsOf(mode: string): object[] {
  const service = {
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/check-answers.ts'],
  };
  if (mode === 'long') {
    const include = ['test/long/**/*.spec.ts', ...specs.filter(isInBothSizes)];
    const env = { TEST_LENGTH: 'long' };
    return [projectOf('long', { ...service, include, env, testTimeout: 3_600_000 })];
  }
  const include = specs.filter((path) => {
    if (mode === 'fast') return !specsOfRest.includes(path);
    return mode !== 'rest' || specsOfRest.includes(path);
  });
  const isOfDomain = (path: string): boolean => path.startsWith('src/domain/');
  return [
    // On its own, so that a run of the pure domain alone starts no database.
    projectOf('domain', { include: include.filter(isOfDomain) }),
    projectOf('service', { ...service, include: include.filter((path) => !isOfDomain(path)) }),
  ];
}

function projectOf(name: string, test: object): object {
  return { extends: true, test: { name, ...test } };
}

/** Those that prove by repetition, as often as `test/support/rounds.ts` tells them. */
function isInBothSizes(path: string): boolean {
  return readFileSync(path, 'utf8').includes('support/rounds.js');
}
