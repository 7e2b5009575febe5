import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import { KycExpiry } from './kyc-expiry.js';
import { KycLevels } from './kyc-levels.js';
import { KycProviderCases } from './kyc-provider-cases.js';
import { KycRescreening } from './kyc-rescreening.js';

const EVERY_MS = 10_000;
/** A message cannot be replayed once its signature is too old: after that its id need not be known. */
const CALLBACKS_KEPT_DAYS = 2;

/**
 * What must happen to cases without anybody asking: documents expire, the sanctions list changes, providers
 * are silent, and levels that were decided have not reached all accounts, because the process died or the
 * account is new.
 */
@Injectable()
export class KycUpkeep implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('KycUpkeep');
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | null = null;

  constructor(
    private readonly core: CoreService,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly expiry: KycExpiry,
    private readonly levels: KycLevels,
    private readonly providerCases: KycProviderCases,
    private readonly rescreening: KycRescreening,
  ) {}

  onApplicationBootstrap(): void {
    this.runByItself();
    this.timer = setInterval(() => this.runByItself(), EVERY_MS);
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** Does all that is due now. One part that fails keeps none of the others from its turn. */
  async run(): Promise<void> {
    await this.part('expiry', () => this.expiry.expireAll());
    await this.part('screening', () => this.rescreening.sweep());
    await this.part('levels', () => this.levels.sweep());
    await this.part('provider', () => this.providerCases.sweep());
    await this.part('callbacks', () =>
      this.dataSource.query(
        `DELETE FROM kyc_callbacks WHERE received_at < now() - interval '${CALLBACKS_KEPT_DAYS} days'`,
      ),
    );
  }

  private runByItself(): void {
    // Whoever leads does it; the core takes no commands from anybody else.
    if (!this.core.status().leading) return;
    this.running ??= this.run().finally(() => {
      this.running = null;
    });
  }

  private async part(name: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.logger.warn({ err: error, part: name, msg: 'the upkeep of KYC cases failed; trying again' });
    }
  }
}
