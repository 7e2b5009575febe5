import type { Request } from 'express';
import { ApiError, type FieldError } from '../../../kit/http/errors.js';

/** A user name and a password as received. */
export interface PresentedPassword {
  readonly username: string;
  readonly password: string;
  /** A password in a URL may have been logged or seen; a header is protected. */
  readonly sentIn: 'query' | 'header';
}

/** With the code of a second factor, where one came. */
export interface PresentedLogIn extends PresentedPassword {
  readonly code: string | undefined;
}

/** Longer than any valid name or password. */
const LENGTH_MAX = 256;
const EMPTY: PresentedPassword = { username: '', password: '', sentIn: 'header' };

/**
 * Reads the query parameters `username` and `password`, or else `Authorization: Basic` (RFC 7617, in UTF-8). A
 * malformed header gives a password that matches nobody. Throws `validation_failed` (400) if both are missing, or one
 * of name and password is.
 */
export function readPresentedPassword({ query, headers }: Request): PresentedPassword {
  const isInQuery = query['username'] !== undefined || query['password'] !== undefined;
  if (!isInQuery && headers.authorization !== undefined && /^basic\b/i.test(headers.authorization)) {
    return readBasic(headers.authorization);
  }
  const errors: FieldError[] = [];
  const [username, password] = ['username', 'password'].map((field) => {
    const value = query[field];
    if (typeof value === 'string' && value !== '' && value.length <= LENGTH_MAX) return value;
    errors.push({ field, message: `${field} must come once, with 1 to ${LENGTH_MAX} characters` });
    return '';
  }) as [string, string];
  if (errors.length > 0) throw ApiError.validation(errors);
  return { username, password, sentIn: 'query' };
}

function readBasic(authorization: string): PresentedPassword {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1] ?? '';
  const [, username, password] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  if (username === undefined || password === undefined || password.length > LENGTH_MAX) return EMPTY;
  return { username, password, sentIn: 'header' };
}

/** As `readPresentedPassword`, with the code in the header `X-OTP`. */
export function readPresentedLogIn(request: Request): PresentedLogIn {
  return { ...readPresentedPassword(request), code: request.get('X-OTP') };
}
