import { operatorCommand } from './operator-command.js';
import {
  type AuditVerification,
  type AuditVerifyOptions,
  type KeptSeal,
  verifyAudit,
} from '../kit/audit/audit-verifier.js';
import { loadConfig } from '../kit/config/config.js';
import { PrimaryClient } from '../kit/database/primary-client.js';
import { openExisting } from './existing-database.js';
import { type Progress, showProgress } from '../kit/progress.js';

export const auditVerify = operatorCommand({
  name: 'audit verify',
  summary: 'compares every row of the audit log with its seal',
  usage: `[options]

Walks the audit log and names the first row that is not what was sealed.

  --expect <position>:<hash>   a seal that an earlier run has told: it must still be there
`,
  options: { expect: { type: 'string' } },
  failure: 'The audit log could not be verified',
  needs: 'audit log',
  async run(values) {
    const expect = values.expect === undefined ? undefined : sealIn(values.expect);
    const connection = await openExisting(loadConfig());
    try {
      return report(await verify(connection.url, { ...(expect && { expect }) }));
    } finally {
      await connection.close();
    }
  },
});

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
