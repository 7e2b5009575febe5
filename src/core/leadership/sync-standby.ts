import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { CONFIG, type Config } from '../../kit/config/config.js';
import { StartRefusal } from '../../kit/config/start-refusal.js';
import { DatabaseConnection } from '../../kit/database/database-connection.js';
import { PrimaryClient } from '../../kit/database/primary-client.js';
import { MetricsRegistry } from '../../kit/metrics/metrics-registry.js';

const LOOK_EVERY_MS = 1_000;
const ANSWER_MS_MAX = 5_000;
/** With these, a commit returns once a standby has it on its disk. */
const CONFIRMED_BY_DISK = ['on', 'remote_apply'];
/** The function of PostgreSQL in which a commit waits for its standby, as notices name it in every language. */
const WAIT_FOR_STANDBY = 'SyncRepWaitForLSN';

/** What the primary says of its standbys. */
interface Standing {
  readonly names: string;
  readonly commit: string;
  /** Standbys whose confirmation commits wait for. */
  readonly confirming: number;
  /** Standbys of which this role may not see more than that they are there. */
  readonly hidden: number;
}

/**
 * Whether commits survive the loss of the primary's disk. With `DATABASE_SYNC_STANDBY=required` a process leads only if
 * a synchronous standby confirms every commit. The later loss of a standby is no reason to stop: PostgreSQL delays
 * commits until it or another one is back. A changed setting, so that commits no longer wait, is a reason.
 */
@Injectable()
export class SyncStandby implements OnModuleDestroy {
  readonly isRequired: boolean;
  /** Why this process must not lead, or must stop; null if no reason is known. */
  failure: string | null = null;
  /** Standbys that confirmed when the leader last looked. */
  private confirming = 0;
  private readonly url: string;
  private client: PrimaryClient | null = null;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(DatabaseConnection) { url }: Pick<DatabaseConnection, 'url'>,
    @Inject(CONFIG) { databaseSyncStandby }: Pick<Config, 'databaseSyncStandby'>,
    @Inject(MetricsRegistry) metrics: Pick<MetricsRegistry, 'gauge'>,
  ) {
    this.url = url;
    this.isRequired = databaseSyncStandby === 'required';
    if (!this.isRequired) return;
    metrics.gauge({
      name: 'core_sync_standbys',
      help: 'Synchronous standbys that confirm the commits of this leader; at 0 all commits wait.',
      collect: (gauge) => gauge.set(this.confirming),
    });
  }

  /** For operators. */
  get detail(): string {
    if (!this.isRequired) return 'not required';
    if (this.failure !== null) return this.failure;
    if (this.timer === undefined) return 'looked at by the process that leads';
    return this.isConfirmed ? `${this.confirming} confirm every commit` : 'away; commits wait for it';
  }

  /** False where commits wait, or where this process must not lead. */
  get isConfirmed(): boolean {
    if (!this.isRequired) return true;
    return this.failure === null && (this.timer === undefined || this.confirming > 0);
  }

  /**
   * Call it at each take-over, before it and once no other process can lead. From then on `writer` does not accept a
   * commit as confirmed if its wait was cut short.
   * @throws StartRefusal that says what is missing
   */
  async assertSyncStandby(writer: PrimaryClient): Promise<void> {
    if (!this.isRequired) return;
    const standing = await standingOf(writer);
    this.failure = lackOf(standing);
    this.confirming = standing.confirming;
    if (this.failure !== null)
      throw new StartRefusal(`DATABASE_SYNC_STANDBY is required, and ${this.failure}.`);
    writer.on('notice', ({ routine }) => {
      // PostgreSQL then calls the commit done, whether a standby has it or not.
      if (routine === WAIT_FOR_STANDBY) writer.cut('a commit was not confirmed by the standby');
    });
  }

  /** Checks once a second, until `stop`; calls `onFailure` when commits no longer wait for a standby. */
  watch(onFailure: () => void): void {
    if (!this.isRequired) return;
    this.stop();
    let isLooking = false;
    this.timer = setInterval(() => {
      if (isLooking || this.failure !== null) return;
      isLooking = true;
      void this.look().finally(() => {
        isLooking = false;
        if (this.failure !== null) onFailure();
      });
    }, LOOK_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.disconnect();
  }

  onModuleDestroy(): void {
    this.stop();
  }

  private async look(): Promise<void> {
    try {
      const { names, confirming } = await standingOf(await this.connected());
      if (this.timer === undefined) return;
      this.confirming = confirming;
      if (names === '') this.failure = 'synchronous_standby_names is empty, so commits wait for no standby';
    } catch {
      // The writer meets with whatever is wrong with the server.
      this.disconnect();
    }
  }

  /** Another connection than the writer's, which may be waiting. */
  private async connected(): Promise<PrimaryClient> {
    if (this.client !== null) return this.client;
    const client = new PrimaryClient({
      connectionString: this.url,
      application_name: 'tradepost-standby',
      connectionTimeoutMillis: ANSWER_MS_MAX,
      query_timeout: ANSWER_MS_MAX,
      keepAlive: true,
    });
    this.client = client;
    await client.connect();
    return client;
  }

  private disconnect(): void {
    void this.client?.end().catch(() => undefined);
    this.client = null;
  }
}

async function standingOf(client: PrimaryClient): Promise<Standing> {
  const { rows } = await client.query<Standing>(
    `SELECT btrim(current_setting('synchronous_standby_names')) AS names,
       current_setting('synchronous_commit') AS commit,
       (SELECT count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')) FROM pg_stat_replication)::integer AS confirming,
       (SELECT count(*) FILTER (WHERE sync_state IS NULL) FROM pg_stat_replication)::integer AS hidden`,
  );
  return rows[0]!;
}

function lackOf({ names, commit, confirming, hidden }: Standing): string | null {
  if (names === '') return 'synchronous_standby_names is empty, so commits wait for no standby';
  if (!CONFIRMED_BY_DISK.includes(commit))
    return `synchronous_commit is ${commit}, so a standby may confirm what is not on its disk`;
  if (confirming > 0) return null;
  return hidden > 0
    ? 'the role of DATABASE_URL may not see whether a standby is synchronous: GRANT pg_monitor to it'
    : `none of the standbys that synchronous_standby_names names (${names}) is connected`;
}
