import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import type { Config } from '../../config/config.js';
import { builtFolder } from '../built-folder.js';
import { PreparedDocument } from '../prepared-document.js';
import { PreparedDocuments } from '../prepared-documents.js';
import { atPublicAddress } from '../public-address.js';
import { createOpenApiDocument } from './document.js';

/** What the published package has of the page's files, a tenth; else the library's own folder. */
const PACKED_FOLDER = builtFolder('swagger-ui');
const SWAGGER_UI_FOLDER = existsSync(PACKED_FOLDER)
  ? PACKED_FOLDER
  : dirname(
      createRequire(createRequire(import.meta.url).resolve('@nestjs/swagger')).resolve(
        'swagger-ui-dist/package.json',
      ),
    );

/** Two megabytes of assets that would otherwise be read from disk for every request. */
const SWAGGER_UI_ASSETS = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
} as const;

/** Serves Swagger UI at `/docs` and the document at `/openapi.json`, which the page loads too. */
export function serveOpenApi(app: INestApplication, config: Config): void {
  const documents = app.get(PreparedDocuments);
  const make = (): string => JSON.stringify(createOpenApiDocument(app, config.publicUrl));
  const document = new PreparedDocument('application/json; charset=utf-8', make);
  app.use('/openapi.json', documents.takeRead);
  documents.serve(app, '/openapi.json', document);
  app.use('/docs', documents.takeRead, atPublicAddress(config), swaggerUiPolicy(config));
  app.use('/docs/oauth2-redirect.html', withoutOpenerPolicy);
  for (const [name, contentType] of Object.entries(SWAGGER_UI_ASSETS)) {
    const asset = new PreparedDocument(contentType, () => readFile(join(SWAGGER_UI_FOLDER, name)));
    documents.serve(app, `/docs/${name}`, asset);
  }
  // The page would otherwise embed the document in a script of its own.
  SwaggerModule.setup('docs', app, {} as OpenAPIObject, {
    raw: false,
    swaggerUrl: '/openapi.json',
    customSwaggerUiPath: SWAGGER_UI_FOLDER,
    customSiteTitle: 'Tradepost API',
    swaggerOptions: {
      get oauth2RedirectUrl() {
        return `${config.publicUrl}/docs/oauth2-redirect.html`;
      },
      // With this many operations, readers go by groups.
      docExpansion: 'none',
      persistAuthorization: true,
      tryItOutEnabled: true,
      displayRequestDuration: true,
      // No scopes: Swagger UI would tick them for every flow, and a client may ask only for what it has.
      initOAuth: config.seedDemo ? { clientId: 'demo' } : {},
    },
  });
}

/** Swagger UI runs scripts of its own origin and styles itself; the API's own policy forbids both. */
function swaggerUiPolicy(config: Config): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'", 'data:'],
        connectSrc: ["'self'", () => config.publicUrl],
        frameAncestors: ["'none'"],
      },
    },
    // The window of the implicit flow hands its token back to the page that opened it.
    crossOriginOpenerPolicy: { policy: 'same-origin-allow-popups' },
  });
}

/**
 * That window shows the log-in and consent pages, which have no opener policy. If its last page had one, the browser
 * would cut it off from its opener, and the token would be lost.
 */
const withoutOpenerPolicy: RequestHandler = (_request, response, next) => {
  response.removeHeader('Cross-Origin-Opener-Policy');
  next();
};
