import { Injectable, Logger } from '@nestjs/common';
import type { Request } from 'express';
import type { Receipt } from '../../../domain/proof/receipt.js';
import { ownerOfPrincipal } from '../../../kit/turns/owner.js';
import { TurnQueue } from '../../../kit/turns/turn-queue.js';
import { CodedError } from '../../../kit/coded-error.js';
import { CarriedReceipts, type ReceiptKind } from '../../../kit/http/receipts/carried-receipt.js';
import { POINTS } from '../../../kit/rate-limit/points.js';
import { RateLimits } from '../../../kit/rate-limit/rate-limits.js';
import type { Principal } from '../../../kit/security/principal.js';
import { grants } from '../../../kit/security/scope.js';
import { RECEIPT_REQUIREMENTS } from './receipt-requirements.js';
import { ReceiptsService } from './receipts.service.js';

/** An answer waits no longer for its receipt: what it tells of is durable all the same. */
const WAIT_MS_MAX = 1_000;
/** Those made at once share the heads that they wait for. More would take the database from everybody else. */
const BOUNDS = { runningMax: 16, ownerRunningMax: 8, waitingMax: 1_000, ownerWaitingMax: 200 };

/**
 * Makes receipts for answers. Whoever asks gets what the receipt's own route would give: it takes the same scopes, the
 * same look at whose matter it is, and the points of the same budget.
 */
@Injectable()
export class ReceiptsInAnswers extends CarriedReceipts {
  private readonly logger = new Logger(ReceiptsInAnswers.name);
  private readonly making = new TurnQueue(BOUNDS);

  constructor(
    private readonly receipts: ReceiptsService,
    private readonly limits: RateLimits,
  ) {
    super();
  }

  override async receiptOf(kind: ReceiptKind, idOf: () => string, request: Request): Promise<Receipt | null> {
    const { user: principal } = request;
    if (principal === undefined || !grants(principal.scopes, RECEIPT_REQUIREMENTS[kind])) return null;
    let isLate = false;
    const make = async (): Promise<Receipt | null> => {
      await this.limits.consume('reads', this.limits.callerOf(request), POINTS.receipt);
      // Who waited for a turn for too long leaves it to others.
      return this.making.take(ownerOfPrincipal(principal), async () =>
        isLate ? null : this.make(kind, idOf(), principal, request),
      );
    };
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), WAIT_MS_MAX);
    });
    try {
      return await Promise.race([make().catch((error: unknown) => this.withoutReceipt(error)), patience]);
    } finally {
      isLate = true;
      clearTimeout(timer);
    }
  }

  private make(kind: ReceiptKind, id: string, principal: Principal, { params }: Request): Promise<Receipt> {
    switch (kind) {
      case 'accepted_order':
        return this.receipts.ofOrder(principal, id, 'accepted');
      case 'latest_order':
        return this.receipts.ofOrder(principal, id, 'latest');
      case 'transfer':
        return this.receipts.ofTransfer(principal, params['account_id'] as string, id);
      case 'payout':
        return this.receipts.ofPayout(principal, id);
    }
  }

  /** That there is none yet, or that the budget is spent, is nothing to tell of. */
  private withoutReceipt(error: unknown): null {
    if (!(error instanceof CodedError)) this.logger.warn({ err: error, msg: 'a receipt was not made' });
    return null;
  }
}
