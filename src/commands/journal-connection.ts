import type pg from 'pg';
import type { Config } from '../kit/config/config.js';
import { openExisting } from './existing-database.js';
import { PrimaryClient } from '../kit/database/primary-client.js';
import { type Progress, showProgress } from '../kit/progress.js';

interface Step {
  readonly sequence: number;
  readonly lastSequence: number;
}

/** Work on one connection to the service's database, with a bar that shows how far along the journal it is. */
export async function withJournal<T>(
  config: Config,
  label: string,
  work: (client: pg.Client, onProgress: (step: Step) => void) => Promise<T>,
): Promise<T> {
  const connection = await openExisting(config);
  const client = new PrimaryClient({
    connectionString: connection.url,
    application_name: 'tradepost-journal',
  });
  let progress: Progress | undefined;
  try {
    await client.connect();
    return await work(client, ({ sequence, lastSequence }) => {
      progress ??= showProgress(label, lastSequence);
      progress.update(sequence);
    });
  } finally {
    progress?.stop();
    await client.end();
    await connection.close();
  }
}
