import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Application } from 'express';
import type { Config } from '../../config/config.js';
import { createAsyncApiDocument } from './asyncapi-document.js';

/**
 * Serves the document of all events at `/asyncapi.json`. It is made when it is first asked for: with port 0 the
 * public address is only known once the service listens.
 */
export function serveAsyncApi(app: NestExpressApplication, config: Config): void {
  let text: string | undefined;
  const express = app.getHttpAdapter().getInstance() as Application;
  express.get('/asyncapi.json', (_request, response) => {
    text ??= JSON.stringify(createAsyncApiDocument(app, config.publicUrl));
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.end(text);
  });
}
