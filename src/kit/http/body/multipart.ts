import type { Request, Response } from 'express';
import multer, { memoryStorage, MulterError, type Options } from 'multer';
import { MALFORMED_REQUEST } from '../error-codes.js';
import { ApiError } from '../errors.js';
import { isReservedName } from '../text.js';
import { isStorableText } from '../../storable-text.js';
import { payloadTooLarge } from './payload-too-large.js';

const TEXTS_MAX = 20;
const TEXT_BYTES_MAX = 4 * 1024;
const NAME_BYTES_MAX = 100;
const PART_HEADERS_MAX = 20;
/** Room for boundaries, headers and texts beside the file. */
const ENVELOPE_BYTES_MAX = 128 * 1024;

/**
 * Reads a multipart form with one file of up to `fileBytesMax` into memory. Answers the texts of the form by
 * their names, and under the name of its part the file as a Buffer; names never nest. Rejects with
 * `payload_too_large` (413), and with `malformed_request` (400) for what is no such form: a name that comes
 * twice, a second file, a text over 4 KB, a NUL, names that every object has (`__proto__`) and `prototype`.
 */
export async function readMultipart(
  request: Request,
  fileBytesMax: number,
): Promise<Record<string, string | Buffer>> {
  if (Number(request.headers['content-length']) > fileBytesMax + ENVELOPE_BYTES_MAX) {
    throw payloadTooLarge(fileBytesMax);
  }
  await parse(request, fileBytesMax);
  const form: Record<string, string | Buffer> = {};
  for (const [name, value] of partsOf(request)) {
    if (isReservedName(name)) throw malformed(`${name} is not taken as a name`);
    if (Object.hasOwn(form, name) || Array.isArray(value)) throw malformed('each name may come once');
    if (typeof value === 'string' && !isStorableText(value)) throw malformed('a NUL character is not taken');
    form[name] = value;
  }
  return form;
}

function parse(request: Request, fileBytesMax: number): Promise<void> {
  const options: Options = {
    storage: memoryStorage(),
    limits: {
      fileSize: fileBytesMax,
      files: 1,
      fields: TEXTS_MAX,
      parts: TEXTS_MAX + 1,
      fieldSize: TEXT_BYTES_MAX,
      fieldNameSize: NAME_BYTES_MAX,
      headerPairs: PART_HEADERS_MAX,
      fieldNestingDepth: 0,
    },
  };
  return new Promise((resolve, reject) => {
    // multer never writes to the response; only the middleware's type needs it.
    multer(options).any()(request, request.res as Response, (error: unknown) => {
      if (error === undefined || error === null) resolve();
      else reject(refusalOf(error, fileBytesMax));
    });
  });
}

function partsOf(request: Request): [string, string | string[] | Buffer][] {
  const texts = Object.entries((request.body ?? {}) as Record<string, string | string[]>);
  const files = (request.files ?? []) as Express.Multer.File[];
  return [...texts, ...files.map(({ fieldname, buffer }): [string, Buffer] => [fieldname, buffer])];
}

function refusalOf(error: unknown, fileBytesMax: number): ApiError {
  if (!(error instanceof MulterError)) return malformed('it is not a whole multipart form', error);
  if (error.code === 'LIMIT_FILE_SIZE') return payloadTooLarge(fileBytesMax);
  return malformed(error.message.toLowerCase(), error);
}

function malformed(problem: string, cause?: unknown): ApiError {
  return new ApiError(MALFORMED_REQUEST, `Correct the form: ${problem}.`, { cause });
}
