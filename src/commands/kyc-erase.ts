import { openExisting } from './existing-database.js';
import { operatorCommand } from './operator-command.js';
import { DataSource } from 'typeorm';
import { KycCaseEntity, KycPersonEntity } from '../modules/banking/kyc/kyc-case.entity.js';
import { KycErasure, type Erased } from '../modules/banking/kyc/kyc-erasure.js';
import { KycImageEntity, KycStateEntity } from '../modules/banking/kyc/kyc-records.entity.js';
import { type Config, loadConfig } from '../kit/config/config.js';
import { StartRefusal } from '../kit/config/start-refusal.js';
import { typeOrmOptions } from '../kit/database/database.module.js';
import { FolderFileStore } from '../kit/files/folder-file-store.js';

const DAYS = /^(0|[1-9]\d{0,4})$/;
const ERASED_BY = 'command:kyc:erase';

type Scope = { readonly owner: string } | { readonly days: number };

export const kycErase = operatorCommand({
  name: 'kyc erase',
  summary: 'erases the personal data and images of KYC cases',
  usage: `--owner OWNER
       tradepost kyc erase --older-than DAYS

Erases personal data and images of KYC cases. Decisions, their dates and reasons, and hashes stay.

  --owner        all cases of an owner such as user:7 or client:demo; an approval ends, and its level with it
  --older-than   cases of anybody that were rejected or expired more than so many days ago

Where a plugin keeps files elsewhere than under DATA_DIR, its images must be erased there.
`,
  options: {
    owner: { type: 'string' },
    'older-than': { type: 'string' },
  },
  failure: 'The data could not be erased',
  needs: 'KYC records',
  async run(values) {
    const scope = scopeOf(values.owner, values['older-than']);
    if (scope === undefined) {
      throw new StartRefusal('name --owner OWNER or --older-than DAYS; see tradepost kyc erase --help');
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
  },
});

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
