/**
 * Routing transit numbers of the American Bankers Association: nine digits that name a bank of the United
 * States. The first four name its Federal Reserve district, the last one checks the others.
 */

const DIGITS = /^\d{9}$/;
const WEIGHTS = [3, 7, 1, 3, 7, 1, 3, 7, 1] as const;

/** First two digits of banks (01–12), thrifts (21–32) and their electronic numbers (61–72). */
const PREFIXES = [
  [1, 12],
  [21, 32],
  [61, 72],
] as const;

/** US account numbers in ACH: 4 to 17 digits, the length of the field. */
const ACCOUNT_NUMBER = /^\d{4,17}$/;

/**
 * Whether the text is a routing number of a bank account. Numbers of the government (00) and of traveller's cheques
 * (80) are not.
 */
export function isRoutingNumber(text: string): boolean {
  if (!DIGITS.test(text)) return false;
  const prefix = Number(text.slice(0, 2));
  if (!PREFIXES.some(([first, last]) => prefix >= first && prefix <= last)) return false;
  const sum = WEIGHTS.reduce((total, weight, place) => total + weight * Number(text.charAt(place)), 0);
  return sum % 10 === 0;
}

/** Whether the text has the form of a US account number: 4 to 17 digits, not all of them zero. */
export function isUsAccountNumber(text: string): boolean {
  return ACCOUNT_NUMBER.test(text) && !/^0+$/.test(text);
}
