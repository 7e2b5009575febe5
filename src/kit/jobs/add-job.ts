import { rowsOf, type Transaction } from '../database/transaction.js';
import type { JobOptions, JobTask } from './job-task.js';

/** Adds a job that runs after the transaction commits. */
export async function addJob<Payload extends object>(
  transaction: Transaction,
  task: JobTask<Payload>,
  payload: Payload,
  { runAt, key, keyMode = 'replace', queue }: JobOptions = {},
): Promise<void> {
  await rowsOf(
    transaction,
    `SELECT 1 FROM graphile_worker.add_job($1::text, payload => $2::json, queue_name => $3::text,
       run_at => $4::timestamptz, max_attempts => $5::integer, job_key => $6::text, job_key_mode => $7::text)`,
    [
      task.storedName,
      JSON.stringify(payload),
      queue ?? null,
      runAt ?? null,
      task.attemptsMax,
      key ?? null,
      keyMode,
    ],
  );
}
