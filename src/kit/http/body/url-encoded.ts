import { MALFORMED_REQUEST } from '../error-codes.js';
import { ApiError } from '../errors.js';
import { isReservedName } from '../text.js';
import { isStorableText } from '../../storable-text.js';

const FIELDS_MAX = 200;

/**
 * Reads `application/x-www-form-urlencoded` text: a query string or a form. A name that is repeated gives
 * an array, which only a rule that allows arrays lets through; names never nest (`a[b]` is just a name).
 * Throws `malformed_request` (400) for escapes that are not UTF-8, for NUL, for names that every object has
 * (`__proto__`, `toString`) and `prototype`, and for over 200 fields.
 */
export function parseUrlEncoded(text: string): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = {};
  if (text === '') return fields;
  const pairs = text.split('&', FIELDS_MAX + 1);
  if (pairs.length > FIELDS_MAX) throw malformed(`at most ${FIELDS_MAX} fields are taken`);
  for (const pair of pairs) {
    if (pair === '') continue;
    const separator = pair.indexOf('=');
    const name = decode(separator < 0 ? pair : pair.slice(0, separator));
    if (isReservedName(name)) throw malformed(`${name} is not taken as a name`);
    const value = separator < 0 ? '' : decode(pair.slice(separator + 1));
    const before = fields[name];
    if (before === undefined) fields[name] = value;
    else if (typeof before === 'string') fields[name] = [before, value];
    else before.push(value);
  }
  return fields;
}

function decode(text: string): string {
  const decoded = percentDecode(text.includes('+') ? text.replaceAll('+', ' ') : text);
  if (!isStorableText(decoded)) throw malformed('a NUL character is not taken');
  return decoded;
}

function percentDecode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw malformed('the percent escapes must be UTF-8');
  }
}

function malformed(problem: string): ApiError {
  return new ApiError(MALFORMED_REQUEST, `Correct the form fields or query parameters: ${problem}.`);
}
