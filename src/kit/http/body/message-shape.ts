import { JSON_DEPTH_MAX } from './json-body.js';
import { MALFORMED_REQUEST } from '../error-codes.js';
import { ApiError } from '../errors.js';
import { isReservedName } from '../text.js';
import { isStorableText } from '../../storable-text.js';

/**
 * Applies the rules of an HTTP body to a socket message: an object, at most 32 levels deep, without members named like
 * properties of every object, without texts that Postgres cannot store. It is parsed already, so it is walked
 * iteratively, level by level. Throws `malformed_request`.
 */
export function requirePlainMessage(message: unknown): void {
  if (message == null) return;
  if (typeof message !== 'object' || Array.isArray(message)) {
    throw malformed('The message must be one object');
  }
  let level: object[] = [message];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > JSON_DEPTH_MAX) throw malformed(`The message is nested deeper than ${JSON_DEPTH_MAX} levels`);
    level = level.flatMap(innerObjects);
  }
}

function innerObjects(value: object): object[] {
  const inner: object[] = [];
  const isArray = Array.isArray(value);
  for (const [name, member] of Object.entries(value)) {
    if (!isArray && isReservedName(name)) throw malformed(`The message has a member named ${name}`);
    if (!isStorableText(name) || (typeof member === 'string' && !isStorableText(member))) {
      throw malformed('The message has a text with a NUL or half a surrogate pair in it');
    }
    if (ArrayBuffer.isView(member)) throw malformed('The message has binary data in it');
    if (typeof member === 'object' && member !== null) inner.push(member as object);
  }
  return inner;
}

function malformed(problem: string): ApiError {
  return new ApiError(MALFORMED_REQUEST, `${problem}; correct it and send it again.`);
}
