import type { BankStatus } from '../../../domain/banking/bank-verdicts.js';
import type { UsAccountType } from './formats/nacha.js';
import type { BankCalendar, CalendarDate } from '../../../domain/banking/bank-calendar.js';

/** A way to bank accounts of one kind in one currency, such as `sepa`. */
export interface RailTerms {
  /** Also the name of the ledger's account of the outside world that the money leaves to. */
  readonly name: string;
  readonly accountType: PayeeAccount['type'];
  readonly currency: string;
  readonly calendar: BankCalendar;
  /** The time zone of the cut-off, such as `Europe/Brussels`. */
  readonly timeZone: string;
  /** Minutes after midnight, on business days, at which a file of the pending payouts is made. */
  readonly cutOffMinutes: number;
  /** Business days from the cut-off to the day on which the bank is asked to pay. */
  readonly leadDays: number;
  /** Business days without a return, after the bank was to pay, until a payout counts as paid. */
  readonly paidAfterDays: number;
  /** How many payments a file may have. */
  readonly paymentsMax: number;
  /** How many files of one day a bank can distinguish. */
  readonly filesPerDayMax: number;
  /** Whether a plugin sends its payouts one by one, by `Payouts`: then there are no files, and silence means nothing. */
  readonly isSentByPlugin?: boolean;
}

export type PayeeAccount =
  | { readonly type: 'iban'; readonly iban: string; readonly bic: string | null }
  | {
      readonly type: 'ach';
      readonly routingNumber: string;
      readonly accountNumber: string;
      readonly accountType: UsAccountType;
    };

/** A payout's destination. */
export interface Payee {
  /** As its owner wrote it, in any script. */
  readonly holderName: string;
  readonly account: PayeeAccount;
}

export interface RailPayment extends Payee {
  /** Up to 15 letters, digits and hyphens, never used again. */
  readonly paymentId: string;
  /** In cents. */
  readonly amountCents: bigint;
  readonly reference: string | null;
}

/** The content of one file. */
export interface PayoutBatch {
  readonly rail: string;
  /** Counts the rail's files from 1, without gaps. */
  readonly fileNumber: number;
  /** Counts those of one day from 1. */
  readonly fileOfDay: number;
  /** Counts the rail's payments, of all files; this is the first one's number. */
  readonly firstPaymentNumber: number;
  readonly createdAt: Date;
  /** The day of `createdAt` where the rail is. */
  readonly createdOn: CalendarDate;
  /** When the bank is asked to pay: a business day. */
  readonly settlesOn: CalendarDate;
  readonly payments: readonly RailPayment[];
}

export interface RailFile {
  /** Such as `sepa-000012.xml`. */
  readonly name: string;
  readonly mediaType: string;
  readonly content: Buffer;
  /** The bank's references of the payments in reports, in their order. */
  readonly bankReferences: readonly string[];
}

/**
 * A bank's statement about one payment, or, with `fileNumber`, about those payments of a file that have no entry of their
 * own in the report.
 */
export interface RailReportEntry {
  /** `paymentId`, as in `RailPayment`, is for where the report does not name the payment by the bank's reference. */
  readonly subject:
    | { readonly bankReference: string }
    | { readonly paymentId: string }
    | { readonly fileNumber: number };
  readonly status: BankStatus;
  /** The bank's own, such as `AC04` or `R03`. */
  readonly code: string | null;
  /** The bank's words; with `unclear` sentences that say what is. */
  readonly message: string | null;
  /** In cents, where the report says it; it must be what was sent. */
  readonly amountCents: bigint | null;
}

export interface RailReport {
  readonly rail: string;
  /** Such as `pain.002` or `nacha`. */
  readonly format: string;
  readonly entries: readonly RailReportEntry[];
  /** Texts in the report that change no payout, such as notices of change. */
  readonly remarks: readonly string[];
}

/** A report cannot be parsed. The message says where and why, without its content. */
export class UnreadableReport extends Error {
  constructor(problem: string, options?: ErrorOptions) {
    super(problem, options);
    this.name = 'UnreadableReport';
  }
}

/**
 * Extension point: how payouts reach bank accounts. The service selects payouts and holds their money; a rail converts
 * them to a bank's file format, and a bank's reports to statuses. It is called within transactions, so it must not send
 * anything: operators fetch the files from the service.
 */
export abstract class PayoutRail {
  /** One for each kind of account and currency; the same at every call. */
  abstract rails(): readonly RailTerms[];

  /** The names of missing settings without which the rail makes no file. */
  abstract missingSettings(rail: string): readonly string[];

  /** Why the rail cannot write the holder's name, as a sentence for its owner; undefined if it can. */
  abstract refusalOfName(rail: string, holderName: string): string | undefined;

  /** Why the rail does not accept the payment, as a sentence for the caller; undefined if it does. */
  abstract refusalOf(rail: string, payment: Omit<RailPayment, 'paymentId'>): string | undefined;

  /** Makes the file. All payments have passed `refusalOf`, and no setting is missing. */
  abstract write(batch: PayoutBatch): RailFile;

  /** Parses a bank's report of any rail. Throws an UnreadableReport. */
  abstract read(content: Buffer): RailReport;
}
