import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { Row } from '../../../kit/database/rows.js';
import type { CheckResult } from './checks/check-result.js';
import { KycCaseEntity } from './kyc-case.entity.js';
import { BY_SERVICE, changeCase, lockPerson } from './kyc-changes.js';
import { KycData } from './kyc-data.js';
import { SanctionsList } from './sanctions/sanctions-list.js';

const CASES_AT_ONCE_MAX = 50;
/** In one go: then whatever else is due has its turn. */
const CASES_MAX = 1_000;

type DueRow = Row<KycCaseEntity, 'kycId' | 'owner'> & { readonly sealed_data: Buffer };

/**
 * Screens people again after the sanctions list has changed. A person similar to a new entry loses the approval until
 * an operator has reviewed it; entries of the last decision change nothing.
 */
@Injectable()
export class KycRescreening {
  private readonly logger = new Logger('Sanctions');

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly data: KycData,
    private readonly sanctions: SanctionsList,
  ) {}

  /** Checks a bounded number of cases against the list as it is now; answers the owners whose level has fallen. */
  async sweep(): Promise<readonly string[]> {
    await this.sanctions.refresh();
    const list = this.sanctions.state();
    if (list === undefined) return [];
    const fallen: string[] = [];
    for (let screened = 0; screened < CASES_MAX; screened += CASES_AT_ONCE_MAX) {
      const due = await this.casesDue(list.version);
      for (const row of due) {
        if (await this.screen(row, list.version, list.people)) fallen.push(row.owner);
      }
      if (due.length < CASES_AT_ONCE_MAX) break;
    }
    return fallen;
  }

  private casesDue(version: string): Promise<DueRow[]> {
    return this.dataSource.query<DueRow[]>(
      `SELECT kyc_id, owner, sealed_data FROM kyc_cases
       WHERE status IN ('pending', 'in_review', 'approved') AND sealed_data IS NOT NULL
         AND sanctions_version IS DISTINCT FROM $1
       ORDER BY kyc_id LIMIT ${CASES_AT_ONCE_MAX}`,
      [version],
    );
  }

  private async screen(
    { kyc_id, owner, sealed_data }: DueRow,
    version: string,
    listSize: number,
  ): Promise<boolean> {
    const { firstName, lastName } = await this.data.open(kyc_id, sealed_data);
    const matches = (await this.sanctions.search(`${firstName} ${lastName}`)) ?? [];
    return this.dataSource.transaction(async (manager) => {
      await lockPerson(manager, owner);
      const kyc = await manager.findOneByOrFail(KycCaseEntity, { kycId: kyc_id });
      const known = new Set(kyc.checks.flatMap(({ listEntries = [] }) => listEntries.map(({ uid }) => uid)));
      const result: CheckResult = {
        check: 'sanctions',
        outcome: matches.length === 0 ? 'passed' : 'review',
        ...(matches[0] && { score: matches[0].score, listEntries: matches }),
        listSize,
      };
      kyc.checks = kyc.checks.map((each) => (each.check === 'sanctions' ? result : each));
      await manager.update(
        KycCaseEntity,
        { kycId: kyc_id },
        { checks: kyc.checks, sanctionsVersion: version },
      );
      const isNew = matches.some(({ uid }) => !known.has(uid));
      if (!isNew || kyc.status !== 'approved') return false;
      await this.suspend(manager, kyc);
      return true;
    });
  }

  /** Back to the operators; where a newer case is with them already, it is that one which they decide. */
  private async suspend(manager: EntityManager, kyc: KycCaseEntity): Promise<void> {
    const { owner } = kyc;
    const hasOpen = await manager.existsBy(KycCaseEntity, [
      { owner, status: 'pending' },
      { owner, status: 'in_review' },
    ]);
    const status = hasOpen ? 'expired' : 'in_review';
    await changeCase(manager, kyc, { status, changedBy: BY_SERVICE, code: 'screened_again' });
    this.logger.warn({
      kycId: kyc.kycId,
      msg: 'an approved person is like a new entry of the sanctions list',
    });
  }
}
