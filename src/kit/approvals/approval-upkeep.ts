import { Injectable } from '@nestjs/common';
import { BackgroundLoop } from '../jobs/background-loop.js';
import { Approvals } from './approvals.service.js';

const EVERY_MS = 5_000;
/** A fresh approval is about to be carried out by the process that took it. */
const SWEPT_AFTER_MS = 5_000;

/** Expires undecided approvals, and carries out approved acts that a process left undone. */
@Injectable()
export class ApprovalUpkeep {
  readonly duty = new BackgroundLoop({ name: 'Approvals', everyMs: EVERY_MS }, () => this.round());

  constructor(private readonly approvals: Approvals) {}

  private async round(): Promise<boolean> {
    await this.approvals.expireDue();
    await this.approvals.sweep(SWEPT_AFTER_MS);
    return false;
  }
}
