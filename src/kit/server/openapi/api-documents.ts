import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Request } from 'express';
import { VALIDATION_FAILED } from '../../http/error-codes.js';
import { ApiError } from '../../http/errors.js';
import { ScopeCatalogue } from '../../security/scope.js';
import { PreparedDocument } from '../prepared-document.js';
import { ApiTexts } from './api-texts.js';
import { AUDIENCES, type Audience, type AudienceTerms, documentFor } from './audiences.js';
import { createOpenApiDocument } from './document.js';
import { llmsFullText, llmsText } from './llms.js';
import { asOpenApi30 } from './openapi-30.js';
import { forExplorers } from './security.js';

const CONTENT_TYPE = 'application/json; charset=utf-8';

/** The document of the API and its parts, by audience and version of OpenAPI: each is made once, from the one document. */
export class ApiDocuments {
  readonly whole: PreparedDocument;
  private readonly parts = new Map<string, PreparedDocument>();

  constructor(
    private readonly app: INestApplication,
    publicUrl: () => string,
  ) {
    this.whole = new PreparedDocument(CONTENT_TYPE, () =>
      JSON.stringify(createOpenApiDocument(app, publicUrl())),
    );
  }

  /** The whole, or what is for the audiences of the query. */
  readonly chosenBy = (request: Request): PreparedDocument => {
    const audiences = audiencesOf(request);
    if (audiences.length === AUDIENCES.length) return this.whole;
    return this.part('3.1', audiences, (whole) => documentFor(whole, audiences, this.terms));
  };

  /** The same for Swagger UI, in OpenAPI 3.0: parts have those schemes alone by which people try them. */
  readonly chosenForExplorer = (request: Request): PreparedDocument => this.explorers(audiencesOf(request));

  explorers(audiences: readonly Audience[]): PreparedDocument {
    return this.part('3.0', audiences, (whole) => {
      const { registersWebhooks } = this.app.get(ApiTexts);
      const isWhole = audiences.length === AUDIENCES.length;
      const part = isWhole ? whole : forExplorers(documentFor(whole, audiences, this.terms));
      return asOpenApi30(part, registersWebhooks);
    });
  }

  /** `/llms.txt`, or in full. */
  text(isFull: boolean): PreparedDocument {
    return new PreparedDocument('text/plain; charset=utf-8', async () => {
      const whole = await this.readWhole();
      const { errorMeanings } = this.app.get(ApiTexts);
      return Buffer.from(isFull ? llmsFullText(whole, errorMeanings) : llmsText(whole));
    });
  }

  private get terms(): AudienceTerms {
    return { roles: this.app.get(ScopeCatalogue).roles, sampleTags: this.app.get(ApiTexts).sampleTags };
  }

  private part(
    version: string,
    audiences: readonly Audience[],
    make: (whole: OpenAPIObject) => OpenAPIObject,
  ): PreparedDocument {
    const key = `${version} ${audiences.join()}`;
    const part =
      this.parts.get(key) ??
      new PreparedDocument(CONTENT_TYPE, async () =>
        Buffer.from(JSON.stringify(make(await this.readWhole()))),
      );
    this.parts.set(key, part);
    return part;
  }

  /** Read anew from what is served, since the objects would take many times its memory for as long as the service runs. */
  private async readWhole(): Promise<OpenAPIObject> {
    const { identity } = await this.whole.prepare();
    return JSON.parse(identity.bytes.toString()) as OpenAPIObject;
  }
}

/** In one order, whichever they were named in; all where none is. */
function audiencesOf({ query }: Request): readonly Audience[] {
  const asked = query['audience'];
  if (asked === undefined) return AUDIENCES;
  const names = typeof asked === 'string' ? asked.split(',') : [];
  const audiences = AUDIENCES.filter((each) => names.includes(each));
  if (names.length === 0 || names.some((name) => !audiences.includes(name as Audience))) {
    throw new ApiError(VALIDATION_FAILED, `Use one or more of ${AUDIENCES.join(', ')} as audience.`, {
      details: [{ field: 'audience', message: `must be one or more of ${AUDIENCES.join(', ')}` }],
    });
  }
  return audiences;
}
