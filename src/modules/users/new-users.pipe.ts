import { Injectable, type PipeTransform } from '@nestjs/common';
import { ApiError, type FieldError } from '../../kit/http/errors.js';
import { BodyFields } from '../../kit/http/validation/body-fields.js';
import { CompiledValidationPipe } from '../../kit/http/validation/compiled-validation.pipe.js';
import { CreateUserDto } from './user.dto.js';

/** As many as one request may make; each costs a password hash. */
export const USERS_AT_ONCE_MAX = 100;

/**
 * Reads a body that is an array of new users, by the rules that one alone is read by.
 * Throws `validation_failed` (400) with details whose paths begin with the index, such as `3.username`.
 */
@Injectable()
export class NewUsersPipe implements PipeTransform<unknown, Promise<CreateUserDto[]>> {
  private readonly validation: CompiledValidationPipe;

  constructor(fields: BodyFields) {
    this.validation = new CompiledValidationPipe(fields);
  }

  async transform(body: unknown): Promise<CreateUserDto[]> {
    if (!Array.isArray(body) || body.length === 0 || body.length > USERS_AT_ONCE_MAX) {
      throw ApiError.validation([
        { field: 'body', message: `body must be an array of 1 to ${USERS_AT_ONCE_MAX} users` },
      ]);
    }
    const users: CreateUserDto[] = [];
    const errors: FieldError[] = [];
    for (const [index, item] of body.entries()) {
      const read = await this.read(item, index);
      if (Array.isArray(read)) errors.push(...read);
      else users.push(read);
    }
    if (errors.length > 0) throw ApiError.validation(errors);
    return users;
  }

  /** The user, or what is wrong with it. */
  private async read(item: unknown, index: number): Promise<CreateUserDto | FieldError[]> {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      return [{ field: String(index), message: `${index} must be a user` }];
    }
    try {
      return (await this.validation.transform(item, {
        type: 'body',
        metatype: CreateUserDto,
      })) as CreateUserDto;
    } catch (error) {
      if (!(error instanceof ApiError) || error.details === undefined) throw error;
      return error.details.map(({ field, message }) => ({ field: `${index}.${field}`, message }));
    }
  }
}
