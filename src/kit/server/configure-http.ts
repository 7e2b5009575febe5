import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { parseUrlEncoded } from '../http/body/url-encoded.js';
import { createCompression } from './compression.js';
import { serveLogo } from './branding.js';
import { builtFolder } from './built-folder.js';
import { type ConsoleContents, serveConsole } from './console/serve-console.js';
import { createEdge } from './edge.js';
import { HttpRequests } from './http-requests.js';
import { configureServer } from './http-server.js';
import { EXPOSED_HEADERS } from './openapi/headers.js';
import { serveOpenApi } from './openapi/serve.js';
import { RateLimits } from '../rate-limit/rate-limits.js';
import { Readiness } from './readiness.js';
import { createRefusalGate } from './refusal-gate.js';

/**
 * Sets up everything around Nest's router: Express' settings, the edge, CORS, the documents, the server's limits. For
 * an application that imports the HttpModule, made with `bodyParser: false`, before `init()`.
 */
export function configureHttp(
  nest: NestExpressApplication,
  config: Config,
  logger: Logger,
  console: Partial<ConsoleContents> = {},
): void {
  nest.set('etag', false);
  nest.set('x-powered-by', false);
  nest.set('trust proxy', config.trustProxy);
  nest.set('query parser', (query: string | null) => parseUrlEncoded(query ?? ''));
  nest.use(createEdge({ logger, requests: nest.get(HttpRequests), readiness: nest.get(Readiness) }));
  nest.use(createCompression());
  if (config.corsOrigins.length > 0) {
    nest.enableCors({ origin: [...config.corsOrigins], exposedHeaders: EXPOSED_HEADERS, maxAge: 600 });
  }
  serveOpenApi(nest, config);
  if (console.texts !== undefined) serveLogo(nest, console.texts.branding);
  serveConsole(nest, config, { folder: builtFolder('console'), pages: [], leftOut: [], ...console });
  nest.use(createRefusalGate(nest.get(RateLimits)));
  configureServer(nest.getHttpServer());
}
