import { applyDecorators, StreamableFile } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiRevalidated, isAmongTags } from '../../../kit/http/conditional.js';
import type { MarketDay } from './market-day.service.js';

/** Sends a day as it is stored, or 304 where the caller has it. */
export function marketDayAnswer(
  response: Response,
  { digest, sizeBytes, stream }: MarketDay,
): StreamableFile {
  const etag = `"${digest}"`;
  response.setHeader('ETag', etag);
  response.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
  // The older and the newer way to say it; both are of the bytes that are sent.
  response.setHeader('Digest', `sha-256=${digest}`);
  response.setHeader('Repr-Digest', `sha-256=:${digest}:`);
  response.setHeader('Content-Encoding', 'gzip');
  if (isAmongTags(response.req.headers['if-none-match'] ?? '', etag)) response.status(304);
  return new StreamableFile(stream, { type: 'text/csv; charset=utf-8; header=present', length: sizeBytes });
}

export function ApiMarketDay(): MethodDecorator {
  const day = ApiOkResponse({
    description: 'The day, always with `Content-Encoding: gzip`.',
    content: { 'text/csv': { schema: { type: 'string' } } },
    headers: {
      Digest: { $ref: '#/components/headers/Digest' },
      'Repr-Digest': { $ref: '#/components/headers/Repr-Digest' },
    },
  });
  return applyDecorators(day, ApiRevalidated({ dated: false }));
}
