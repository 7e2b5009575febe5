import { randomBytes } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Pool } from 'pg';
import { CoreService } from '../../../core/core.service.js';
import { JournalKeys } from '../../../core/proof/journal-keys.js';
import { DatabaseConnection } from '../../../kit/database/database-connection.js';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { AgreedTime } from '../../../kit/jobs/agreed-time.js';
import { type JobRun, JobTask } from '../../../kit/jobs/job-task.js';
import { takeCutApart } from './cut-thread.js';
import { type LiabilityReport, signedReport, type TakenCut } from './liability-report.js';
import { ShownAssets } from './shown-assets.service.js';
import type { CutOrder, CutProgress } from './take-cut.js';
import { CUT_IDS } from '../ids.js';

export const TAKE_CUT = new JobTask<{ readonly cutId: string }>('liabilities.take_cut', 5);

const SECRET_BYTES = 32;
/** How often the row tells of the progress. */
const REPORT_EVERY_MS = 500;

interface OpenRun {
  readonly cut_at: Date | null;
  readonly cut_sequence: string | null;
}

/**
 * Takes the cuts that are due. Each try begins anew with another secret, and removes what a killed one has stored. Nothing
 * of a cut is published before all of it is there.
 */
@Injectable()
export class CutJob {
  private readonly logger = new Logger('Liabilities');

  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    private readonly connection: DatabaseConnection,
    private readonly core: CoreService,
    private readonly keys: JournalKeys,
    private readonly shownAssets: ShownAssets,
    private readonly time: AgreedTime,
  ) {}

  async run(cutId: string, { attempt, signal }: JobRun): Promise<void> {
    if (await this.finishTaken(cutId)) return;
    const run = await this.start(cutId);
    if (run === null) return;
    try {
      if (!(await this.time.isAgreed())) throw new Error('nothing is signed while the clocks disagree');
      await this.core.projected();
      await this.take(cutId, run, signal);
    } catch (error) {
      // What was lost may be the answer to the publication.
      if (attempt >= TAKE_CUT.attemptsMax && !(await this.finishTaken(cutId))) {
        this.logger.error({ err: error, cut_id: CUT_IDS.format(Number(cutId)), msg: 'a cut was given up' });
        await this.end(cutId, 'failed');
      }
      throw error;
    }
    await this.end(cutId, 'done');
  }

  private async take(cutId: string, { cut_at, cut_sequence }: OpenRun, signal: AbortSignal): Promise<void> {
    const order: CutOrder = {
      databaseUrl: this.connection.url,
      cutId,
      secret: randomBytes(SECRET_BYTES),
      requestedAt: new Date(this.time.nowMs()).toISOString(),
      past: cut_at && { sequence: Number(cut_sequence), asOf: cut_at.toISOString() },
    };
    const progress = new ReportedProgress((now) => this.reportProgress(cutId, now));
    const report = async (cut: TakenCut): Promise<LiabilityReport> =>
      signedReport(cut, await this.shownAssets.of(cut.totals), await this.keys.signer());
    try {
      await takeCutApart(order, { onProgress: (now) => progress.note(now), report }, signal);
    } finally {
      await progress.settled();
    }
  }

  /** Whether the cut of an earlier try is there, which could not say so any more. */
  private async finishTaken(cutId: string): Promise<boolean> {
    const { rowCount } = await this.pool.query('SELECT FROM liability_cuts WHERE cut_id = $1', [cutId]);
    if (rowCount === 0) return false;
    await this.end(cutId, 'done');
    return true;
  }

  private async start(cutId: string): Promise<OpenRun | null> {
    const { rows } = await this.pool.query<OpenRun>(
      `UPDATE liability_runs SET status = 'running', accounts_done = 0, started_at = now()
       WHERE cut_id = $1 AND status IN ('pending', 'running') RETURNING cut_at, cut_sequence`,
      [cutId],
    );
    return rows[0] ?? null;
  }

  private async end(cutId: string, status: 'done' | 'failed'): Promise<void> {
    await this.pool.query(
      `UPDATE liability_runs SET status = $2, finished_at = now(),
         accounts_done = CASE WHEN $2 = 'done' THEN coalesce(accounts_total, accounts_done) ELSE accounts_done END
       WHERE cut_id = $1 AND status IN ('pending', 'running')`,
      [cutId, status],
    );
  }

  private async reportProgress(cutId: string, { done, total }: CutProgress): Promise<void> {
    await this.pool.query(
      `UPDATE liability_runs SET accounts_done = least($2::bigint, $3), accounts_total = $3
       WHERE cut_id = $1 AND status = 'running'`,
      [cutId, done, total],
    );
  }
}

/** Writes progress down from time to time, one after the other; a failure to do so is no failure of the work. */
class ReportedProgress {
  private reportedAtMs = -Infinity;
  private reporting: Promise<void> = Promise.resolve();

  constructor(private readonly report: (progress: CutProgress) => Promise<void>) {}

  note(progress: CutProgress): void {
    const nowMs = performance.now();
    if (nowMs - this.reportedAtMs < REPORT_EVERY_MS) return;
    this.reportedAtMs = nowMs;
    this.reporting = this.reporting.then(() => this.report(progress)).catch(() => undefined);
  }

  settled(): Promise<void> {
    return this.reporting;
  }
}
