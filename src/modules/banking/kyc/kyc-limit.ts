import { parseAmount, type Amount } from '../../../domain/money/amount.js';
import type { Reader } from '../../../kit/config/readers.js';

/** The payout limit of a KYC level, in units of 10^-18 of the currency. */
export interface KycLimit {
  readonly level: number;
  /** Null for all currencies without their own limit. */
  readonly currency: string | null;
  readonly perPayout: Amount;
  readonly perDay: Amount;
  readonly perMonth: Amount;
}

const LIMIT_PATTERN = /^([1-9])(?::([A-Z0-9]{1,16}))?=([^/]+)\/([^/]+)\/([^/]+)$/;

/** `1=10000/50000/100000` or, for one currency, `2:EUR=20000/80000/200000`: a payment, a day, a month. */
export const kycLimit: Reader<KycLimit> = {
  expects:
    'a level, a currency if need be, and the limits of a payment, a day and a month, such as 2:EUR=20000/80000/200000',
  parse: (text) => {
    const match = LIMIT_PATTERN.exec(text);
    if (match === null) return undefined;
    const [perPayout, perDay, perMonth] = match.slice(3).map((limit) => parseAmount(limit));
    if (perPayout === undefined || perDay === undefined || perMonth === undefined) return undefined;
    return { level: Number(match[1]), currency: match[2] ?? null, perPayout, perDay, perMonth };
  },
};
