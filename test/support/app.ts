import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp, type AppOptions, type Service } from '../../src/create-app.js';
import { loadConfig, type Config, type Environment } from '../../src/kit/config/config.js';
import { ReadEnvironment } from '../../src/kit/config/read-environment.js';
import { pluginDeclarationOf } from '../../src/kit/module/tradepost-module.js';
import { madePassphrasePath } from '../../src/kit/vault/passphrase.js';
import { watchAnswers } from './declared-answers.js';
import { createTestDatabase, makeTemplate, type TestDatabase } from './database.js';

/** The passphrase of the key stores of all test apps. */
export const TEST_PASSPHRASE = 'the passphrase of all test apps';

export interface TestApp {
  readonly app: Service;
  /** Without a trailing slash. */
  readonly url: string;
  readonly config: Config;
  /** Stops the service as SIGTERM would, and removes its database and folder. */
  close(): Promise<void>;
}

export interface TestAppOverrides extends Partial<Omit<Config, 'environment'>> {
  readonly plugins?: AppOptions['plugins'];
  /** Settings of groups and plugins, by their names, or those of another app. */
  readonly environment?: Environment | ReadEnvironment;
}

const DEMO_TEMPLATE = 'demo_template';
let demoTemplate: Promise<void> | undefined;

/**
 * A database with the demo data, which only the first start of a run has to seed, and a key store that opens with
 * TEST_PASSPHRASE.
 */
export async function createDemoDatabase(): Promise<TestDatabase> {
  demoTemplate ??= makeTemplate(DEMO_TEMPLATE, async (databaseUrl) => {
    const app = await startTestApp({ databaseUrl });
    await app.close();
  });
  await demoTemplate;
  return createTestDatabase(DEMO_TEMPLATE);
}

/** The whole service with demo data on a free port, with a database and a folder of its own; settings may be overridden. */
export async function startTestApp({
  plugins,
  environment,
  ...overrides
}: TestAppOverrides = {}): Promise<TestApp> {
  const database = overrides.databaseUrl === undefined ? await createDatabaseFor(overrides) : undefined;
  const databaseUrl = overrides.databaseUrl ?? database?.url;
  const dataDir = await mkdtemp(join(tmpdir(), 'tradepost-app-'));
  const cleanUp = async (): Promise<void> => {
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  };
  const config: Config = {
    ...loadConfig({
      NODE_ENV: 'test',
      PORT: '0',
      SEED_DEMO: 'true',
      LOG_LEVEL: 'fatal',
      PASSWORD_MEMORY_KIB: '8',
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
      ...variablesOf(environment),
    }),
    ...overrides,
  };
  // The next app on the same database has its own folder, but must decrypt what this one encrypted.
  await writeFile(madePassphrasePath({ dataDir }), TEST_PASSPHRASE, { mode: 0o600 });
  try {
    const app = await createApp({ config, plugins });
    watchAnswers(app.nest.getHttpServer(), {
      hasPlugins: plugins !== undefined,
      fields: (plugins ?? []).flatMap(
        (plugin) => pluginDeclarationOf(plugin)?.fields?.map(({ name }) => name) ?? [],
      ),
      isPartial: config.groups !== undefined,
    });
    const url = await app.listen();
    return {
      app,
      url,
      config,
      async close() {
        await app.close();
        await cleanUp();
      },
    };
  } catch (error) {
    await cleanUp();
    throw error;
  }
}

export function variablesOf(environment: TestAppOverrides['environment']): Environment {
  return environment instanceof ReadEnvironment ? environment.variables : { ...environment };
}

function createDatabaseFor({ seedDemo = true }: Partial<Config>): Promise<TestDatabase> {
  return seedDemo ? createDemoDatabase() : createTestDatabase();
}
