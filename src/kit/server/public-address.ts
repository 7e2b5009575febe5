import type { RequestHandler } from 'express';
import { isLoopback } from '../config/address.js';
import type { Config } from '../config/config.js';

/**
 * To a browser `localhost` and `127.0.0.1` are two origins, and CORS would block the page's calls to the API: a visitor
 * by another name of this machine is redirected to the public address.
 */
export function atPublicAddress(config: Config): RequestHandler {
  return (request, response, next) => {
    const asked = `http://${request.headers.host}`;
    const { host, hostname, port } = new URL(config.publicUrl);
    const byAnotherName =
      isLoopback(hostname) &&
      URL.canParse(asked) &&
      isLoopback(new URL(asked).hostname) &&
      new URL(asked).port === port &&
      new URL(asked).host !== host;
    if (byAnotherName) response.redirect(307, `${config.publicUrl}${request.originalUrl}`);
    else next();
  };
}
