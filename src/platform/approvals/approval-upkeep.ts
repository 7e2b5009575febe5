import { Injectable, type OnModuleInit } from '@nestjs/common';
import { JobLeader } from '../jobs/job-leader.js';
import { Rounds } from '../jobs/rounds.js';
import { Approvals } from './approvals.service.js';

const EVERY_MS = 5_000;
/** Who approved this lately is about to carry it out itself. */
const SWEPT_AFTER_MS = 5_000;

/** Ends what nobody decided about in time, and goes on with what was approved and not carried out. */
@Injectable()
export class ApprovalUpkeep implements OnModuleInit {
  constructor(
    private readonly approvals: Approvals,
    private readonly leader: JobLeader,
  ) {}

  onModuleInit(): void {
    this.leader.assume(new Rounds({ name: 'Approvals', everyMs: EVERY_MS }, () => this.round()));
  }

  private async round(): Promise<boolean> {
    await this.approvals.expireDue();
    await this.approvals.sweep(SWEPT_AFTER_MS);
    return false;
  }
}
