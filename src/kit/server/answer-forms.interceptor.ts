import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  Optional,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { concatMap, type Observable } from 'rxjs';
import { CsvAnswers } from './csv-answers.js';
import { CSV_FORMAT, type CsvFormat } from '../http/csv/csv-rows.js';
import { PREFER_HEADER, PREFERENCE_APPLIED_HEADER, prefers } from '../http/prefer.js';
import {
  type CarriedReceipt,
  CarriedReceipts,
  carriedReceiptOf,
  NoReceipts,
  RECEIPT,
} from '../http/receipts/carried-receipt.js';

/**
 * Gives answers the form that the caller asks for by `Accept` and `Prefer`, where the route has it. One interceptor for
 * all forms, since each costs every request; it is outside of those of routes, so what it adds is not stored with an
 * `Idempotency-Key`.
 */
@Injectable()
export class AnswerForms implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly csv: CsvAnswers,
    @Optional() @Inject(CarriedReceipts) private readonly receipts: CarriedReceipts = new NoReceipts(),
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const format = this.reflector.get<CsvFormat | undefined>(CSV_FORMAT, context.getHandler());
    if (format !== undefined) return this.csv.inFormat(format, request, response, next);
    const preferences = request.headers.prefer;
    if (preferences === undefined || !prefers(preferences, RECEIPT)) return next.handle();
    const carried = carriedReceiptOf(context.getHandler());
    if (carried === undefined) return next.handle();
    return next.handle().pipe(concatMap((answer) => this.withReceipt(carried, answer as object, response)));
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
