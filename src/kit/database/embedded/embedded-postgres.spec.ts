import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { StartRefusal } from '../../config/start-refusal.js';
import { EmbeddedPostgres, type RunningPostgres } from './embedded-postgres.js';
import { occupantOf, postmasterFilePath, readPostmasterFile } from './postmaster-file.js';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

/** Runs the launcher in a process of its own, which can be killed. It says where the server is and waits. */
const OWNER_SCRIPT = `
  const { EmbeddedPostgres } = await import(process.argv[1]);
  const logger = { log() {}, warn() {} };
  const server = await new EmbeddedPostgres({ dataDir: process.argv[2], logger }).start();
  process.on('SIGINT', () => {});
  process.stdin.once('data', async () => { await server.stop(); process.exit(0); });
  console.log(JSON.stringify({ url: server.url, pid: server.pid, adopted: server.adopted }));
`;

/** Lets plain Node run the sources: it strips types, but looks for the files that they are compiled to. */
const RESOLVE_SOURCES = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({ resolve(specifier, context, next) {
    const isSource = specifier.startsWith('.') && context.parentURL.endsWith('.ts');
    return next(isSource ? specifier.replace(/\\.js$/, '.ts') : specifier, context);
  } });
`)}`;

interface Owner {
  readonly url: string;
  readonly pid: number;
  readonly adopted: boolean;
  readonly process: ChildProcess;
}

describe('EmbeddedPostgres', () => {
  let folder: string;
  let dataDir: string;
  const warnings: string[] = [];
  const logger = { log: () => undefined, warn: (line: string) => void warnings.push(line) };
  const opened: RunningPostgres[] = [];
  const owners: ChildProcess[] = [];

  /** A data folder that is made once; copying it takes a tenth of the time. */
  let readyDir: string;
  beforeAll(async () => {
    readyDir = await mkdtemp(join(tmpdir(), 'tradepost-launcher-'));
    await (await new EmbeddedPostgres({ dataDir: readyDir, logger }).start()).stop();
  });
  afterAll(async () => {
    await rm(readyDir, { recursive: true });
  });
  const useReadyFolder = async (): Promise<void> => {
    await mkdir(dirname(dataDir));
    execFileSync('cp', ['-a', readyDir, dataDir]);
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tradepost-launcher-'));
    await chmod(folder, 0o755);
    dataDir = join(folder, 'missing', 'data');
  });

  afterEach(async () => {
    for (const owner of owners.splice(0)) owner.kill('SIGKILL');
    for (const server of opened.splice(0)) await server.stop();
    const left = await readPostmasterFile(join(dataDir, 'postgres')).catch(() => undefined);
    if (left !== undefined) await (await new EmbeddedPostgres({ dataDir, logger }).start()).stop();
    await rm(folder, { recursive: true, force: true });
    warnings.length = 0;
  });

  const start = async (dir = dataDir): Promise<RunningPostgres> => {
    const server = await new EmbeddedPostgres({ dataDir: dir, logger }).start();
    opened.push(server);
    return server;
  };

  const startOwner = async (options: { uid?: number; gid?: number } = {}): Promise<Owner> => {
    const args = ['--no-warnings', '--experimental-transform-types', '--import', RESOLVE_SOURCES];
    const launcher = join(import.meta.dirname, 'embedded-postgres.ts');
    const child = spawn(
      process.execPath,
      [...args, '--input-type=module', '-e', OWNER_SCRIPT, launcher, dataDir],
      {
        ...options,
        detached: true,
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    owners.push(child);
    for await (const line of createInterface({ input: child.stdout })) {
      return { ...(JSON.parse(line) as { url: string; pid: number; adopted: boolean }), process: child };
    }
    throw new Error('The owner said nothing');
  };

  const isServing = async (pid: number): Promise<boolean> =>
    (await occupantOf(pid, join(dataDir, 'postgres'))) === 'server';

  const killServer = async (pid: number): Promise<void> => {
    process.kill(pid, 'SIGKILL');
    while (await isServing(pid)) await delay(5);
  };

  it('makes a database in a folder that does not exist, keeps it durable, and finds it again', async () => {
    const first = await start();
    const { rows } = await query(
      first.url,
      `SELECT name, setting FROM pg_settings WHERE name IN
       ('fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums', 'listen_addresses', 'server_encoding')`,
    );
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      data_checksums: 'on',
      listen_addresses: '',
      server_encoding: 'UTF8',
    });
    await query(first.url, 'CREATE TABLE kept AS SELECT 1 AS one');
    const socketDir = socketDirOf(first.url);
    await first.stop();
    expect(await isServing(first.pid)).toBe(false);
    expect(existsSync(socketDir)).toBe(false);

    const second = await start();
    expect(second.adopted).toBe(false);
    expect((await query(second.url, 'SELECT one FROM kept')).rows).toEqual([{ one: 1 }]);
  });

  it('lets nobody else into the folder of its socket', async () => {
    await useReadyFolder();
    const server = await start();
    expect((await stat(socketDirOf(server.url))).mode & 0o777).toBe(0o700);
  });

  it('works where the path is longer than that of a socket may be', async () => {
    const server = await start(join(dataDir, 'x'.repeat(120), 'y'.repeat(120)));
    expect((await query(server.url, 'SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it.runIf(isRoot)('works as root below a folder that only root can enter', async () => {
    await mkdir(dirname(dataDir), { mode: 0o700 });
    const server = await start();
    await query(server.url, 'CREATE TABLE kept AS SELECT 1 AS one');
    await server.stop();
    expect(existsSync(join(dataDir, 'postgres', 'PG_VERSION'))).toBe(true);
    const again = await start();
    expect((await query(again.url, 'SELECT one FROM kept')).rows).toEqual([{ one: 1 }]);
  });

  it('works as an ordinary user', async ({ skip }) => {
    if (isRoot) {
      skip(!nobodyCanEnter(import.meta.dirname), 'these sources lie where only root can read them');
      await chown(folder, NOBODY, NOBODY);
    }
    const owner = await startOwner(isRoot ? { uid: NOBODY, gid: NOBODY } : {});
    expect((await stat(join(dataDir, 'postgres'))).uid).toBe(isRoot ? NOBODY : process.getuid?.());
    await leave(owner);
    expect(await isServing(owner.pid)).toBe(false);
  });

  it('adopts the server of an app that was killed', async () => {
    await useReadyFolder();
    const owner = await startOwner();
    await query(owner.url, 'CREATE TABLE kept AS SELECT 1 AS one');
    owner.process.kill('SIGKILL');
    const server = await start();
    expect(server).toMatchObject({ adopted: true, pid: owner.pid, url: owner.url });
    expect((await query(server.url, 'SELECT one FROM kept')).rows).toEqual([{ one: 1 }]);
    await server.stop();
    expect(await isServing(owner.pid)).toBe(false);
  });

  it('starts again at the same address when the server is killed', async () => {
    await useReadyFolder();
    const server = await start();
    await query(server.url, 'CREATE TABLE kept AS SELECT 1 AS one');
    const killed = server.pid;
    await killServer(killed);
    await server.ensureRunning();
    expect(server.pid).not.toBe(killed);
    expect((await query(server.url, 'SELECT one FROM kept')).rows).toEqual([{ one: 1 }]);
    expect(warnings).toHaveLength(1);
  });

  it('is restored by one of its users, and joined by the other', async () => {
    await useReadyFolder();
    const [one, other] = [await start(), await start()];
    await killServer(one.pid);
    await Promise.all([one.ensureRunning(), other.ensureRunning()]);
    expect(other.pid).toBe(one.pid);
    expect((await query(other.url, 'SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('starts after app and server were killed together', async () => {
    await useReadyFolder();
    const owner = await startOwner();
    await query(owner.url, 'CREATE TABLE kept AS SELECT 1 AS one');
    owner.process.kill('SIGKILL');
    process.kill(owner.pid, 'SIGKILL');
    const server = await start();
    expect(server.adopted).toBe(false);
    expect((await query(server.url, 'SELECT one FROM kept')).rows).toEqual([{ one: 1 }]);
  });

  it('is ended by its last user only', async () => {
    await useReadyFolder();
    const owner = await startOwner();
    const server = await start();
    expect(server.pid).toBe(owner.pid);
    await leave(owner);
    expect((await query(server.url, 'SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await server.stop();
    expect(await isServing(owner.pid)).toBe(false);
  });

  it('lets one of two apps that start at once through, and the other join', async () => {
    const [one, other] = await Promise.all([startOwner(), startOwner()]);
    expect(one.pid).toBe(other.pid);
    expect([one.adopted, other.adopted].sort()).toEqual([false, true]);
    await Promise.all([leave(one), leave(other)]);
    expect(await isServing(one.pid)).toBe(false);
  });

  it('is not ended by Ctrl-C in the terminal of its app', async () => {
    await useReadyFolder();
    const owner = await startOwner();
    process.kill(-owner.process.pid!, 'SIGINT');
    await delay(200);
    expect((await query(owner.url, 'SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await leave(owner);
  });

  it('does not take another process with the same id for its server', async () => {
    await useReadyFolder();
    const file = postmasterFilePath(join(dataDir, 'postgres'));
    await writeFile(file, `${process.pid}\n${dataDir}/postgres\n1\n5432\n/tmp/tradepost-gone\n`);
    const { uid, gid } = await stat(join(dataDir, 'postgres'));
    await chown(file, uid, gid);
    expect((await start()).adopted).toBe(false);
  });

  it('does not take the server of the folder that its own was copied from', async () => {
    await useReadyFolder();
    const original = await start();
    const copyDir = join(folder, 'copy');
    execFileSync('cp', ['-a', dataDir, copyDir]);
    expect(await readFile(postmasterFilePath(join(copyDir, 'postgres')), 'utf8')).toContain(
      String(original.pid),
    );
    const copy = await start(copyDir);
    expect(copy.adopted).toBe(false);
    expect(copy.pid).not.toBe(original.pid);
  });

  describe('refuses in one line', () => {
    const refusal = async (): Promise<string> => {
      const error: unknown = await start().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(StartRefusal);
      expect((error as StartRefusal).message).not.toContain('\n');
      return (error as StartRefusal).message;
    };

    it('a folder with something else in it', async () => {
      await mkdir(join(dataDir, 'postgres', 'holiday-photos'), { recursive: true });
      expect(await refusal()).toContain('is not a PostgreSQL data folder');
    });

    it('a folder of another version', async () => {
      await mkdir(join(dataDir, 'postgres'), { recursive: true });
      await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '17\n');
      expect(await refusal()).toMatch(/was made by PostgreSQL 17, and this release brings 18/);
    });

    it('a path that cannot be a folder', async () => {
      await writeFile(dirname(dataDir), '');
      expect(await refusal()).toMatch(/^DATA_DIR .*DATABASE_URL/);
    });

    it('a server that does not start, with its own words', async () => {
      await useReadyFolder();
      await rm(join(dataDir, 'postgres', 'global', 'pg_control'));
      expect(await refusal()).toContain('pg_control');
    });
  });
});

async function query(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

async function leave(owner: Owner): Promise<void> {
  const ended = new Promise((resolve) => owner.process.once('exit', resolve));
  owner.process.stdin?.write('stop\n');
  expect(await ended).toBe(0);
}

function socketDirOf(url: string): string {
  return new URL(url).searchParams.get('host')!;
}

function nobodyCanEnter(dir: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', dir], { uid: NOBODY, gid: NOBODY }).status === 0;
}
