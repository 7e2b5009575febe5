import { type CanActivate, type ExecutionContext, Inject, Injectable, Optional } from '@nestjs/common';
import type { Request, Response } from 'express';
import { PREFER_HEADER, PREFERENCE_APPLIED_HEADER, prefers } from '../http/prefer.js';
import {
  type CarriedReceipt,
  CarriedReceipts,
  carriedReceiptOf,
  NoReceipts,
  RECEIPT,
} from '../http/receipts/carried-receipt.js';

/**
 * Notes for the adapter who wants a receipt in an answer that may carry one. No interceptor, since each costs every
 * request more than all guards together; so what is added is not stored with an `Idempotency-Key` either.
 */
@Injectable()
export class ReceiptPreferenceGuard implements CanActivate {
  constructor(
    @Optional() @Inject(CarriedReceipts) private readonly receipts: CarriedReceipts = new NoReceipts(),
  ) {}

  canActivate(context: ExecutionContext): true {
    if (context.getType() !== 'http') return true;
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const preferences = request.headers.prefer;
    if (preferences === undefined || !prefers(preferences, RECEIPT)) return true;
    const carried = carriedReceiptOf(context.getHandler());
    if (carried !== undefined)
      request.completeAnswer = (answer) => this.withReceipt(carried, answer, http.getResponse<Response>());
    return true;
  }

  /** The route has done what it does: without a receipt its answer goes out as it is. */
  private async withReceipt(
    { kind, idIn }: CarriedReceipt,
    answer: object,
    response: Response,
  ): Promise<object> {
    const receipt = await this.receipts.receiptOf(kind, () => idIn(answer), response.req);
    if (receipt === null) return answer;
    response.setHeader(PREFERENCE_APPLIED_HEADER, RECEIPT);
    response.vary(PREFER_HEADER);
    return { ...answer, [RECEIPT]: receipt };
  }
}
