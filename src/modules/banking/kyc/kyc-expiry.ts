import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { KycCaseEntity } from './kyc-case.entity.js';
import { BY_SERVICE, changeCase, lockPerson } from './kyc-changes.js';

const OWNERS_AT_ONCE_MAX = 100;

/** A document is valid to the end of its last day, by UTC and the clock of the database. */
const HAS_EXPIRED = `status IN ('pending', 'in_review', 'approved')
  AND document_expires_on < (clock_timestamp() AT TIME ZONE 'UTC')::date`;

const REASONS = [
  { code: 'document_expired', message: 'The document has expired: submit one that is valid.' },
];

/** Ends cases whose document has expired, and with an approved one the level of its owner. */
@Injectable()
export class KycExpiry {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Answers the owners whose cases have ended now. */
  async expireAll(): Promise<readonly string[]> {
    const due = await this.dataSource.query<{ readonly owner: string }[]>(
      `SELECT DISTINCT owner FROM kyc_cases WHERE ${HAS_EXPIRED} LIMIT ${OWNERS_AT_ONCE_MAX}`,
    );
    for (const { owner } of due) await this.expireOf(owner);
    return due.map(({ owner }) => owner);
  }

  /** Ends those of one owner; answers whether there were any. */
  async expireOf(owner: string): Promise<boolean> {
    const due = await this.dataSource.query<unknown[]>(
      `SELECT 1 FROM kyc_cases WHERE owner = $1 AND ${HAS_EXPIRED} LIMIT 1`,
      [owner],
    );
    if (due.length === 0) return false;
    await this.dataSource.transaction(async (manager) => {
      await lockPerson(manager, owner);
      const cases = await manager
        .createQueryBuilder(KycCaseEntity, 'kyc')
        .where(`kyc.owner = :owner AND ${HAS_EXPIRED}`, { owner })
        .getMany();
      for (const kyc of cases) {
        await changeCase(manager, kyc, {
          status: 'expired',
          changedBy: BY_SERVICE,
          code: 'document_expired',
          reasons: REASONS,
        });
      }
    });
    return true;
  }
}
