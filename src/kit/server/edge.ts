import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import { MALFORMED_REQUEST } from '../http/error-codes.js';
import { ApiError } from '../http/errors.js';
import type { SpanEnd } from '../tracing/tracing.js';
import { handleFor } from '../turns/owner.js';
import type { HttpRequests } from './http-requests.js';
import type { Readiness } from './readiness.js';

declare global {
  // Express' types can only be added to where they are declared, in this namespace.
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    interface Request {
      /** The `X-Request-Id` of this request: the caller's own when well formed, else made here. */
      id: string;
    }
  }
}

/** The only current version of the API, sent with every response. */
export const API_VERSION = '2026-11-01';

const REQUEST_ID_PATTERN = /^[\w.~:+/=-]{1,128}$/;

export interface EdgeOptions {
  readonly logger: Logger;
  readonly requests: HttpRequests;
  readonly readiness: Readiness;
}

/**
 * The first middleware: assigns the request id, sets the headers common to all responses, and logs and counts the end
 * of each request.
 */
export function createEdge({ logger, requests, readiness }: EdgeOptions): RequestHandler {
  const fixedHeaders: readonly (readonly [string, string])[] = [
    ['Tradepost-Version', API_VERSION],
    ...securityHeaders(),
  ];
  return (request, response, next) => {
    request.id = requestIdOf(request.headers['x-request-id']);
    const passage = requests.enter(request.method, () => ({ parent: request.get('traceparent') }));
    response.setHeader('X-Request-Id', request.id);
    for (const [name, value] of fixedHeaders) response.setHeader(name, value);
    if (readiness.isDraining) response.setHeader('Connection', 'close');
    response.once('close', () => {
      request.flight?.end();
      const route = routeTemplateOf(request);
      passage.within(() => logRequest(logger, request, response, route, passage.durationMs));
      const { method } = request;
      passage.end({ method, route, status: String(response.statusCode) }, () =>
        spanOf(request, response, route),
      );
    });
    passage.within(() => handleFor(request, () => next(nulInUrl(request.url))));
  };
}

export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && REQUEST_ID_PATTERN.test(header) ? header : randomUUID();
}

/** Express' route template, such as `/orders/:order_id`: never the path itself, whose values are unbounded. */
function routeTemplateOf(request: Request): string {
  const route = request.route as { path?: unknown } | undefined;
  return typeof route?.path === 'string' ? route.path : 'unmatched';
}

/** No address, no query, and nothing of the caller's but the request's id. */
function spanOf({ method, id }: Request, { statusCode }: Response, route: string): SpanEnd {
  return {
    name: `${method} ${route}`,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': statusCode,
      'tradepost.request_id': id,
    },
    ...(statusCode >= 500 && { error: { code: String(statusCode) } }),
  };
}

/**
 * Successes and rate-limit refusals are logged at `debug`, which is off by default: metrics count them anyway. The
 * query is never logged, since it may carry log-ins and tickets.
 */
function logRequest(
  logger: Logger,
  request: Request,
  response: Response,
  route: string,
  durationMs: number,
): void {
  const status = response.statusCode;
  const level = status >= 500 ? 'error' : status >= 400 && status !== 429 ? 'info' : 'debug';
  if (!logger.isLevelEnabled(level)) return;
  logger[level](
    {
      request_id: request.id,
      method: request.method,
      route,
      status,
      duration_ms: Math.round(durationMs * 1000) / 1000,
      principal: request.user?.key,
      aborted: response.writableFinished ? undefined : true,
    },
    'request',
  );
}

/** No id, name or filter contains a NUL, and Postgres refuses a statement that has one. */
function nulInUrl(url: string): ApiError | undefined {
  if (!url.includes('%00')) return undefined;
  return new ApiError(MALFORMED_REQUEST, 'The address must not contain a NUL character (%00).');
}

/**
 * The headers for responses other than documents. Helmet's headers are the same for every response, so they are
 * computed once, on a recording response; pages add their own where they are served.
 */
function securityHeaders(): [string, string][] {
  const headers = new Map<string, string>();
  const recorder = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: (name: string) => headers.delete(name),
  };
  const middleware = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    xFrameOptions: { action: 'deny' },
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
  middleware({} as Request, recorder as unknown as Response, () => undefined);
  return [...headers];
}
