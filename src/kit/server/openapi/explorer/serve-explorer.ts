import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import type { Config } from '../../../config/config.js';
import { documentedCodesOf } from '../../../http/api-errors.js';
import { DeclaredRoutes } from '../../../http/declared-routes.js';
import { ErrorCatalogue } from '../../../http/error-code.js';
import { builtFolder } from '../../built-folder.js';
import { PreparedDocument } from '../../prepared-document.js';
import { PreparedDocuments } from '../../prepared-documents.js';
import { atPublicAddress } from '../../public-address.js';
import { ApiTexts } from '../api-texts.js';
import type { ApiDocuments } from '../api-documents.js';
import { templateOf } from '../operations.js';
import { type AnsweredBy, errorPage } from './error-page.js';
import { explorerPage, PAGE_STYLES, PAGES } from './page.js';
import { PAGE_SCRIPT } from './page-script.js';

/** What the published package has of the page's files, a tenth; else the library's own folder. */
const PACKED_FOLDER = builtFolder('swagger-ui');
const SWAGGER_UI_FOLDER = existsSync(PACKED_FOLDER)
  ? PACKED_FOLDER
  : dirname(
      createRequire(createRequire(import.meta.url).resolve('@nestjs/swagger')).resolve(
        'swagger-ui-dist/package.json',
      ),
    );

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const STYLES = 'text/css; charset=utf-8';

/** Two megabytes that would otherwise be read from disk for every request. */
const SWAGGER_UI_FILES = {
  'swagger-ui-bundle.js': SCRIPT,
  'swagger-ui.css': STYLES,
  'favicon-32x32.png': 'image/png',
  'oauth2-redirect.html': HTML,
  'oauth2-redirect.js': SCRIPT,
} as const;

/** Serves Swagger UI at `/docs`, with what it loads. */
export function serveExplorer(app: INestApplication, config: Config, api: ApiDocuments): void {
  const documents = app.get(PreparedDocuments);
  const serve = (path: string, contentType: string, make: () => string | Promise<Buffer>): void =>
    documents.serve(app, `/docs${path}`, new PreparedDocument(contentType, make));
  app.use('/docs', documents.takeRead, atPublicAddress(config), explorerPolicy(config));
  app.use('/docs/oauth2-redirect.html', withoutOpenerPolicy);
  serve('', HTML, () => {
    const texts = app.get(ApiTexts);
    return explorerPage({ publicUrl: config.publicUrl, hasDemo: config.seedDemo, texts });
  });
  serve('/explorer.js', SCRIPT, () => PAGE_SCRIPT);
  serve('/explorer.css', STYLES, () => PAGE_STYLES);
  for (const [name, contentType] of Object.entries(SWAGGER_UI_FILES)) {
    serve(`/${name}`, contentType, () => readFile(join(SWAGGER_UI_FOLDER, name)));
  }
  serve('/errors', HTML, () =>
    errorPage({
      errors: app.get(ErrorCatalogue).errors,
      meanings: app.get(ApiTexts).errorMeanings,
      answeredBy: answeredErrors(app),
    }),
  );
  documents.serveChoice(app, '/docs/openapi.json', api.chosenForExplorer, api.explorers(PAGES[0]!.audiences));
}

/** What each documented route answers, in the order of their declaration. */
function answeredErrors(app: INestApplication): AnsweredBy[] {
  return app
    .get(DeclaredRoutes)
    .all()
    .flatMap(({ controller, handler, method, paths }) =>
      [...documentedCodesOf(controller), ...documentedCodesOf(handler)].flatMap((error) =>
        paths.map((path) => ({ operation: `${method} ${templateOf(path)}`, error })),
      ),
    );
}

/** Swagger UI styles itself; the API's own policy forbids that, and scripts. */
function explorerPolicy(config: Config): RequestHandler {
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
