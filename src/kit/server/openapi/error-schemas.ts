import { getSchemaPath } from '@nestjs/swagger';
import type { ErrorCatalogue } from '../../http/error-code.js';

const ERROR_SCHEMAS = {
  ErrorEnvelope: {
    type: 'object',
    required: ['error'],
    properties: { error: { $ref: getSchemaPath('Error') } },
  },
  Error: {
    type: 'object',
    required: ['code', 'message', 'request_id'],
    properties: {
      code: { type: 'string', enum: [] as readonly string[], example: 'insufficient_funds' },
      message: { type: 'string', description: 'Says what to do.' },
      request_id: { type: 'string', description: 'The `X-Request-Id` of the request.' },
      details: {
        type: 'array',
        description:
          'Only where fields are invalid, and with `account_not_empty`, where the field is an account.',
        items: {
          type: 'object',
          required: ['field', 'message'],
          properties: { field: { type: 'string', example: 'orders.3.price' }, message: { type: 'string' } },
        },
      },
    },
  },
};

/** The body of every failure, and the error in it, which batches have for each of their parts: as JSON Schema. */
export function errorSchemasWith({ codes }: ErrorCatalogue): typeof ERROR_SCHEMAS {
  const { Error, ErrorEnvelope } = ERROR_SCHEMAS;
  const { code } = Error.properties;
  return {
    ErrorEnvelope,
    Error: { ...Error, properties: { ...Error.properties, code: { ...code, enum: codes } } },
  };
}
