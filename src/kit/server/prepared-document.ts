import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { RequestHandler, Request } from 'express';
import { isAmongTags } from '../http/conditional.js';

/** The two best levels take ten times as long, after each start, for output a tenth smaller. */
const BROTLI_QUALITY = 9;

/** In the order of preference. */
const COMPRESSIONS = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
} as const;

type Encoding = keyof typeof COMPRESSIONS | 'identity';

export interface PreparedDocumentOptions {
  /** What caches may do with it; where left out, they revalidate each time. */
  readonly cacheControl?: string;
}

interface Representation {
  readonly etag: string;
  readonly bytes: Buffer;
}

/**
 * A document that is the same for everyone until the service stops. It is made and compressed once, so that an answer
 * only copies bytes. Clients cache it and revalidate.
 */
export class PreparedDocument {
  private prepared: Promise<Readonly<Record<Encoding, Representation>>> | undefined;

  constructor(
    private readonly contentType: string,
    private readonly make: () => string | Promise<Buffer>,
    private readonly options: PreparedDocumentOptions = {},
  ) {}

  /** Makes the document unless it exists; otherwise the first request does. */
  prepare(): Promise<Readonly<Record<Encoding, Representation>>> {
    this.prepared ??= this.represent().catch((error: unknown) => {
      this.prepared = undefined;
      throw error;
    });
    return this.prepared;
  }

  readonly serve: RequestHandler = async (request, response) => {
    const representations = await this.prepare();
    const encoding = acceptedEncoding(request);
    const { etag, bytes } = representations[encoding];
    response.vary('Accept-Encoding');
    response.setHeader('ETag', etag);
    response.setHeader('Cache-Control', this.options.cacheControl ?? 'no-cache');
    const known = request.headers['if-none-match'];
    if (known !== undefined && isAmongTags(known, etag)) {
      response.statusCode = 304;
      response.end();
      return;
    }
    if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding);
    response.setHeader('Content-Type', this.contentType);
    response.setHeader('Content-Length', bytes.length);
    response.end(bytes);
  };

  /** Strong ETags differ where the bytes do, so each encoding has its own. */
  private async represent(): Promise<Record<Encoding, Representation>> {
    const bytes = Buffer.from(await this.make());
    const digest = hash('sha256', bytes, 'base64url');
    const compressed = async (encoding: keyof typeof COMPRESSIONS): Promise<Representation> => ({
      etag: `"${digest}-${encoding}"`,
      bytes: await COMPRESSIONS[encoding](bytes),
    });
    const [br, gzip] = await Promise.all([compressed('br'), compressed('gzip')]);
    return { br, gzip, identity: { etag: `"${digest}"`, bytes } };
  }
}

function acceptedEncoding(request: Request): Encoding {
  if (request.headers['accept-encoding'] === undefined) return 'identity';
  const compressions = Object.keys(COMPRESSIONS) as (keyof typeof COMPRESSIONS)[];
  return compressions.find((encoding) => request.acceptsEncodings(encoding)) ?? 'identity';
}
