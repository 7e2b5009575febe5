import { Injectable, type PipeTransform } from '@nestjs/common';
import { ValidateBy, buildMessage } from 'class-validator';
import { ApiError } from '../../kit/http/errors.js';
import { PathParam } from '../../kit/http/path-param.js';

/** What a username consists of: letters that every alphabet folds alike, and nothing that a path must escape. */
export const USERNAME_PATTERN = /^[A-Za-z0-9._-]{1,64}$/;

/** Reserved names: they clash with routes of `/user`, a path cannot carry them, or they mean the caller. */
const RESERVED: ReadonlySet<string> = new Set([
  'me',
  'login',
  'logout',
  'sessions',
  'step-up',
  'totp',
  'passkeys',
  'email',
  'exclusion',
  'exports',
  'createwitharray',
  'createwithlist',
  '.',
  '..',
]);

/** Two usernames are the same where this is: they know no case. */
export function canonicalUsername(username: string): string {
  return username.toLowerCase();
}

const WISH_LENGTH_MAX = 48;

/** A username like what somebody is called elsewhere; of a mail address, what stands before the host. */
export function usernameLike(wish = ''): string {
  const [local = ''] = wish.normalize('NFKD').split('@');
  const like = local.replace(/[^A-Za-z0-9._-]+/g, '').slice(0, WISH_LENGTH_MAX);
  return like === '' || RESERVED.has(canonicalUsername(like)) ? 'user' : like;
}

/** Validates the form of a new username. */
export function IsNewUsername(): PropertyDecorator {
  return ValidateBy({
    name: 'isNewUsername',
    validator: {
      validate: (value) =>
        typeof value === 'string' && USERNAME_PATTERN.test(value) && !RESERVED.has(canonicalUsername(value)),
      defaultMessage: buildMessage(
        (eachPrefix) =>
          `${eachPrefix}$property must be 1 to 64 letters, digits, dots, dashes or underscores, and no reserved name`,
      ),
    },
  });
}

/** Parses a username in a path. Throws `validation_failed` (400) for an impossible name. */
@Injectable()
export class UsernamePipe implements PipeTransform<string, string> {
  transform(username: string): string {
    if (USERNAME_PATTERN.test(username)) return username;
    throw ApiError.validation([
      { field: 'username', message: 'username must be 1 to 64 letters, digits, dots, dashes or underscores' },
    ]);
  }
}

/** A username in the path. */
export function Username(): ParameterDecorator {
  const schema = { type: 'string', pattern: USERNAME_PATTERN.source, example: 'alice' } as const;
  return PathParam('username', { description: 'Without regard to case.', schema }, UsernamePipe);
}
