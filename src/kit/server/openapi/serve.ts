import type { INestApplication } from '@nestjs/common';
import type { Config } from '../../config/config.js';
import { POINTS } from '../../rate-limit/points.js';
import { PreparedDocuments } from '../prepared-documents.js';
import { ApiDocuments } from './api-documents.js';
import { serveExplorer } from './explorer/serve-explorer.js';

/** Serves the document at `/openapi.json`, its parts by audience there too, and Swagger UI at `/docs`. */
export function serveOpenApi(app: INestApplication, config: Config): void {
  const documents = app.get(PreparedDocuments);
  const api = new ApiDocuments(app, () => config.publicUrl);
  app.use('/openapi.json', documents.takeReads(POINTS.document));
  documents.serveChoice(app, '/openapi.json', api.chosenBy, api.whole);
  for (const [path, isFull] of [
    ['/llms.txt', false],
    ['/llms-full.txt', true],
  ] as const) {
    app.use(path, documents.takeReads(POINTS.document));
    documents.serve(app, path, api.text(isFull));
  }
  serveExplorer(app, config, api);
}
