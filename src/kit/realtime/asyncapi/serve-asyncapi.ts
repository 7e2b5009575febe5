import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Config } from '../../config/config.js';
import { PreparedDocument } from '../../server/prepared-document.js';
import { PreparedDocuments } from '../../server/prepared-documents.js';
import { createAsyncApiDocument } from './asyncapi-document.js';

/** Serves the document of all events at `/asyncapi.json`. */
export function serveAsyncApi(app: NestExpressApplication, config: Config): void {
  const document = new PreparedDocument('application/json; charset=utf-8', () =>
    JSON.stringify(createAsyncApiDocument(app, config.publicUrl)),
  );
  const documents = app.get(PreparedDocuments);
  app.use('/asyncapi.json', documents.takeRead);
  documents.serve(app, '/asyncapi.json', document);
}
