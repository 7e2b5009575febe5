import type { IncomingMessage } from 'node:http';
import type { Config } from '../config/config.js';

/**
 * Whether a page of this origin may open a socket. Browsers send no preflight for sockets, so the server must check;
 * other clients send no origin.
 */
export function isAllowedOrigin(
  { headers }: Pick<IncomingMessage, 'headers'>,
  { corsOrigins, publicUrl }: Pick<Config, 'corsOrigins' | 'publicUrl'>,
): boolean {
  const { origin, host } = headers;
  if (origin === undefined) return true;
  if (corsOrigins.includes(origin) || origin === new URL(publicUrl).origin) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}
