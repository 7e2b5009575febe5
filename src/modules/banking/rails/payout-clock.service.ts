import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  type EntityManager,
  type FindOptionsWhere,
  LessThanOrEqual,
  Repository,
  type SelectQueryBuilder,
} from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import { AgreedTime } from '../../../kit/jobs/agreed-time.js';
import { LeaderLoop } from '../../../kit/jobs/leader-loop.js';
import { localTimeOf } from '../bank-rails/local-time.js';
import { PayoutRail, type RailTerms } from '../bank-rails/payout-rail.js';
import { PayoutLifecycle } from '../payouts/payout-lifecycle.service.js';
import { NOT_RETURNED, PayoutEntity } from '../payouts/payout.entity.js';
import { PayoutFilesService } from './payout-files.service.js';
import { hasOpenRemarkSql } from './payout-remarks.service.js';
import { lastCutOffOf } from './rail-clock.js';

const TICK_MS = 10_000;
const SILENT_AT_ONCE_MAX = 500;

/** What happens to payouts because time has passed. */
@Injectable()
export class PayoutClock extends LeaderLoop {
  private readonly logger = new Logger('Payouts');

  constructor(
    core: CoreService,
    @InjectRepository(PayoutEntity) private readonly payouts: Repository<PayoutEntity>,
    private readonly rail: PayoutRail,
    private readonly lifecycle: PayoutLifecycle,
    private readonly files: PayoutFilesService,
    private readonly time: AgreedTime,
  ) {
    super(core, { name: 'Payouts', everyMs: TICK_MS, time });
  }

  /**
   * Makes the files of every rail whose cut-off has passed, and marks payouts as paid after enough days without a
   * return, as of `now`. Idempotent.
   */
  async keepTime(now: Date): Promise<void> {
    for (const terms of this.rail.rails().filter(({ isSentByPlugin }) => isSentByPlugin !== true)) {
      if (this.rail.missingSettings(terms.name).length === 0) {
        const files = await this.files.keepCutOff(terms, now, lastCutOffOf(terms, now));
        for (const { name, payments } of files)
          this.logger.log({ name, payments, msg: 'a payment file was made' });
      }
      await this.countSilenceAsPaid(terms, now);
    }
  }

  protected async work(): Promise<boolean> {
    await this.keepTime(new Date(this.time.nowMs()));
    return false;
  }

  private async countSilenceAsPaid(terms: RailTerms, now: Date): Promise<void> {
    const today = localTimeOf(terms, now).date;
    const silent = await silentAmong(this.payouts.manager, {
      rail: terms.name,
      paidAfter: LessThanOrEqual(today),
    })
      .orderBy('payout.paid_after')
      .limit(SILENT_AT_ONCE_MAX)
      .getMany();
    for (const { payoutId } of silent) {
      await this.lifecycle.take(payoutId, async (_payout, manager) =>
        (await silentAmong(manager, { payoutId }).getExists())
          ? {
              to: 'paid',
              by: null,
              code: NOT_RETURNED,
              message: 'Nothing came back in the days for returns.',
            }
          : null,
      );
    }
  }
}

/** Payouts of which the bank has said nothing since it has them; one with an open remark is none. */
function silentAmong(
  manager: EntityManager,
  where: FindOptionsWhere<PayoutEntity>,
): SelectQueryBuilder<PayoutEntity> {
  return manager
    .createQueryBuilder(PayoutEntity, 'payout')
    .where({ ...where, status: 'in_transit' })
    .andWhere(`NOT ${hasOpenRemarkSql('payout')}`);
}
