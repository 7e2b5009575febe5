import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { migrations } from '../../src/migrations/index.js';
import { EmbeddedPostgres } from '../../src/platform/database/embedded/embedded-postgres.js';
import { migrate } from '../../src/platform/database/migrate.js';

const FOLDER_PREFIX = 'tradepost-test-run-';
/** Ends a server and removes its folders when it has let go of them. */
const CLEANER =
  'kill -QUIT "$1"; for i in $(seq 100); do kill -0 "$1" || break; sleep 0.05; done; shift; rm -rf "$@"';
const logger = { log: () => undefined, warn: console.warn };

/** One server for the whole run, in a folder of its own, with a migrated database to clone from. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeAbandonedServers();
  const dataDir = await mkdtemp(join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-`));
  const server = await new EmbeddedPostgres({ dataDir, logger }).start();
  // A signal ends vitest without its teardown; what is left of a `kill -9` the next run removes.
  const abandon = (): void => {
    const folders = [dataDir, socketFolderOf(server.url)];
    spawn('/bin/sh', ['-c', CLEANER, 'cleaner', String(server.pid), ...folders], { detached: true }).unref();
  };
  const onSignal = (_: string, number: number): void => process.exit(128 + number);
  process.once('exit', abandon).once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const teardown = async (): Promise<void> => {
    process.off('exit', abandon).off('SIGINT', onSignal).off('SIGTERM', onSignal);
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await migrate(server.url, migrations);
  } catch (error) {
    await teardown();
    throw error;
  }
  project.provide('templateDatabaseUrl', server.url);
  return teardown;
}

/** Ends the servers of runs that were killed, and removes their folders. */
async function removeAbandonedServers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = new RegExp(`^${FOLDER_PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    const dataDir = join(tmpdir(), name);
    // Whoever joins the server and leaves it as its last user ends it.
    const server = await new EmbeddedPostgres({ dataDir, logger }).start();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

function socketFolderOf(url: string): string {
  return new URL(url).searchParams.get('host')!;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
