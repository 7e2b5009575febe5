import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SERVICE_ENTRY, ServiceProcess } from './service-process.js';
import { TestDatabase } from './test-database.js';

const PREFIX = 'tradepost-template-';
const run = promisify(execFile);

/**
 * A data folder as a first start without plugins leaves it, which tests copy: made by the first one that needs it, once for
 * each build of the service.
 */
export async function templateFolder(env: Readonly<Record<string, string>>): Promise<string> {
  const { mtimeMs, size } = await stat(SERVICE_ENTRY);
  const prefix = PREFIX + hashOf(SERVICE_ENTRY);
  const name = `${prefix}-${hashOf(JSON.stringify([mtimeMs, size, env]))}`;
  const folder = join(tmpdir(), name);
  if ((await stat(folder).catch(() => undefined)) !== undefined) return folder;
  const making = await mkdtemp(`${folder}.`);
  try {
    await startOnce(making, env);
    // Fails where another test was faster.
    await rename(making, folder).catch(() => undefined);
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  for (const other of await readdir(tmpdir()))
    if (other.startsWith(`${prefix}-`) && !other.startsWith(name))
      await rm(join(tmpdir(), other), { recursive: true, force: true });
  return folder;
}

async function startOnce(dataDir: string, env: Readonly<Record<string, string>>): Promise<void> {
  const database = await TestDatabase.open(dataDir);
  try {
    const service = await ServiceProcess.start({ dataDir, env });
    await service.end('SIGTERM');
  } finally {
    await database.close();
  }
}

/** With its owners: a server that is started by root runs as somebody else. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await run('cp', ['-a', `${from}/.`, to]);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
