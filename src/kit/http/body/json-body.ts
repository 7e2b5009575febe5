import { MALFORMED_REQUEST } from '../error-codes.js';
import { ApiError } from '../errors.js';
import { isReservedName } from '../text.js';
import { isStorableText } from '../../storable-text.js';

export const JSON_DEPTH_MAX = 32;

const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Parses a JSON body: one object or array, at most 32 levels deep, without duplicate members, without members named
 * like properties of every object (`__proto__`, `constructor`, `toString`; and `prototype`), and without texts that
 * Postgres cannot store (NUL, half a surrogate pair). Throws `malformed_request` (400).
 *
 * The depth is measured on the text, before anything recursive touches the body.
 */
export function parseJsonBody(text: string): object {
  const memberCount = countMembers(text);
  const body = parse(text);
  if (typeof body !== 'object' || body === null) throw malformed('The body must be a JSON object or array');
  // Valid UTF-8 has no lone surrogate and valid JSON no raw NUL, so only escapes can contain them.
  const hasEscapes = text.includes('\\u');
  if (countKeys(body, hasEscapes) !== memberCount) throw malformed('The body repeats a member of an object');
  return body;
}

/** Counts `name: value` pairs in the text, and refuses excessive nesting. */
function countMembers(text: string): number {
  let depth = 0;
  let members = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        i = endOfString(text, i);
        break;
      case COLON:
        members++;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (++depth > JSON_DEPTH_MAX)
          throw malformed(`The body is nested deeper than ${JSON_DEPTH_MAX} levels`);
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth--;
        break;
    }
  }
  return members;
}

/** The index of the quote that ends the string beginning at `start`; the text's end if there is none. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw malformed('The body is not valid JSON');
  }
}

/**
 * Counts the parsed members; a duplicate name makes them fewer than in the text. Arrays have their own loop: `for in`
 * would make a text of each index, which cost more than parsing.
 */
function countKeys(value: object, checkTexts: boolean): number {
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countKeysWithin(item, checkTexts);
    return count;
  }
  for (const key in value) {
    if (isReservedName(key)) throw malformed(`The body has a member named ${key}`);
    if (checkTexts) requireStorable(key);
    count += 1 + countKeysWithin((value as Record<string, unknown>)[key], checkTexts);
  }
  return count;
}

function countKeysWithin(value: unknown, checkTexts: boolean): number {
  if (typeof value === 'object' && value !== null) return countKeys(value, checkTexts);
  if (checkTexts && typeof value === 'string') requireStorable(value);
  return 0;
}

function requireStorable(text: string): void {
  if (!isStorableText(text)) throw malformed('The body has a text with a NUL or half a surrogate pair in it');
}

function malformed(problem: string): ApiError {
  return new ApiError(MALFORMED_REQUEST, `${problem}; correct it and send the request again.`);
}
