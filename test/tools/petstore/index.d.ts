/** The part of swagger-client that the tests use; the package has no types. */
export interface SwaggerRequest {
  headers: Record<string, string>;
}

export interface SwaggerResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; `undefined` if the client cannot parse it. */
  readonly body: unknown;
  /** The raw body. */
  readonly text: string;
}

export type SwaggerOperation = (
  parameters: Readonly<Record<string, unknown>>,
  options?: { readonly requestBody?: unknown },
) => Promise<SwaggerResponse>;

export interface SwaggerOptions {
  readonly spec: object;
  readonly authorizations?: Readonly<Record<string, unknown>>;
  readonly requestInterceptor?: (request: SwaggerRequest) => SwaggerRequest;
}

export interface SwaggerClient {
  /** Operations by tag and id. */
  readonly apis: Readonly<Record<string, Readonly<Record<string, SwaggerOperation>>>>;
  /** Errors in the document. */
  readonly errors: readonly unknown[];
}

export default function openClient(options: SwaggerOptions): Promise<SwaggerClient>;
