import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { RECORD_FOLDER, RecordedAnswers } from '../../scripts/support/recorded-answers.js';
import { RESPONSE_EXAMPLES } from '../../src/openapi/generated/response-examples.js';
import {
  closeObjects,
  operationsOf,
  schemaChecker,
  type Header,
  type NamedOperation,
  type OpenApiDocument,
  type Response,
} from './openapi.js';

/** What the service has beside the operations of its document. */
const UNDOCUMENTED = [
  '/asyncapi.json',
  // The operator's logo.
  '/branding',
  // The console, to which `/` sends browsers.
  '/console',
  '/docs',
  '/llms.txt',
  '/llms-full.txt',
  '/openapi.json',
  '/socket.io',
  // Pages for browsers, which come here from `GET /oauth/authorize`.
  '/oauth/begin-badge',
  '/oauth/begin-oidc',
  '/oauth/callback-badge',
  '/oauth/callback-evil',
  '/oauth/callback-oidc',
  '/oauth/code',
  '/oauth/consent',
  '/oauth/link-oidc',
  '/oauth/login',
  '/oauth/pages.css',
  '/oauth/pages.js',
  '/oauth/passkey',
  // Pages to which mails and the log-in page lead.
  '/oauth/forgot-password',
  '/oauth/reset-password',
  '/oauth/verify-email',
  // Where the images of pets were before: redirects.
  '/pet/images',
];

/** What Node's server and the edge answer before a request has come to its route, which no route declares. */
const OF_ANY_REQUEST: readonly number[] = [405, 500];

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  deflate: inflateSync,
};

interface Answer {
  readonly method: string;
  readonly path: string;
  readonly response: ServerResponse;
  /** Without a content encoding; `undefined` where it is not JSON. */
  readonly json: string | undefined;
}

const complaints: string[] = [];

/** What was wrong with the answers since the last call. */
export function takeComplaints(): string[] {
  return complaints.splice(0);
}

interface Watched {
  /** These add routes, refusals, and values to lists of names, which are in the document of their own service alone. */
  readonly hasPlugins: boolean;
  /** The names of the fields that they add to answers. */
  readonly fields?: readonly string[];
  /** Some of the document's routes are not there. */
  readonly isPartial?: boolean;
}

/** What is said of a value that is not in an enumeration, and of an error with a status that the route has not by itself. */
const OF_PLUGINS = /must be equal to one of the allowed values|declares no such status: \{"error"/;

let declared: DeclaredAnswers | undefined;

const recordFolder = process.env[RECORD_FOLDER];
const recorded =
  recordFolder === undefined ? undefined : new RecordedAnswers(recordFolder, RESPONSE_EXAMPLES);

/** Holds each answer of a server against the committed document, before its client can see it. */
export function watchAnswers(server: Server, { hasPlugins, fields = [], isPartial = false }: Watched): void {
  declared ??= new DeclaredAnswers(JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenApiDocument);
  const { complaintsAbout, hasPath } = declared;
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const path = new URL(request.url ?? '/', 'http://service').pathname;
    if (isUndocumented(path) || (hasPlugins && !hasPath(path))) return;
    const method = request.method ?? 'GET';
    beforeEnd(response, (json) => {
      if (isPartial && response.statusCode === 404 && JSON.stringify(json).includes('route_not_found'))
        return;
      declared?.record({ method, path, response, json });
      for (const complaint of complaintsAbout({ method, path, response, json })) {
        if (hasPlugins && OF_PLUGINS.test(complaint)) continue;
        if (areAboutFields(complaint, fields)) continue;
        complaints.push(`${method} ${path} ${response.statusCode}: ${complaint}`);
      }
    });
  });
}

/** Whether all that ajv says is that members are there which plugins have declared. */
function areAboutFields(complaint: string, fields: readonly string[]): boolean {
  const [said = ''] = complaint.split(' in {', 1);
  return said.split(', ').every((part) => {
    const [, name] = /must NOT have additional properties: (\w+)$/.exec(part) ?? [];
    return name !== undefined && fields.includes(name);
  });
}

function isUndocumented(path: string): boolean {
  return path === '/' || UNDOCUMENTED.some((each) => path === each || path.startsWith(`${each}/`));
}

/** The answers that a document declares, by method and path. */
class DeclaredAnswers {
  private readonly document: OpenApiDocument;
  private readonly complaintAbout: ReturnType<typeof schemaChecker>;
  private readonly routes: readonly (readonly [RegExp, NamedOperation])[];

  constructor(document: OpenApiDocument) {
    this.document = closeObjects(document);
    this.complaintAbout = schemaChecker(this.document);
    this.routes = operationsOf(this.document)
      .map((operation) => [patternOf(operation.path), operation] as const)
      // Where two paths fit, the one with more fixed parts is meant.
      .sort(([, a], [, b]) => parametersIn(a.path) - parametersIn(b.path));
  }

  /** Keeps a success as an example of its operation, where examples are being recorded. */
  record({ method, path, response: { statusCode: status }, json }: Answer): void {
    if (recorded === undefined || json === undefined || status >= 300) return;
    const operation = this.operationAt(method, path);
    const schema = operation?.responses[status]?.content?.['application/json']?.schema;
    if (operation === undefined || schema === undefined) return;
    const isDeclared = (example: unknown): boolean => this.complaintAbout(schema, example) === undefined;
    recorded.add(operation.name, status, JSON.parse(json), isDeclared);
  }

  readonly hasPath = (path: string): boolean => this.routes.some(([pattern]) => pattern.test(path));

  readonly complaintsAbout = ({ method, path, response, json }: Answer): string[] => {
    // Preflights are answered for all routes alike.
    if (method === 'OPTIONS') return [];
    const { statusCode: status } = response;
    const operation = this.operationAt(method === 'HEAD' ? 'GET' : method, path);
    const answer = operation?.responses[status] ?? this.generalFailure(operation, status);
    if (answer === undefined) {
      return [
        `${operation?.name ?? 'no operation'} declares no such status${json === undefined ? '' : `: ${json.slice(0, 200)}`}`,
      ];
    }
    return [
      ...this.complaintsAboutHeaders(answer, response),
      ...(method === 'HEAD' || status === 304 ? [] : this.complaintsAboutBody(answer, response, json)),
    ];
  };

  private operationAt(method: string, path: string): NamedOperation | undefined {
    return this.routes.find(([pattern, { method: own }]) => own === method && pattern.test(path))?.[1];
  }

  /** What has no route is refused alike; `default` stands for what is no route's own. */
  private generalFailure(operation: NamedOperation | undefined, status: number): Response | undefined {
    const { Failure, NotFound } = this.document.components.responses;
    if (operation === undefined) return [400, 404, 405, 429].includes(status) ? NotFound : undefined;
    return OF_ANY_REQUEST.includes(status) ? (operation.responses['default'] ?? Failure) : undefined;
  }

  private complaintsAboutHeaders({ headers = {} }: Response, response: ServerResponse): string[] {
    return Object.entries(headers)
      .filter(([name, header]) => this.isRequired(header) && !response.hasHeader(name))
      .map(([name]) => `lacks the header ${name}`);
  }

  private isRequired({ $ref, required }: Header): boolean {
    const name = $ref?.slice('#/components/headers/'.length);
    return (name === undefined ? required : this.document.components.headers[name]?.required) ?? false;
  }

  private complaintsAboutBody(
    { content }: Response,
    response: ServerResponse,
    json: string | undefined,
  ): string[] {
    const type = mediaTypeOf(response);
    if (content === undefined) return type === undefined ? [] : [`has a body of ${type}, and declares none`];
    if (type === undefined) return ['has no body'];
    const media = content[type] ?? content[`${type.split('/')[0]}/*`] ?? content['*/*'];
    if (media === undefined) return [`declares ${Object.keys(content).join(', ')}, not ${type}`];
    // What may be of any type has no schema that a JSON value could meet.
    if (json === undefined || media.schema === undefined || media !== content[type]) return [];
    const complaint = this.complaintAbout(media.schema, JSON.parse(json));
    return complaint === undefined ? [] : [`${complaint} in ${json.slice(0, 300)}`];
  }
}

/** Calls `look` with a JSON body just before the last of it is sent. */
function beforeEnd(response: ServerResponse, look: (json: string | undefined) => void): void {
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown, encoding: unknown): void => {
    if (typeof chunk === 'string') chunks.push(Buffer.from(chunk, encoding as BufferEncoding));
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const write = response.write.bind(response) as (...parts: unknown[]) => boolean;
  const end = response.end.bind(response) as (...parts: unknown[]) => ServerResponse;
  response.write = (chunk: unknown, encoding?: unknown, callback?: unknown) => {
    if (isJson(response)) keep(chunk, encoding);
    return write(chunk, encoding, callback);
  };
  response.end = ((chunk?: unknown, encoding?: unknown, callback?: unknown) => {
    response.write = write;
    response.end = end as ServerResponse['end'];
    const isWhole = isJson(response);
    if (isWhole) keep(chunk, encoding);
    const decode = DECODERS[headerOf(response, 'content-encoding') ?? ''];
    const bytes = Buffer.concat(chunks);
    look(isWhole && bytes.length > 0 ? (decode?.(bytes) ?? bytes).toString() : undefined);
    return end(chunk, encoding, callback);
  }) as ServerResponse['end'];
}

function isJson(response: ServerResponse): boolean {
  return /^application\/(?:.*\+)?json$/.test(mediaTypeOf(response) ?? '');
}

function mediaTypeOf(response: ServerResponse): string | undefined {
  return headerOf(response, 'content-type')?.split(';')[0]?.trim();
}

function headerOf(response: ServerResponse, name: string): string | undefined {
  return response.getHeader(name)?.toString();
}

function patternOf(path: string): RegExp {
  const parts = path.split(/\{\w+\}/).map((part) => part.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^/]+')}/?$`, 'i');
}

function parametersIn(path: string): number {
  return path.split('{').length;
}
