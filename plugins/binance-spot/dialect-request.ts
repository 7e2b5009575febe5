import type { Request } from 'express';
import { MALFORMED_REQUEST, PAYLOAD_TOO_LARGE, ApiError } from '../../src/index.js';
import { BinanceError } from './binance-error.js';
import { Parameters } from './parameters.js';

const BODY_BYTES_MAX = 16 * 1024;
const FORM = 'application/x-www-form-urlencoded';

/** What a request says, and the bytes that its signature is over. */
export class DialectRequest {
  private constructor(
    readonly parameters: Parameters,
    /** Query and form one after the other, as they came, without the signature. */
    readonly signedText: string,
  ) {}

  /** Reads the form, where there is one. Throws for what is no query and no form. */
  static async read(request: Request): Promise<DialectRequest> {
    const at = request.originalUrl.indexOf('?');
    const query = at < 0 ? '' : request.originalUrl.slice(at + 1);
    const form = hasBody(request) ? await readForm(request) : '';
    return new DialectRequest(Parameters.of(query, form), withoutSignature(query) + withoutSignature(form));
  }
}

/** The signature stands last as a rule, but it need not. */
function withoutSignature(text: string): string {
  const at = text.startsWith('signature=') ? 0 : text.indexOf('&signature=');
  if (at < 0) return text;
  const end = text.indexOf('&', at + 1);
  if (end < 0) return text.slice(0, at);
  return at === 0 ? text.slice(end + 1) : text.slice(0, at) + text.slice(end);
}

function hasBody({ headers, method }: Request): boolean {
  if (method === 'GET') return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

async function readForm(request: Request): Promise<string> {
  const mediaType = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== FORM) throw new BinanceError(-1000, `Send the body as ${FORM}.`, 415);
  // A client that disconnected while the guards ran sends nothing more, not even an end.
  if (request.destroyed) throw new ApiError(MALFORMED_REQUEST, 'The connection closed early.');
  const bytes = await readBytes(request);
  return bytes.toString('utf8');
}

function readBytes(request: Request): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      // What is beyond is discarded, so that the client reads the answer.
      if (length <= BODY_BYTES_MAX) chunks.push(chunk);
      else reject(new ApiError(PAYLOAD_TOO_LARGE, `Send at most ${BODY_BYTES_MAX} bytes.`));
    });
    request.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    const onClose = (): void => {
      if (request.readableEnded) return;
      reject(new ApiError(MALFORMED_REQUEST, 'The connection closed before the whole body had arrived.'));
    };
    request.once('error', onClose);
    request.once('close', onClose);
  });
}
