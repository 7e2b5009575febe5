import { spawn } from 'node:child_process';
import { glob, rm } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import { EmbeddedPostgres } from '../../src/kit/database/embedded/embedded-postgres.js';
import { type MigrationClass, migrate } from '../../src/kit/database/migrate.js';
import {
  abandonedServerFolders,
  bundleFolderOf,
  CLUSTER_PREFIX,
  makeServerFolder,
  SITE_PREFIX,
} from './server-folder.js';

const FOLDER_PREFIX = 'tradepost-test-run-';
/** Stops a server and removes its folders once it has released them. */
const CLEANER =
  'kill -QUIT "$1"; for i in $(seq 100); do kill -0 "$1" || break; sleep 0.05; done; shift; rm -rf "$@"';
const logger = { log: () => undefined, warn: console.warn };

/** One server for the whole run, in its own folder, with a migrated database to clone from. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeAbandonedServers();
  const dataDir = await makeServerFolder(FOLDER_PREFIX);
  const server = await new EmbeddedPostgres({ dataDir, logger }).start();
  // A signal ends vitest without its teardown; the next run cleans up after a `kill -9`.
  const abandon = (): void => {
    const folders = [dataDir, socketFolderOf(server.url), bundleFolderOf(dataDir)];
    spawn('/bin/sh', ['-c', CLEANER, 'cleaner', String(server.pid), ...folders], { detached: true }).unref();
  };
  const onSignal = (_: string, number: number): void => process.exit(128 + number);
  process.once('exit', abandon).once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const teardown = async (): Promise<void> => {
    process.off('exit', abandon).off('SIGINT', onSignal).off('SIGTERM', onSignal);
    await server.stop();
    for (const folder of [dataDir, bundleFolderOf(dataDir)])
      await rm(folder, { recursive: true, force: true });
  };
  try {
    await migrate(server.url, await migrationsOfService());
  } catch (error) {
    await teardown();
    throw error;
  }
  project.provide('templateDatabaseUrl', server.url);
  project.provide('runFolder', dataDir);
  return teardown;
}

/** From their files: the modules that declare them are the whole service, which takes seconds to load. */
async function migrationsOfService(): Promise<MigrationClass[]> {
  const migrations: MigrationClass[] = [];
  for await (const path of glob('src/**/migrations/*.ts')) {
    migrations.push(
      ...Object.values((await import(/* @vite-ignore */ `../../${path}`)) as Record<string, MigrationClass>),
    );
  }
  return migrations;
}

/** Ends the servers of runs that were killed, and removes their folders. */
async function removeAbandonedServers(): Promise<void> {
  for (const dataDir of await abandonedServerFolders(FOLDER_PREFIX)) {
    // Joining the server and leaving as its last user stops it.
    const server = await new EmbeddedPostgres({ dataDir, logger }).start();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
  // A server whose folder is gone stops by itself.
  for (const prefix of [SITE_PREFIX, CLUSTER_PREFIX]) {
    for (const folder of await abandonedServerFolders(prefix))
      await rm(folder, { recursive: true, force: true });
  }
}

function socketFolderOf(url: string): string {
  return new URL(url).searchParams.get('host')!;
}
