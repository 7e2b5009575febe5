import { Injectable, Logger } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import { AgreedTime } from '../../../kit/jobs/agreed-time.js';
import type { PurgedRows } from '../../../kit/jobs/purges.js';
import { LeaderLoop } from '../../../kit/jobs/leader-loop.js';
import { KycExpiry } from './kyc-expiry.js';
import { KycLevels } from './kyc-levels.js';
import { KycProviderCases } from './kyc-provider-cases.js';
import { KycRescreening } from './kyc-rescreening.js';

const EVERY_MS = 10_000;

/** A message cannot be replayed once its signature is too old: after that its id need not be known. */
export const OLD_CALLBACKS: PurgedRows = {
  table: 'kyc_callbacks',
  key: ['provider', 'message_id'],
  over: `received_at < now() - interval '2 days'`,
  orderBy: 'received_at',
};

/**
 * What must happen to cases without anybody asking: documents expire, the sanctions list changes, providers
 * are silent, and levels that were decided have not reached all accounts, because the process died or the
 * account is new.
 */
@Injectable()
export class KycUpkeep extends LeaderLoop {
  private readonly logger = new Logger('KycUpkeep');

  constructor(
    core: CoreService,
    private readonly expiry: KycExpiry,
    private readonly levels: KycLevels,
    private readonly providerCases: KycProviderCases,
    private readonly rescreening: KycRescreening,
    private readonly time: AgreedTime,
  ) {
    super(core, { name: 'KycUpkeep', everyMs: EVERY_MS });
  }

  /** Does all that is due now. One part that fails keeps none of the others from its turn. */
  async run(): Promise<void> {
    await this.part('expiry', async () => (await this.time.isAgreed()) && this.expiry.expireAll());
    await this.part('screening', () => this.rescreening.sweep());
    await this.part('levels', () => this.levels.sweep());
    await this.part('provider', () => this.providerCases.sweep());
  }

  protected async work(): Promise<boolean> {
    await this.run();
    return false;
  }

  private async part(name: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.logger.warn({ err: error, part: name, msg: 'the upkeep of KYC cases failed; trying again' });
    }
  }
}
