import { Injectable, applyDecorators, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { ValidateBy, buildMessage } from 'class-validator';
import { ApiError } from '../../platform/http/errors.js';

/** What a username consists of: letters that every alphabet folds alike, and nothing that a path must escape. */
export const USERNAME_PATTERN = /^[A-Za-z0-9._-]{1,64}$/;

/** Names that nobody gets: routes of `/user` stand in their place, a path cannot carry them, or they mean oneself. */
const RESERVED: ReadonlySet<string> = new Set([
  'me',
  'login',
  'logout',
  'createwitharray',
  'createwithlist',
  '.',
  '..',
]);

/** Two usernames are the same where this is: they know no case. */
export function canonicalUsername(username: string): string {
  return username.toLowerCase();
}

/** A username that a new user may have, as far as the name itself says. */
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

/** Reads a username from a path. Throws `validation_failed` (400) for what nobody could be called. */
@Injectable()
export class UsernamePipe implements PipeTransform<string, string> {
  transform(username: string): string {
    if (USERNAME_PATTERN.test(username)) return username;
    throw ApiError.validation([
      { field: 'username', message: 'username must be 1 to 64 letters, digits, dots, dashes or underscores' },
    ]);
  }
}

/** Documents a path parameter that a `UsernamePipe` reads. */
export function ApiUsername(): MethodDecorator {
  return applyDecorators(
    ApiParam({
      name: 'username',
      description: 'Without regard to case.',
      schema: { type: 'string', pattern: USERNAME_PATTERN.source, example: 'alice' },
    }),
  );
}
