import { Injectable, type INestApplication } from '@nestjs/common';
import type { Application, Request, RequestHandler } from 'express';
import { RateLimits } from '../rate-limit/rate-limits.js';
import type { PreparedDocument } from './prepared-document.js';

/** The documents that the service has beside its routes, such as `/openapi.json`. */
@Injectable()
export class PreparedDocuments {
  private readonly documents: PreparedDocument[] = [];

  constructor(private readonly limits: RateLimits) {}

  serve(app: INestApplication, path: string, document: PreparedDocument): void {
    (app.getHttpAdapter().getInstance() as Application).get(path, document.serve);
    this.documents.push(document);
  }

  /** Serves the one that a request asks for: `first` is made at the start, the others when they are asked for. */
  serveChoice(
    app: INestApplication,
    path: string,
    choose: (request: Request) => PreparedDocument,
    first: PreparedDocument,
  ): void {
    const serve: RequestHandler = (request, response, next) => choose(request).serve(request, response, next);
    (app.getHttpAdapter().getInstance() as Application).get(path, serve);
    this.documents.push(first);
  }

  /** For routes without guards: takes a read from the budget of the address. */
  readonly takeRead: RequestHandler = this.takeReads(1);

  /** The same for what costs more. */
  takeReads(points: number): RequestHandler {
    return async (request, response, next) => {
      await this.limits.charge(request, response, 'reads', points);
      next();
    };
  }

  /** Makes all documents, once the public address is known; otherwise the first request waits for it. */
  async prepare(): Promise<void> {
    await Promise.all(this.documents.map((document) => document.prepare()));
  }
}
