import { ensureTools } from '../../../scripts/support/tools.js';
import type { SwaggerClient, SwaggerResponse } from '../../tools/petstore/index.js';
import { petstoreDocument } from './documents.js';
import { OPERATIONS, type PetstoreVersion } from './facts.js';
import { answerChecker, type Verdict } from './answers.js';

await ensureTools('test/tools/petstore');
const { default: openClient } = await import('../../tools/petstore/index.js');

/** Path, query and form fields by name; `body` is a JSON body, `file` an upload, whatever the version's form for it. */
export type Arguments = Readonly<Record<string, unknown>>;

export interface PetstoreAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // The specs look at answers as a client would, without types.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
  /** How the answer compares with the version's document. */
  readonly verdict: Verdict;
}

export interface PetstoreCredentials {
  readonly token?: string;
  readonly apiKey?: string;
}

/** A swagger-client made from a version's document of the Petstore, as its users have it. */
export class PetstoreClient {
  private constructor(
    private readonly version: PetstoreVersion,
    private readonly swagger: SwaggerClient,
    private readonly verdictOn: ReturnType<typeof answerChecker>,
  ) {}

  /**
   * A client that authorizes the document's schemes with the given credentials. The document declares no scheme for
   * most of the store and the users; there the token is sent as a default header.
   */
  static async open(
    version: PetstoreVersion,
    url: string,
    { token, apiKey }: PetstoreCredentials = {},
  ): Promise<PetstoreClient> {
    const spec = petstoreDocument(version, url);
    const swagger = await openClient({
      spec,
      authorizations: {
        ...(token !== undefined && { petstore_auth: { token: { access_token: token } } }),
        ...(apiKey !== undefined && { api_key: apiKey }),
      },
      requestInterceptor: (request) => {
        const sent = new Headers(request.headers);
        if (token !== undefined && !sent.has('authorization') && !sent.has('api_key')) {
          request.headers['authorization'] = `Bearer ${token}`;
        }
        return request;
      },
    });
    if (swagger.errors.length > 0)
      throw new Error(`The document is wrong: ${JSON.stringify(swagger.errors)}`);
    return new PetstoreClient(version, swagger, answerChecker(version, spec));
  }

  /** Calls an operation by its id and returns the answer, whatever its status. */
  async call(operationId: string, { body, file, ...fields }: Arguments = {}): Promise<PetstoreAnswer> {
    const operation = OPERATIONS.find((each) => each.operationId === operationId)!;
    const call = this.swagger.apis[operation.group]![operationId]!;
    const sent = body ?? file;
    const response = await (
      this.version === 'v2'
        ? call({ ...fields, ...(body !== undefined && { body }), ...(file !== undefined && { file }) })
        : call(fields, sent === undefined ? {} : { requestBody: sent })
    ).catch(failedResponse);
    const { status, headers, text } = response;
    const parsed = text === '' ? undefined : response.body;
    return { status, headers, body: parsed, verdict: this.verdictOn(operationId, status, parsed) };
  }
}

/** The client throws for every status but success; a network error has no response. */
function failedResponse(error: unknown): SwaggerResponse {
  const { response } = error as { response?: SwaggerResponse };
  if (response) return response;
  throw error;
}
