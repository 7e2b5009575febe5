import { Injectable, applyDecorators, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { ApiError } from '../errors.js';

const PLAIN_ID = /^[1-9]\d{0,15}$/;

/**
 * Reads an integer id from a path: 1 to 2^53 − 1 in plain digits. Nothing is guessed: `0x10`, `1e3`, `+1`
 * and `01` are no ids. Throws `validation_failed` (400).
 */
@Injectable()
export class IntegerIdPipe implements PipeTransform<string, number> {
  transform(text: string, { data: name = 'id' }: { readonly data?: string | undefined }): number {
    const id = PLAIN_ID.test(text) ? Number(text) : NaN;
    if (Number.isSafeInteger(id)) return id;
    throw ApiError.validation([
      { field: name, message: `${name} must be an integer from 1 to ${Number.MAX_SAFE_INTEGER}` },
    ]);
  }
}

/** Documents a path parameter that an `IntegerIdPipe` reads. */
export function ApiIntegerId(name: string, description: string): MethodDecorator {
  return applyDecorators(
    ApiParam({
      name,
      description,
      schema: {
        type: 'integer',
        format: 'int64',
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        example: 1,
      },
    }),
  );
}
