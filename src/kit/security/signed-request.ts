/** Requests that are signed by RFC 9421, instead of carrying a secret. */
import type { IncomingMessage } from 'node:http';
import { announcesBody } from '../http/body/announced-body.js';

/** What can be signed of a request, and its signature. */
export interface SignedRequest {
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly target: string;
  /** All values of each field, by its name in lower case. */
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  readonly hasBody: boolean;
  readonly signatureInput: string;
  readonly signature: string;
}

/** What a client says of its signature: in the headers of these names, or in the `auth` of a socket's handshake. */
interface Carried {
  readonly signatureInput: string | undefined;
  readonly signature: string | undefined;
}

/** The request, if it is signed. */
export function signedRequestOf(
  request: IncomingMessage & { readonly originalUrl?: string },
  { signatureInput, signature }: Carried = carriedIn(request),
): SignedRequest | undefined {
  if (signatureInput === undefined && signature === undefined) return undefined;
  return {
    method: request.method ?? '',
    target: request.originalUrl ?? request.url ?? '',
    headers: request.headersDistinct,
    hasBody: announcesBody(request),
    signatureInput: signatureInput ?? '',
    signature: signature ?? '',
  };
}

/** Whether the headers have a signature, or half of one. */
export function isSigned({ headers }: IncomingMessage): boolean {
  return headers['signature-input'] !== undefined || headers['signature'] !== undefined;
}

function carriedIn({ headers }: IncomingMessage): Carried {
  return {
    signatureInput: textOf(headers['signature-input']),
    signature: textOf(headers['signature']),
  };
}

/** Node joins fields that it does not know by commas, as a dictionary wants it. */
function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}
