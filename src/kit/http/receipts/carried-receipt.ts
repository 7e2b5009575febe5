/** Answers that bring the receipt of what they tell of, for callers who send `Prefer: receipt`. */
import { SetMetadata } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
import { PREFER_HEADER } from '../prefer.js';

/** The preference, and the member of the answer. */
export const RECEIPT = 'receipt';

/** What a receipt is of: an order as it was accepted or as it is now, or what was booked last. */
export type ReceiptKind = 'accepted_order' | 'latest_order' | 'transfer' | 'payout';

/** Which receipt the answers of a route may carry. */
export interface CarriedReceipt {
  readonly kind: ReceiptKind;
  readonly idIn: (answer: object) => string;
}

const CARRIED_RECEIPT = Symbol('carried receipt');

const documentPreference = ApiHeader({
  name: PREFER_HEADER,
  required: false,
  description:
    'With `receipt` (RFC 7240) the answer carries the receipt as its member `receipt`, where it can be made within a ' +
    'second and the caller may read it. Nothing else changes.',
  schema: { type: 'string', example: RECEIPT },
});

/** Lets the answers of a route carry a receipt: of the thing whose id stands in the answer. */
export function MayCarryReceipt<Answer extends object>(kind: ReceiptKind, idIn: (answer: Answer) => string) {
  return (
    target: object,
    name: string,
    route: TypedPropertyDescriptor<(...args: never[]) => Promise<Answer>>,
  ): void => {
    SetMetadata(CARRIED_RECEIPT, { kind, idIn })(target, name, route);
    documentPreference(target, name, route);
  };
}

/** The receipt that the answers of a handler may carry. */
export function carriedReceiptOf(handler: object): CarriedReceipt | undefined {
  return Reflect.getMetadata(CARRIED_RECEIPT, handler) as CarriedReceipt | undefined;
}

/** Makes the receipts that answers carry. */
export abstract class CarriedReceipts {
  /** Null where the caller may not have it, or where it is not there in time. Never rejects. */
  abstract receiptOf(kind: ReceiptKind, idOf: () => string, request: Request): Promise<object | null>;
}

export class NoReceipts extends CarriedReceipts {
  override receiptOf(): Promise<null> {
    return Promise.resolve(null);
  }
}
