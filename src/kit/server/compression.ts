import { constants } from 'node:zlib';
import compression from 'compression';
import type { Request, RequestHandler, Response } from 'express';

/** Below this an answer fits one packet anyway. */
const THRESHOLD_BYTES = 1024;
/** Both levels take some 0.3 ms for 10 KB of JSON, and leave a sixth of it. */
const GZIP_LEVEL = 6;
const BROTLI_QUALITY = 4;
/** 256 KB, instead of the 4 MB that every export would take; it makes no answer larger by a hundredth. */
const BROTLI_WINDOW_BITS = 18;

/**
 * Compresses what is read, where the client takes it. A part of an export is flushed as it is written, so that it
 * arrives before the next. Answers of commands are left alone: they are small, most are orders, and those with secrets
 * are among them.
 */
export function createCompression(): RequestHandler {
  const compress = compression({
    threshold: THRESHOLD_BYTES,
    level: GZIP_LEVEL,
    flush: constants.Z_SYNC_FLUSH,
    brotli: {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW_BITS,
      },
      flush: constants.BROTLI_OPERATION_FLUSH,
    },
    filter: mayCompress,
  });
  return (request, response, next) => {
    if (request.method === 'GET' || request.method === 'HEAD') compress(request, response, next);
    else next();
  };
}

/**
 * Asked when the headers are about to be sent. The library itself leaves alone what is compressed already, what has a
 * type that does not shrink, such as images, and what forbids it with `no-transform`, as event streams do.
 */
function mayCompress(request: Request, response: Response): boolean {
  // Secrets beside what the caller sent, as on log-in pages: their length would tell of the secret (BREACH).
  if (/\bno-store\b/.test(String(response.getHeader('Cache-Control')))) return false;
  // A strong tag is of these very bytes.
  if (String(response.getHeader('ETag') ?? 'W/').startsWith('"')) return false;
  if (!compression.filter(request, response)) return false;
  if (request.method === 'HEAD') omitLength(request, response);
  return true;
}

/** What GET would send has another length, which is not known before it is compressed. */
function omitLength(request: Request, response: Response): void {
  if (request.headers['accept-encoding'] === undefined) return;
  if (Number(response.getHeader('Content-Length')) >= THRESHOLD_BYTES)
    response.removeHeader('Content-Length');
}
