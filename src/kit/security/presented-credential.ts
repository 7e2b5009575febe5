import type { IncomingHttpHeaders } from 'node:http';

export const API_KEY_HEADER = 'api_key';

const BEARER = /^bearer +(\S+)$/i;

/** A credential as the caller sent it. */
export interface PresentedCredential {
  readonly scheme: 'bearer' | 'api_key';
  readonly secret: string;
}

/** The credential in the headers of a request or a handshake; a bearer token takes precedence. */
export function presentedCredentialOf(headers: IncomingHttpHeaders): PresentedCredential | undefined {
  const token = BEARER.exec(headers.authorization ?? '')?.[1];
  if (token !== undefined) return { scheme: 'bearer', secret: token };
  const key = headers[API_KEY_HEADER];
  return typeof key === 'string' ? { scheme: 'api_key', secret: key } : undefined;
}
