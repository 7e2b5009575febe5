/**
 * `npm run audit:verify`: walks the chain of the audit log and compares every row with its seal. Works on the
 * database of `DATABASE_URL`, or on the embedded one of `DATA_DIR`, whether the service runs or not. Exit code
 * 0 where all agree, 1 where a row differs, 2 where nothing could be compared.
 */
import { parseArgs } from 'node:util';
import {
  type AuditVerification,
  type AuditVerifyOptions,
  type KeptSeal,
  verifyAudit,
} from '../src/kit/audit/audit-verifier.js';
import { loadConfig } from '../src/kit/config/config.js';
import { PrimaryClient } from '../src/kit/database/primary-client.js';
import { openExisting } from '../src/kit/database/existing-database.js';
import { reasonOf } from './support/existing-database.js';
import { type Progress, showProgress } from '../src/kit/progress.js';

const USAGE = `Usage: npm run audit:verify [-- options]

Walks the audit log and names the first row that is not what was sealed.

  --expect <position>:<hash>   a seal that an earlier run has told: it must still be there
`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { expect: { type: 'string' }, help: { type: 'boolean', default: false } },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const expect = values.expect === undefined ? undefined : sealIn(values.expect);
  const connection = await openExisting(loadConfig());
  try {
    return report(await verify(connection.url, { ...(expect && { expect }) }));
  } finally {
    await connection.close();
  }
}

function sealIn(text: string): KeptSeal {
  const [, position, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (position === undefined || hash === undefined) throw new Error('--expect takes <position>:<hash>');
  return { position: Number(position), hash };
}

async function verify(url: string, options: AuditVerifyOptions): Promise<AuditVerification> {
  const client = new PrimaryClient({ connectionString: url, application_name: 'tradepost-verify' });
  await client.connect();
  let progress: Progress | undefined;
  try {
    return await verifyAudit(client, {
      ...options,
      onProgress: (position, lastPosition) => {
        progress ??= showProgress('Comparing', lastPosition);
        progress.update(position);
      },
    });
  } finally {
    progress?.stop();
    await client.end();
  }
}

function report(result: AuditVerification): number {
  if (!result.ok) {
    const where = result.auditId === null ? 'Differs' : `Differs at ${result.auditId}`;
    process.stdout.write(`${where}: ${result.reason}\n`);
    return 1;
  }
  const { rows, head, unsealed } = result;
  const waiting = unsealed === 0 ? '' : `; ${unsealed} of the last minute wait for their seal`;
  process.stdout.write(
    `Verified: ${rows} rows of the audit log, last seal ${head.position}:${head.hash}${waiting}\n`,
  );
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`The audit log could not be verified: ${reasonOf(error, 'audit log')}\n`);
  process.exitCode = 2;
}
