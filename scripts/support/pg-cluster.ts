import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { appendFile, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { CLUSTER_ROLE, clusterArgument, ensureCluster } from '../../src/kit/database/embedded/cluster.js';
import {
  locateBinaryPackage,
  type PostgresBinaries,
  prepareBinaries,
} from '../../src/kit/database/embedded/postgres-binaries.js';
import { ServerAccount } from '../../src/kit/database/embedded/server-account.js';

const DATABASE = 'exchange';
/** Known to the client alone by the address, so that tests can look for it where it must not be. */
export const CLUSTER_PASSWORD = 'sesame-of-the-cluster';
const WAIT_MS_MAX = 60_000;
const POLL_MS = 20;

/** What a backup leaves out: what only the server that wrote it can use, and what a standby streams anyway. */
const NOT_COPIED = /^(postmaster\.(pid|opts)|(pg_wal|pg_replslot|pg_stat_tmp|pg_dynshmem)\/.+)$/;

/**
 * A primary and a standby that streams from it and confirms its commits, on free ports of 127.0.0.1, made of the
 * embedded binaries. Fsync is on. `stop` ends and removes whatever is left of them.
 */
export class PgCluster {
  primary: PgServer;
  /** Null while the cluster has none. */
  standby: PgServer | null = null;

  private constructor(
    private readonly folder: string,
    private readonly binaries: PostgresBinaries,
    private readonly account: ServerAccount,
    private readonly ports: readonly [number, number],
  ) {
    this.primary = this.server(ports[0]);
  }

  /** In a folder of its own, or in one that is given, which `stop` removes all the same. */
  static async start(given?: string): Promise<PgCluster> {
    const folder = given ?? (await mkdtemp(join(tmpdir(), 'tradepost-cluster-')));
    const account = await ServerAccount.forCluster(join(folder, 'none'));
    await account.give(folder);
    const copies = account.isLent ? ['/var/cache/tradepost', join(tmpdir(), 'tradepost-binaries')] : [folder];
    const binaries = await prepareBinaries(locateBinaryPackage(), account, copies);
    const cluster = new PgCluster(folder, binaries, account, [await freePort(), await freePort()]);
    try {
      await cluster.makePrimary();
      await cluster.attachStandby();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** Both servers, as `DATABASE_URL` names them. */
  get url(): string {
    const hosts = this.ports.map((port) => `127.0.0.1:${port}`).join(',');
    return `postgresql://${CLUSTER_ROLE}:${CLUSTER_PASSWORD}@${hosts}/${DATABASE}?target_session_attrs=read-write`;
  }

  /** Makes a standby of the running primary, at the address that is free, and waits until it confirms commits. */
  async attachStandby(): Promise<void> {
    const port = this.ports.find((candidate) => candidate !== this.primary.port)!;
    const standby = this.server(port);
    const slot = `slot_${port}`;
    await this.primary.query(
      `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE NOT active`,
    );
    await this.primary.query('SELECT pg_create_physical_replication_slot($1, true)', [slot]);
    await this.copy(this.primary, standby);
    await this.write(standby, 'standby.signal', '');
    const conninfo = `host=127.0.0.1 port=${this.primary.port} user=${CLUSTER_ROLE} password=${CLUSTER_PASSWORD} application_name=standby`;
    await appendFile(
      join(standby.dir, 'postgresql.auto.conf'),
      `primary_conninfo = '${conninfo}'\nprimary_slot_name = '${slot}'\nhot_standby = on\n`,
    );
    await standby.start();
    this.standby = standby;
    await this.requireStandby();
    await eventually(
      async () =>
        (await this.primary.query(`SELECT 1 FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')`))
          .length === 1,
      'the standby confirms commits',
    );
  }

  /** A base backup of the primary, restored and started beside it as a server of its own. */
  async startCopy(): Promise<PgServer> {
    const copy = this.server(await freePort());
    await this.copy(this.primary, copy);
    // The log of the time of the backup, which a standby would stream.
    await this.copyFiles(this.primary.dir, copy.dir, 'pg_wal');
    await copy.start();
    return copy;
  }

  /** From now on every commit of the primary waits for the standby. */
  async requireStandby(): Promise<void> {
    await this.primary.configure(`synchronous_standby_names = 'standby'`);
  }

  /** From now on commits of the primary wait for no standby. */
  async requireNobody(): Promise<void> {
    await this.primary.configure(`synchronous_standby_names = ''`);
  }

  /** The primary's machine burns down. */
  async destroyPrimary(): Promise<void> {
    await this.primary.kill();
    await rm(this.primary.dir, { recursive: true, force: true });
  }

  /** Promotes the standby. It is alone then, so its commits wait for no standby unless requested. */
  async promote({ waitsForStandby = false } = {}): Promise<void> {
    const { standby } = this;
    if (standby === null) throw new Error('there is no standby to promote');
    if (!waitsForStandby) await standby.configure(`synchronous_standby_names = ''`);
    await standby.query('SELECT pg_promote()');
    this.primary = standby;
    this.standby = null;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.servers].map((server) => server.kill()));
    await rm(this.folder, { recursive: true, force: true });
  }

  private readonly servers = new Set<PgServer>();
  private serial = 0;

  private server(port: number): PgServer {
    const dir = join(this.folder, `server-${++this.serial}`);
    const server = new PgServer(dir, port, this.binaries, this.account);
    this.servers.add(server);
    return server;
  }

  private async makePrimary(): Promise<void> {
    const { primary } = this;
    await ensureCluster(primary.dir, this.account, this.binaries);
    await this.write(
      primary,
      'pg_hba.conf',
      [
        'local all all trust',
        'host all all 127.0.0.1/32 scram-sha-256',
        'host replication all 127.0.0.1/32 scram-sha-256',
        '',
      ].join('\n'),
    );
    await primary.start();
    await primary.query(`ALTER ROLE ${CLUSTER_ROLE} PASSWORD '${CLUSTER_PASSWORD}'`);
    await primary.query(`CREATE DATABASE ${DATABASE}`);
  }

  /** A base backup of a running server. */
  private async copy(from: PgServer, to: PgServer): Promise<void> {
    await mkdir(to.dir, { mode: 0o700 });
    await this.account.give(to.dir);
    await from.onConnection(async (client) => {
      await client.query(`SELECT pg_backup_start('standby', true)`);
      await this.copyFolder(from.dir, to.dir, '');
      const { rows } = await client.query<{ label: string }>(
        'SELECT labelfile AS label FROM pg_backup_stop(false)',
      );
      await this.write(to, 'backup_label', rows[0]!.label);
    });
  }

  private async copyFolder(from: string, to: string, path: string): Promise<void> {
    for (const entry of await readdir(join(from, path), { withFileTypes: true })) {
      const inside = path === '' ? entry.name : `${path}/${entry.name}`;
      if (NOT_COPIED.test(inside)) continue;
      const target = join(to, inside);
      if (entry.isDirectory()) {
        await mkdir(target, { mode: 0o700 });
        await this.account.give(target);
        await this.copyFolder(from, to, inside);
      } else if (entry.isFile()) {
        await copyFile(join(from, inside), target, constants.COPYFILE_FICLONE).then(
          () => this.account.give(target),
          // Tables may be dropped meanwhile; the standby hears of it from the log.
          (error: NodeJS.ErrnoException) => {
            if (error.code !== 'ENOENT') throw error;
          },
        );
      }
    }
    if (path === '') await this.makeFolder(join(to, 'pg_wal/archive_status'));
  }

  private async copyFiles(from: string, to: string, path: string): Promise<void> {
    for (const entry of await readdir(join(from, path), { withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const target = join(to, path, entry.name);
      await copyFile(join(from, path, entry.name), target, constants.COPYFILE_FICLONE);
      await this.account.give(target);
    }
  }

  private async makeFolder(path: string): Promise<void> {
    await mkdir(path, { mode: 0o700, recursive: true });
    await this.account.give(path);
  }

  private async write(server: PgServer, name: string, text: string): Promise<void> {
    const path = join(server.dir, name);
    await writeFile(path, text, { mode: 0o600 });
    await this.account.give(path);
  }
}

/** One server of a cluster, and its process. */
export class PgServer {
  private child: ChildProcess | undefined;
  private log = '';

  constructor(
    readonly dir: string,
    readonly port: number,
    private readonly binaries: PostgresBinaries,
    private readonly account: ServerAccount,
  ) {}

  /** This server alone. */
  get url(): string {
    return `postgresql://${CLUSTER_ROLE}:${CLUSTER_PASSWORD}@127.0.0.1:${this.port}/${DATABASE}`;
  }

  /** Resolves once it answers. */
  async start(): Promise<void> {
    const settings = [
      'listen_addresses=127.0.0.1',
      `port=${this.port}`,
      'unix_socket_directories=.',
      // Three processes, and a fourth while one is replaced.
      'max_connections=200',
      'shared_buffers=32MB',
      'wal_level=replica',
      'fsync=on',
      'synchronous_commit=on',
      'full_page_writes=on',
      'jit=off',
      'TimeZone=UTC',
    ];
    const child = spawn(
      this.binaries.postgres,
      [
        '-D',
        await clusterArgument(this.dir, this.account),
        ...settings.flatMap((setting) => ['-c', setting]),
      ],
      // Ctrl-C reaches the terminal's whole process group: the owner of the cluster stops it, after its users.
      { ...this.account.spawnOptions, cwd: this.dir, detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.child = child;
    child.stderr.on('data', (chunk: Buffer) => (this.log = (this.log + chunk.toString()).slice(-10_000)));
    process.once('exit', this.killNow);
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended: ${this.log}`);
      return this.query('SELECT 1').then(
        () => true,
        () => false,
      );
    }, 'PostgreSQL answers');
  }

  /** Resolves once none of its processes is left. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const pids = await this.pids();
    for (const pid of pids) signal(pid, 'SIGKILL');
    await once(child, 'exit');
    process.off('exit', this.killNow);
  }

  /** Stops it as a frozen machine stops: its connections stay open, and nothing is answered. */
  async freeze(): Promise<void> {
    for (const pid of await this.pids()) signal(pid, 'SIGSTOP');
  }

  async thaw(): Promise<void> {
    for (const pid of await this.pids()) signal(pid, 'SIGCONT');
  }

  /** Sets something for good, such as `synchronous_standby_names = ''`, and waits until it holds. */
  async configure(setting: string): Promise<void> {
    const [, name, value] = /^(\w+) = '?(.*?)'?$/.exec(setting)!;
    await this.query(`ALTER SYSTEM SET ${setting}`);
    await this.query('SELECT pg_reload_conf()');
    await eventually(
      async () =>
        (await this.query<{ value: string }>(`SELECT current_setting('${name}') AS value`))[0]!.value ===
        value,
      `the server has ${setting}`,
    );
  }

  query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.onConnection(async (client) => (await client.query<Row>(text, values)).rows);
  }

  async onConnection<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    // By its socket, which needs no password; `postgres` is there before the database of the service is.
    const client = new pg.Client({
      ...{ host: this.dir, port: this.port, user: CLUSTER_ROLE, database: 'postgres', ssl: false },
      connectionTimeoutMillis: 5_000,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await work(client);
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  private readonly killNow = (): void => {
    this.child?.kill('SIGKILL');
  };

  /** The server and all processes that it has started. */
  private async pids(): Promise<number[]> {
    const parent = this.child!.pid!;
    const pids = [parent];
    // Elsewhere than on Linux the others notice by themselves that the first is gone.
    for (const name of await readdir('/proc').catch(() => [])) {
      if (!/^\d+$/.test(name)) continue;
      const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
      if (Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent) pids.push(Number(name));
    }
    return pids;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function eventually(isSo: () => Promise<boolean>, what: string): Promise<void> {
  const deadlineMs = performance.now() + WAIT_MS_MAX;
  while (!(await isSo())) {
    if (performance.now() > deadlineMs) throw new Error(`never came true: ${what}`);
    await delay(POLL_MS);
  }
}
