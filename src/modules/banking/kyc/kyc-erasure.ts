import { type DataSource, IsNull, type EntityManager } from 'typeorm';
import type { FileStore } from '../../../kit/files/file-store.js';
import { KycCaseEntity } from './kyc-case.entity.js';
import { changeCase, lockPerson } from './kyc-changes.js';
import { KycImageEntity } from './kyc-records.entity.js';

const CASES_AT_ONCE_MAX = 100;
const ERASED = [{ code: 'erased', message: 'The personal data was erased.' }];

/** How much was erased. */
export interface Erased {
  readonly cases: number;
  readonly images: number;
}

/**
 * Erases personal data and images. It keeps what the law requires for longer: the case, its states with times, reasons
 * and deciders, the results of its checks, and the hashes of document and images. If interrupted, no partly readable
 * data remains, and the next run completes the erasure.
 */
export class KycErasure {
  constructor(
    private readonly dataSource: DataSource,
    private readonly files: FileStore,
    /** The actor, as shown in the history. */
    private readonly by: string,
  ) {}

  /** All cases of an owner. Open and approved ones end, and with an approved one the owner's level. */
  eraseOwner(owner: string): Promise<Erased> {
    return this.eraseAll('owner = $1', [owner]);
  }

  /** Cases that ended longer ago; what is open or approved stays. */
  eraseOlderThan(days: number): Promise<Erased> {
    return this.eraseAll(
      `status IN ('rejected', 'expired') AND updated_at < now() - make_interval(days => $1::integer)`,
      [days],
    );
  }

  private async eraseAll(condition: string, parameters: unknown[]): Promise<Erased> {
    const total = { cases: 0, images: 0 };
    for (;;) {
      const rows = await this.dataSource.query<{ readonly kyc_id: string; readonly owner: string }[]>(
        `SELECT kyc_id, owner FROM kyc_cases WHERE erased_at IS NULL AND ${condition}
         ORDER BY kyc_id LIMIT ${CASES_AT_ONCE_MAX}`,
        parameters,
      );
      for (const { kyc_id, owner } of rows) {
        total.images += await this.dataSource.transaction((manager) => this.erase(manager, kyc_id, owner));
        total.cases++;
      }
      if (rows.length < CASES_AT_ONCE_MAX) return total;
    }
  }

  /** Answers how many images there were. */
  private async erase(manager: EntityManager, kycId: string, owner: string): Promise<number> {
    await lockPerson(manager, owner);
    const kyc = await manager.findOneByOrFail(KycCaseEntity, { kycId });
    const images = await manager.findBy(KycImageEntity, { kycId, erasedAt: IsNull() });
    // The files first: where this is cut short, the rows still name what is left to delete.
    for (const { fileName } of images) await this.files.delete(fileName);
    const hasEnded = kyc.status === 'rejected' || kyc.status === 'expired';
    await changeCase(manager, kyc, {
      status: hasEnded ? kyc.status : 'expired',
      changedBy: this.by,
      code: 'erased',
      reasons: hasEnded ? kyc.reasons : ERASED,
    });
    const erasedAt = new Date();
    await manager.update(KycImageEntity, { kycId }, { erasedAt });
    await manager.update(KycCaseEntity, { kycId }, { sealedData: null, masked: null, erasedAt });
    await this.dropKeys(manager, kycId, images);
    return images.length;
  }

  /** Without its key no copy of what was sealed opens either, such as one in a backup of the files. */
  private async dropKeys(
    manager: EntityManager,
    kycId: string,
    images: readonly KycImageEntity[],
  ): Promise<void> {
    await manager.query('DELETE FROM vault_data_keys WHERE context = ANY($1::text[])', [
      [`kyc_cases.sealed_data:${kycId}`, ...images.map(({ imageId }) => `kyc_images.file:${imageId}`)],
    ]);
  }
}
