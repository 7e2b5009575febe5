import { Injectable, type OnModuleInit } from '@nestjs/common';
import { JobLeader } from '../jobs/job-leader.js';
import { BackgroundLoop } from '../jobs/background-loop.js';
import { Approvals } from './approvals.service.js';

const EVERY_MS = 5_000;
/** A fresh approval is about to be carried out by the process that took it. */
const SWEPT_AFTER_MS = 5_000;

/** Expires undecided approvals, and carries out approved acts that a process left undone. */
@Injectable()
export class ApprovalUpkeep implements OnModuleInit {
  constructor(
    private readonly approvals: Approvals,
    private readonly leader: JobLeader,
  ) {}

  onModuleInit(): void {
    this.leader.assume(new BackgroundLoop({ name: 'Approvals', everyMs: EVERY_MS }, () => this.round()));
  }

  private async round(): Promise<boolean> {
    await this.approvals.expireDue();
    await this.approvals.sweep(SWEPT_AFTER_MS);
    return false;
  }
}
