/** The restore drill: restores a backup apart from production, and tells whether the restore holds. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { verifyJournal } from '../core/journal/journal-verifier.js';
import { faultOfLastHead, lastHeadIn } from '../core/proof/last-head.js';
import { checkTables } from '../core/ledger-check/ledger-check.js';
import { DERIVED_TABLES } from '../modules/markets/derived-tables.js';
import { type KeptSeal, verifyAudit } from '../kit/audit/audit-verifier.js';
import { StartRefusal } from '../kit/config/start-refusal.js';
import { PrimaryClient } from '../kit/database/primary-client.js';
import { type Progress, showProgress } from '../kit/progress.js';
import { forgottenActs, repeatActs } from './forgotten-acts.js';
import { RestoredServer, type RestoreOptions } from './restored-server.js';

export interface DrillOptions extends RestoreOptions {
  readonly heads?: string;
  readonly journalArchive?: string;
  readonly audit?: string;
  /** Where the temporary folder is made. */
  readonly parent: string;
  readonly isKept: boolean;
}

export interface DrillReport {
  readonly lines: readonly string[];
  /** What is wrong with the restore; none where it holds. */
  readonly faults: readonly string[];
}

/** @throws StartRefusal where the backup cannot be restored */
export async function drill(options: DrillOptions, signal: AbortSignal): Promise<DrillReport> {
  for (const [flag, folder] of [
    ['--heads', options.heads],
    ['--journal-archive', options.journalArchive],
    ['--audit', options.audit],
    ['--folder', options.parent],
  ] as const) {
    if (folder !== undefined && !existsSync(folder))
      throw new StartRefusal(`${flag} ${folder} is not there.`);
  }
  // Before the long work: a folder without a head would be noticed only after it.
  const head = options.heads === undefined ? null : await lastHeadIn(options.heads, options.until);
  const folder = await mkdtemp(join(options.parent, 'tradepost-drill-'));
  const report = new Report();
  let isKept = false;
  let server: RestoredServer | undefined;
  try {
    server = await RestoredServer.copyOf(options, folder, signal);
    await server.start(signal).catch((error: Error) => {
      throw signal.aborted ? error : new StartRefusal(error.message);
    });
    const notReached = options.until === undefined ? await server.notReached() : null;
    report.say(
      `Restored: ${options.base}, and the archive up to ${server.lastSegment ?? 'what the backup has'}`,
    );
    report.fault(
      notReached &&
        `recovery ended at ${server.lastSegment ?? 'the backup'}, and the archive has ${notReached}: a segment between is missing or damaged`,
    );
    const client = new PrimaryClient({ connectionString: server.url, application_name: 'tradepost-drill' });
    const onAbort = (): void => void client.end().catch(() => undefined);
    signal.addEventListener('abort', onAbort);
    try {
      await client.connect();
      await verify(client, options, report, head);
    } finally {
      signal.removeEventListener('abort', onAbort);
      await client.end().catch(() => undefined);
    }
    isKept = options.isKept;
  } finally {
    await server?.stop();
    if (!isKept) await rm(folder, { recursive: true, force: true });
  }
  if (isKept) report.say(`Kept: ${join(folder, 'postgres')}, stopped, with archive_mode = off`);
  return report;
}

class Report implements DrillReport {
  readonly lines: string[] = [];
  readonly faults: string[] = [];

  say(line: string): void {
    this.lines.push(line);
  }

  fault(fault: string | null): void {
    if (fault !== null) this.faults.push(fault);
  }
}

async function verify(
  client: pg.Client,
  options: DrillOptions,
  report: Report,
  head: Awaited<ReturnType<typeof lastHeadIn>>,
): Promise<void> {
  const { rows } = await client.query<{ archive_mode: string }>('SHOW archive_mode');
  if (rows[0]!.archive_mode !== 'off') throw new Error('the copy archives; nothing was verified');
  await verifyTheJournal(client, options, report);
  await checkTheBooks(client, report);
  if (options.heads !== undefined) {
    if (head === null) report.fault(`${options.heads} has no signed head of before that time`);
    else {
      const fault = await faultOfLastHead(client, head);
      report.fault(fault);
      if (fault === null)
        report.say(`Heads: the last one, of ${head.time} at sequence ${head.sequence}, is in it`);
    }
  } else
    report.say('Heads: not compared: without --heads nobody can tell whether this is the right timeline');
  const end = await verifyTheAuditLog(client, report);
  if (end !== null) await reportWhatComesBack(client, options, end, report);
}

async function verifyTheJournal(client: pg.Client, options: DrillOptions, report: Report): Promise<void> {
  let progress: Progress | undefined;
  try {
    const verified = await verifyJournal(client, {
      ...(options.journalArchive !== undefined && { archive: options.journalArchive }),
      derived: DERIVED_TABLES,
      onProgress: ({ sequence, lastSequence }) => {
        progress ??= showProgress('Replaying', lastSequence);
        progress.update(sequence);
      },
    });
    if (verified.ok) {
      report.say(
        `Journal: ${verified.entries} rows lead to sequence ${verified.sequence}, state hash ${verified.stateHash}`,
      );
      for (const foreign of verified.foreignRows) report.say(`Lost: ${foreign}`);
    } else report.fault(`the journal differs at sequence ${verified.sequence}: ${verified.reason}`);
  } finally {
    progress?.stop();
  }
}

async function checkTheBooks(client: pg.Client, report: Report): Promise<void> {
  await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const { balanced, problems, sequence } = await checkTables(client, DERIVED_TABLES);
  await client.query('ROLLBACK');
  if (balanced) report.say(`Ledger: balanced, as of sequence ${sequence}`);
  for (const problem of problems) report.fault(problem);
}

async function verifyTheAuditLog(client: pg.Client, report: Report): Promise<KeptSeal | null> {
  let progress: Progress | undefined;
  try {
    const verified = await verifyAudit(client, {
      isCopy: true,
      onProgress: (position, lastPosition) => {
        progress ??= showProgress('Comparing', lastPosition);
        progress.update(position);
      },
    });
    if (verified.ok) {
      report.say(
        `Audit log: ${verified.rows} rows, last seal ${verified.head.position}:${verified.head.hash}`,
      );
      return verified.head;
    }
    report.fault(`the audit log differs at ${verified.auditId ?? 'its end'}: ${verified.reason}`);
    return null;
  } finally {
    progress?.stop();
  }
}

async function reportWhatComesBack(
  client: pg.Client,
  { audit }: DrillOptions,
  end: KeptSeal,
  report: Report,
): Promise<void> {
  const { rows } = await client.query<{ committed: Date | null; wallet: Date | null }>(
    `SELECT (SELECT max(committed_at) FROM journal) AS committed, (SELECT max(created_at) FROM wallets) AS wallet`,
  );
  const { committed, wallet } = rows[0]!;
  report.say(
    `Lost: whatever came after the last commit (${committed?.toISOString() ?? 'none is in the table'}). Of wallets made since the last one ` +
      `(${wallet?.toISOString() ?? 'there is none'}) the keys are lost, and no file names them: tell their owners to send nothing there`,
  );
  if (audit === undefined) {
    report.say(
      'Brought back: not told: without --audit nobody knows what was revoked, locked or erased since',
    );
    return;
  }
  const { fault, acts, missing } = await forgottenActs(client, audit, end);
  report.fault(fault);
  if (fault !== null) return;
  const lines = await repeatActs(client, acts);
  report.say(`Brought back, of ${acts.length} acts after position ${end.position} of the audit log:`);
  for (const line of lines.length === 0 ? ['  nothing'] : lines) report.say(line);
  if (missing > 0) report.say(`  ${missing} more acts are not in the files`);
}
