/** Requests to every operation of the document, each with something wrong, and what is wrong with their answers. */
import { Pool, type Dispatcher } from 'undici';
import { startTestApp, type TestApp } from './app.js';
import { BANKS } from './clients/payouts-client.js';
import { fieldsOf, hostileTexts, hostileValues, randomsFrom, toJson, withValue } from './hostile-values.js';
import {
  examplesOf,
  type NamedOperation,
  type OpenApiDocument,
  type Parameter,
  schemaChecker,
} from './openapi.js';
import { QuietChainPlugin } from './quiet-chain.js';
import { ValidRequests } from './valid-requests.js';

const FORM = 'application/x-www-form-urlencoded';
const HEADERS_THAT_CARRY_ANYTHING = /^[\t\x20-\x7e\x80-\xff]*$/;

export interface Attempt {
  readonly what: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string | Buffer;
}

/** An authorised caller of a service of its own, who sends what nobody should. */
export class HostileCaller {
  /** Requests that were not refused. */
  taken = 0;
  private readonly complaintAbout: ReturnType<typeof schemaChecker>;

  private constructor(
    readonly service: TestApp,
    private readonly document: OpenApiDocument,
    /** How many of the wrong types each field gets, and how many of the extremes. */
    private readonly share: number,
    private readonly http: Pool,
    readonly requests: ValidRequests,
  ) {
    this.complaintAbout = schemaChecker(document);
  }

  static async open(document: OpenApiDocument, share: number, atOnce: number): Promise<HostileCaller> {
    const service = await startTestApp({
      plugins: [QuietChainPlugin],
      rateLimits: 'off',
      webhookAllowPrivate: true,
      environment: BANKS,
    });
    const requests = await ValidRequests.open(service.url);
    const http = new Pool(service.url, { connections: atOnce });
    return new HostileCaller(service, document, share, http, requests);
  }

  async close(): Promise<void> {
    await this.http.close();
    await this.service.close();
  }

  /** All requests to one operation, each with one thing wrong. */
  attemptsAt(operation: NamedOperation, seed: number): Attempt[] {
    const random = randomsFrom(seed + [...operation.name].reduce((sum, c) => sum * 31 + c.charCodeAt(0), 0));
    const { parameters = [], requestBody } = operation;
    const base: Attempt = {
      what: 'as it stands',
      path: this.requests.pathOf(operation),
      headers: this.requests.credentialFor(operation),
    };
    const bodies = Object.entries(requestBody?.content ?? {});
    const withBodies = bodies.flatMap(([type, media]) => {
      const headers = { ...base.headers, 'content-type': type };
      if (type === 'application/json') {
        return this.bodiesOf(operation, media.schema ?? {}, examplesOf(media), random).map(
          ({ what, text }) => ({
            ...base,
            what,
            headers,
            body: text,
          }),
        );
      }
      const files = type === FORM ? forms(examplesOf(media)[0], this.share, random) : uploads(type);
      return files.map(([what, body, contentType = type]) => ({
        ...base,
        what,
        headers: { ...headers, 'content-type': contentType },
        body,
      }));
    });
    const [first = base] = withBodies;
    return [
      base,
      ...withBodies,
      ...parameters.flatMap((parameter) => this.parameterAttempts(operation, parameter, first, random)),
      { ...first, what: 'unknown parameters', path: withQuery(first.path, 'nobody[knows]=1&prototype=2') },
    ];
  }

  private parameterAttempts(
    operation: NamedOperation,
    { name, in: place }: Parameter,
    base: Attempt,
    random: () => number,
  ): Attempt[] {
    const texts = hostileTexts(random, this.share);
    switch (place) {
      case 'path':
        return texts
          .filter((text) => text !== '' && text.length < 4_000)
          .map((text) => ({
            ...base,
            what: `path ${name} = ${shown(text)}`,
            path: this.requests.pathOf(operation, { [name]: encode(text) }),
          }));
      case 'query':
        return [
          ...texts.map((text) => `${name}=${encode(text)}`),
          `${name}=1&${name}=2`,
          `${name}[a]=1`,
          name,
        ]
          .filter((text) => text.length < 12_000)
          .map((text) => ({ ...base, what: `query ${shown(text)}`, path: withQuery(base.path, text) }));
      case 'header':
        return texts
          .filter((text) => HEADERS_THAT_CARRY_ANYTHING.test(text) && text.length < 12_000)
          .map((text) => ({
            ...base,
            what: `header ${name}: ${shown(text)}`,
            headers: { ...base.headers, [name.toLowerCase()]: text },
          }));
      default:
        return [];
    }
  }

  private bodiesOf(
    operation: NamedOperation,
    schema: Parameters<typeof fieldsOf>[1],
    examples: unknown[],
    random: () => number,
  ): { what: string; text: string }[] {
    const example = this.requests.exampleOf(operation, examples);
    const wholes = [...examples, null, [], {}, 'x', 1, [null], [[]], Array(300).fill(example)];
    const fields = fieldsOf(this.document, schema, this.requests.fitting(operation, example)).flatMap(
      ({ path, body }) => {
        const where = path.join('.');
        const sent = hostileValues(random, this.share).map((value) => ({
          what: `${where} = ${shown(toJson(value))}`,
          text: toJson(withValue(body, path, value)),
        }));
        return [...sent, { what: `no ${where}`, text: toJson(withValue(body, path, undefined)) }];
      },
    );
    return [
      { what: 'as it stands', text: toJson(this.requests.fitting(operation, example)) },
      ...wholes.map((whole) => ({ what: `the body ${shown(toJson(whole))}`, text: toJson(whole) })),
      ...['', '{', '{"a":1}}', '\ufeff{}', '{"a":1,"a":2}', '['.repeat(40), 'NaN'].map((text) => ({
        what: `the body ${text}`,
        text,
      })),
      ...fields,
    ];
  }

  async complaintOn(operation: NamedOperation, attempt: Attempt): Promise<string | undefined> {
    const { path, headers, body, what } = attempt;
    const method = operation.method;
    try {
      const reply = await this.http.request({ method, path, headers, body });
      const problem = await this.problemWith(operation, reply);
      return problem && `${what}: ${reply.statusCode} ${problem}`;
    } catch (error) {
      return `${what}: ${String(error)}`;
    }
  }

  private async problemWith(
    operation: NamedOperation,
    { statusCode, headers, body }: Dispatcher.ResponseData,
  ): Promise<string | undefined> {
    const type = String(headers['content-type'] ?? '');
    if (type.startsWith('text/event-stream')) {
      body.destroy();
      return undefined;
    }
    const text = await body.text();
    if (statusCode >= 500) return text;
    if (statusCode >= 300) return statusCode < 400 || isRefusal(operation, type, text) ? undefined : text;
    this.taken++;
    const declared = operation.responses[statusCode];
    if (declared === undefined) return `is not in the document: ${text.slice(0, 200)}`;
    const schema = declared.content?.['application/json']?.schema;
    return schema && type.includes('json') ? this.complaintAbout(schema, JSON.parse(text)) : undefined;
  }
}

/** The envelope; for OAuth's own addresses the form of their RFCs, or a page. */
function isRefusal({ path }: NamedOperation, type: string, text: string): boolean {
  if (path === '/oauth/authorize' && type.startsWith('text/html')) return true;
  if (text === '') return false;
  const { error } = JSON.parse(text) as { error?: unknown };
  if (path.startsWith('/oauth/')) return typeof error === 'string' || isEnvelope(error);
  return isEnvelope(error);
}

function isEnvelope(error: unknown): boolean {
  const { code, message, request_id } = (error ?? {}) as Record<string, unknown>;
  return [code, message, request_id].every((each) => typeof each === 'string' && each !== '');
}

function forms(example: unknown, share: number, random: () => number): [what: string, body: string][] {
  const fields = Object.entries((example ?? {}) as Record<string, string>);
  const encoded = (pairs: [string, string][]): string =>
    pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  return [
    ['as it stands', encoded(fields)],
    ['nothing', ''],
    ['prototype', `${encoded(fields)}&prototype=1`],
    ['broken escapes', 'a=%ff'],
    ['brackets', `${encoded(fields)}&${'a[b]'.repeat(2_000)}=1`],
    ...fields.flatMap(([name]): [string, string][] => [
      [`no ${name}`, encoded(fields.filter(([other]) => other !== name))],
      [`${name} twice`, `${encoded(fields)}&${encode(name)}=x`],
      ...hostileTexts(random, share).map((text): [string, string] => [
        `${name} = ${shown(text)}`,
        encoded(fields.map(([other, value]) => [other, other === name ? text : value])),
      ]),
    ]),
  ];
}

function uploads(type: string): [what: string, body: string | Buffer, contentType?: string][] {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452ffffffffffffffff0806000000', 'hex');
  if (type !== 'multipart/form-data') {
    return [
      ['nothing', ''],
      ['text', 'x'],
      ['a picture that breaks off', png],
      ['a NUL', '\0'],
      ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'],
      ['XML that grows', '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><Document>&c;</Document>'],
    ];
  }
  const part = (head: string, body: string): string =>
    `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`;
  const file = part('name="file"; filename="a.png"', 'x');
  return [
    ['no boundary', 'x'],
    ['an empty form', '--b--\r\n', `${type}; boundary=b`],
    ['a file that is none', `${file}--b--\r\n`, `${type}; boundary=b`],
    ['a form that breaks off', file, `${type}; boundary=b`],
    ['two files', `${file}${file}--b--\r\n`, `${type}; boundary=b`],
    ['a part named prototype', `${file}${part('name="prototype"', 'x')}--b--\r\n`, `${type}; boundary=b`],
    ['a part without a name', `${part('filename="a"', 'x')}--b--\r\n`, `${type}; boundary=b`],
    ['a boundary far too long', file, `${type}; boundary=${'b'.repeat(4_000)}`],
  ];
}

/** Percent-encodes, including lone surrogates, as the bytes that they would have. */
function encode(text: string): string {
  return [...text]
    .map((c) => (/[\ud800-\udfff]/.test(c) && c.length === 1 ? '%ED%A0%80' : encodeURIComponent(c)))
    .join('');
}

function withQuery(path: string, query: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}… (${text.length})` : text;
}
