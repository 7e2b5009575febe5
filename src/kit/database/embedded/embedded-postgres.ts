import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartRefusal } from '../../config/start-refusal.js';
import { CLUSTER_ROLE, ensureCluster } from './cluster.js';
import { locateBinaryPackage, prepareBinaries } from './postgres-binaries.js';
import { type Attachment, Postmaster } from './postmaster.js';
import { ServerAccount } from './server-account.js';
import { socketUrl } from './socket-folder.js';

/** The database that the service uses in the embedded server. */
const DATABASE_NAME = 'tradepost';
/** SQLSTATEs if another process is creating the database, or has just created it. */
const ALREADY_MADE = ['42P04', '23505'];
const RESTART_DELAY_MS_MAX = 5_000;
const POLL_MS = 15;

export interface EmbeddedPostgresOptions {
  /** Absolute; created with its parents if missing. The cluster lies in `postgres` below it. */
  readonly dataDir: string;
  /** Logs restarts, and errors that keep the server down. */
  readonly logger: { log(line: string): void; warn(line: string): void };
  /** npm's package with the binaries; tests pass another platform's. */
  readonly binaryPackageDir?: string;
}

/**
 * A PostgreSQL of the service's own, for machines without one.
 *
 * The server outlives its app: after `kill -9` of the app the next start adopts it, and a second app on the same data
 * folder shares it. `stop()` ends the server only for its last user. If the server itself crashes, each of its users
 * restarts it at the same address.
 */
export class EmbeddedPostgres {
  constructor(private readonly options: EmbeddedPostgresOptions) {}

  /** @throws StartRefusal with one line that gives the reason */
  async start(): Promise<RunningPostgres> {
    try {
      const { dataDir, logger } = this.options;
      await mkdir(dataDir, { recursive: true });
      const clusterDir = join(dataDir, 'postgres');
      const account = await ServerAccount.forCluster(clusterDir);
      const copyDirs = account.isLent
        ? ['/var/cache/tradepost', join(tmpdir(), 'tradepost-binaries')]
        : [join(dataDir, 'binaries')];
      const packageDir = this.options.binaryPackageDir ?? locateBinaryPackage();
      const binaries = await prepareBinaries(packageDir, account, copyDirs);
      await ensureCluster(clusterDir, account, binaries);
      const postmaster = new Postmaster(clusterDir, join(dataDir, 'postgres.log'), account, binaries);
      const attachment = await postmaster.attach();
      await ensureDatabase(attachment);
      return new RunningPostgres(postmaster, attachment, logger);
    } catch (error) {
      // A failed system call is the operator's to fix; any other error is a bug.
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      throw new StartRefusal(
        `DATA_DIR cannot hold the embedded database (${(error as Error).message}): choose another folder, or set DATABASE_URL.`,
        { cause: error },
      );
    }
  }
}

/** The embedded server while this process uses it. */
export class RunningPostgres {
  /** The address of the service's database, constant for this object. */
  readonly url: string;
  private isStopping = false;
  private recovery: Promise<void> | undefined;

  constructor(
    private readonly postmaster: Postmaster,
    private attachment: Attachment,
    private readonly logger: EmbeddedPostgresOptions['logger'],
  ) {
    this.url = socketUrl(attachment.socketDir, DATABASE_NAME);
    this.watch(attachment);
  }

  /** The server's process id; it changes with each restart. */
  get pid(): number {
    return this.attachment.pid;
  }

  /** Whether the server was running before this process needed it. */
  get adopted(): boolean {
    return this.attachment.adopted;
  }

  /** Resolves when the server answers: at once, or after its restart. */
  async ensureRunning(): Promise<void> {
    while (!this.isStopping) {
      await this.recovery;
      if (await this.postmaster.isServing(this.attachment)) return;
      await delay(POLL_MS);
    }
  }

  /** Leaves the server, and stops it if no other process uses it. Close your own connections before. */
  async stop(): Promise<void> {
    if (this.isStopping) return;
    this.isStopping = true;
    await this.recovery;
    await this.postmaster.leave(this.attachment).catch((error: Error) => {
      // A server that crashed meanwhile has no users left, and recovers at the next start.
      this.logger.warn(`The embedded PostgreSQL was not stopped: ${error.message}`);
    });
  }

  private watch({ presence }: Attachment): void {
    presence.once('end', () => {
      if (this.isStopping) return;
      this.recovery = this.recover().finally(() => (this.recovery = undefined));
    });
  }

  private async recover(): Promise<void> {
    this.logger.warn('The embedded PostgreSQL is gone; joining or starting it again');
    for (let attempt = 0; !this.isStopping; attempt++) {
      try {
        this.attachment = await this.postmaster.attach(this.attachment.socketDir);
        this.watch(this.attachment);
        this.logger.log('The embedded PostgreSQL answers again');
        return;
      } catch (error) {
        this.logger.warn((error as Error).message);
        await delay(Math.min(RESTART_DELAY_MS_MAX, 100 * 2 ** attempt));
      }
    }
  }
}

async function ensureDatabase({ presence }: Attachment): Promise<void> {
  const { rowCount } = await presence.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE_NAME]);
  if (rowCount !== 0) return;
  await presence
    .query(`CREATE DATABASE ${DATABASE_NAME} OWNER ${CLUSTER_ROLE}`)
    .catch((error: { code?: string }) => {
      if (!ALREADY_MADE.includes(error.code ?? '')) throw error;
    });
}
