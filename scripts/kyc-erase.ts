/**
 * `npm run kyc:erase`: erases the personal data and images of KYC cases, and keeps what law wants to see for
 * longer. Works on the database of `DATABASE_URL`, or on the embedded one of `DATA_DIR`, whether the service
 * runs or not. Ended at any point, a next run does the rest. Exit code 0 where it is done, 2 where it is not.
 */
import { parseArgs } from 'node:util';
import { DataSource } from 'typeorm';
import { KycCaseEntity, KycPersonEntity } from '../src/modules/banking/kyc/kyc-case.entity.js';
import { KycErasure, type Erased } from '../src/modules/banking/kyc/kyc-erasure.js';
import { KycImageEntity, KycStateEntity } from '../src/modules/banking/kyc/kyc-records.entity.js';
import { type Config, loadConfig } from '../src/kit/config/config.js';
import { openExisting } from '../src/kit/database/existing-database.js';
import { typeOrmOptions } from '../src/kit/database/database.module.js';
import { FolderFileStore } from '../src/kit/files/folder-file-store.js';

const USAGE = `Usage: npm run kyc:erase -- --owner OWNER
       npm run kyc:erase -- --older-than DAYS

Erases personal data and images of KYC cases. Decisions, their dates and reasons, and hashes stay.

  --owner        all cases of an owner such as user:7 or client:demo; an approval ends, and its level with it
  --older-than   cases of anybody that were rejected or expired more than so many days ago

Where a plugin keeps files elsewhere than under DATA_DIR, its images must be erased there.
`;

const DAYS = /^(0|[1-9]\d{0,4})$/;
const ERASED_BY = 'command:kyc:erase';

type Scope = { readonly owner: string } | { readonly days: number };

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      owner: { type: 'string' },
      'older-than': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const scope = scopeOf(values.owner, values['older-than']);
  if (values.help || scope === undefined) {
    (values.help ? process.stdout : process.stderr).write(USAGE);
    return values.help ? 0 : 2;
  }
  const config = loadConfig();
  const connection = await openExisting(config);
  try {
    const { cases, images } = await erase(config, connection.url, scope);
    process.stdout.write(`Erased the personal data of ${cases} cases, with ${images} images.\n`);
    return 0;
  } finally {
    await connection.close();
  }
}

/** Exactly one of the two. */
function scopeOf(owner: string | undefined, olderThan: string | undefined): Scope | undefined {
  if (owner !== undefined && owner !== '') return olderThan === undefined ? { owner } : undefined;
  return olderThan !== undefined && DAYS.test(olderThan) ? { days: Number(olderThan) } : undefined;
}

async function erase(config: Config, url: string, scope: Scope): Promise<Erased> {
  const entities = [KycCaseEntity, KycPersonEntity, KycStateEntity, KycImageEntity];
  const dataSource = await new DataSource({ ...typeOrmOptions(url), entities }).initialize();
  try {
    const erasure = new KycErasure(dataSource, new FolderFileStore(config), ERASED_BY);
    return 'owner' in scope
      ? await erasure.eraseOwner(scope.owner)
      : await erasure.eraseOlderThan(scope.days);
  } finally {
    await dataSource.destroy();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`The data could not be erased: ${(error as Error).message}\n`);
  process.exitCode = 2;
}
