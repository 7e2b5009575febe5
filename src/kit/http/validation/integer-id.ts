import { Injectable, type PipeTransform } from '@nestjs/common';
import { ApiError } from '../errors.js';
import { PathParam } from '../path-param.js';

const PLAIN_ID = /^[1-9]\d{0,15}$/;

/**
 * Parses an integer id in a path: 1 to 2^53 − 1 in plain digits. `0x10`, `1e3`, `+1` and `01` are refused. Throws
 * `validation_failed` (400).
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

/** An integer id in the path, for example `1`. */
export function IntegerId(name: string, description: string): ParameterDecorator {
  const schema = {
    type: 'integer',
    format: 'int64',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    example: 1,
  } as const;
  return PathParam(name, { description, schema }, IntegerIdPipe);
}
