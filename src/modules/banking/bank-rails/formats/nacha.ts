/**
 * Files of the American ACH, as the NACHA rules lay them out: records of 94 characters, in blocks of ten.
 * Here are those of payments to persons (PPD credits), in one batch a file.
 */
import type { CalendarDate } from '../../../../domain/banking/bank-calendar.js';
import type { LocalTime } from '../local-time.js';

export const RECORD_LENGTH = 94;
const RECORDS_IN_A_BLOCK = 10;
const HASH_DIGITS = 10;

/** The batch has only credits. */
const CREDITS_ONLY = '220';
/** Prearranged payments to persons. */
const ENTRY_CLASS = 'PPD';

/** The limits of an entry's fields, in characters and cents. */
export const NACHA_LIMITS = {
  name: 22,
  individualId: 15,
  paymentInformation: 80,
  amountCents: 9_999_999_999n,
  filesPerDay: 36,
} as const;

/** How an entry says what it does to the account: a credit to a checking or to a savings account. */
const TRANSACTION_CODES = { checking: '22', savings: '32' } as const;

export type UsAccountType = keyof typeof TRANSACTION_CODES;

/** One payment. Texts are printable ASCII and no longer than `NACHA_LIMITS`. */
export interface NachaEntry {
  readonly routingNumber: string;
  readonly accountNumber: string;
  readonly accountType: UsAccountType;
  readonly amountCents: bigint;
  /** Returned with a return. */
  readonly individualId: string;
  readonly name: string;
  /** The 15 digits that `traceNumberOf` makes; they rise within a file. */
  readonly traceNumber: string;
  /** Sent in its own addenda record; null if there is none. */
  readonly paymentInformation: string | null;
}

export interface NachaFile {
  /** The routing number of the bank that the file goes to, which is the one that originates its entries. */
  readonly routingNumber: string;
  readonly bankName: string;
  /** Ten characters, assigned to the company by that bank. */
  readonly companyId: string;
  readonly companyName: string;
  /** The date and the time of one clock: that of the bank. */
  readonly createdAt: LocalTime;
  /** Distinguishes the files of one day: A to Z, then 0 to 9. */
  readonly modifier: string;
  readonly batchNumber: number;
  /** The text on the receiver's statement, ten characters. */
  readonly description: string;
  /** When the entries are to be settled: a business day. */
  readonly effectiveOn: CalendarDate;
  readonly entries: readonly NachaEntry[];
}

const MODIFIERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** The modifier of a day's `nth` file, counted from 1; undefined for more than a day can have. */
export function fileModifierOf(nth: number): string | undefined {
  return MODIFIERS.charAt(nth - 1) || undefined;
}

/** Fifteen digits that name an entry: the originating bank's first eight, then a number of seven. */
export function traceNumberOf(routingNumber: string, sequence: number): string {
  return routingNumber.slice(0, 8) + digits(sequence % 10_000_000, 7);
}

/** The whole file, each record a line. Throws a RangeError for what does not fit into its field. */
export function writeNachaFile(file: NachaFile): string {
  const { entries, companyId, batchNumber } = file;
  const originator = file.routingNumber.slice(0, 8);
  const total = entries.reduce((sum, { amountCents }) => sum + amountCents, 0n);
  const entryHash = entryHashOf(entries);
  const body = entries.flatMap(recordsOf);

  const records = [
    record(
      '101',
      ` ${file.routingNumber}`,
      text(companyId, 10),
      shortDate(file.createdAt.date),
      digits(Math.floor(file.createdAt.minutes / 60), 2) + digits(file.createdAt.minutes % 60, 2),
      file.modifier,
      '094',
      '10',
      '1',
      text(file.bankName, 23),
      text(file.companyName, 23),
      text('', 8),
    ),
    record(
      '5',
      CREDITS_ONLY,
      text(file.companyName.slice(0, 16), 16),
      text('', 20),
      text(companyId, 10),
      ENTRY_CLASS,
      text(file.description, 10),
      text('', 6),
      shortDate(file.effectiveOn),
      text('', 3),
      '1',
      originator,
      digits(batchNumber % 10_000_000, 7),
    ),
    ...body,
    record(
      '8',
      CREDITS_ONLY,
      digits(body.length, 6),
      entryHash,
      digits(0, 12),
      digits(total, 12),
      text(companyId, 10),
      text('', 19),
      text('', 6),
      originator,
      digits(batchNumber % 10_000_000, 7),
    ),
  ];
  const blocks = Math.ceil((records.length + 1) / RECORDS_IN_A_BLOCK);
  records.push(
    record(
      '9',
      digits(1, 6),
      digits(blocks, 6),
      digits(body.length, 8),
      entryHash,
      digits(0, 12),
      digits(total, 12),
      text('', 39),
    ),
  );
  while (records.length % RECORDS_IN_A_BLOCK !== 0) records.push('9'.repeat(RECORD_LENGTH));
  return records.map((line) => `${line}\n`).join('');
}

function recordsOf(entry: NachaEntry): string[] {
  const { routingNumber, traceNumber, paymentInformation } = entry;
  const detail = record(
    '6',
    TRANSACTION_CODES[entry.accountType],
    routingNumber,
    text(entry.accountNumber, 17),
    digits(entry.amountCents, 10),
    text(entry.individualId, NACHA_LIMITS.individualId),
    text(entry.name, NACHA_LIMITS.name),
    text('', 2),
    paymentInformation === null ? '0' : '1',
    traceNumber,
  );
  if (paymentInformation === null) return [detail];
  const addenda = record(
    '705',
    text(paymentInformation, NACHA_LIMITS.paymentInformation),
    digits(1, 4),
    traceNumber.slice(8),
  );
  return [detail, addenda];
}

/** The sum of the receiving banks' first eight digits, of which the last ten digits count. */
export function entryHashOf(entries: readonly { readonly routingNumber: string }[]): string {
  const sum = entries.reduce((total, { routingNumber }) => total + Number(routingNumber.slice(0, 8)), 0);
  return String(sum).padStart(HASH_DIGITS, '0').slice(-HASH_DIGITS);
}

function record(...fields: string[]): string {
  const line = fields.join('');
  if (line.length !== RECORD_LENGTH) throw new RangeError(`a record of ${line.length} characters`);
  return line;
}

/** Letters, digits and the like to the left, filled up with spaces. */
function text(value: string, width: number): string {
  if (value.length > width || !/^[\x20-\x7e]*$/.test(value)) {
    throw new RangeError(`a field of ${width} characters cannot hold this text`);
  }
  return value.padEnd(width);
}

/** Figures to the right, filled up with zeros. */
function digits(value: number | bigint, width: number): string {
  const figure = value.toString();
  if (figure.length > width || value < 0) throw new RangeError(`a field of ${width} digits cannot hold this`);
  return figure.padStart(width, '0');
}

function shortDate(date: CalendarDate): string {
  return date.slice(2).replaceAll('-', '');
}
