import http from 'node:http';
import https from 'node:https';
import { performance } from 'node:perf_hooks';

/** One answer of the service: its status, headers and JSON body, and how long the caller waited for it. */
export interface Answer<T> {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: T;
  readonly latencyMs: number;
}

export interface CallOptions {
  readonly token?: string;
  /** User name and password, `name:password`, sent by HTTP Basic. */
  readonly basic?: string;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent form-urlencoded. */
  readonly form?: Readonly<Record<string, string>>;
  readonly idempotencyKey?: string;
  /** Without an answer by then the call rejects with an `ETIMEDOUT`; without it, a call waits for ever. */
  readonly timeoutMs?: number;
}

/** An answer after which the script cannot continue; the message is the line to show. */
export class UnexpectedAnswer extends Error {}

/** A keep-alive HTTP client for scripts: nothing but JSON and forms, no retries, no redirects. */
export class ApiClient {
  private readonly agent: http.Agent;
  private readonly protocol: typeof http | typeof https;
  private readonly base: URL;

  /** `connections` bounds how many requests are under way at once; the others wait. */
  constructor(
    readonly url: string,
    connections = 64,
  ) {
    this.base = new URL(url);
    this.protocol = this.base.protocol === 'https:' ? https : http;
    this.agent = new this.protocol.Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' });
  }

  /** Answers whatever the service answers; rejects only where there is no answer. */
  call<T>(
    method: string,
    path: string,
    { token, basic, json, form, idempotencyKey, timeoutMs }: CallOptions = {},
  ): Promise<Answer<T>> {
    const body =
      json !== undefined ? JSON.stringify(json) : form && new URLSearchParams({ ...form }).toString();
    const headers: Record<string, string | number> = {};
    if (token !== undefined) headers['Authorization'] = `Bearer ${token}`;
    if (basic !== undefined) headers['Authorization'] = `Basic ${Buffer.from(basic).toString('base64')}`;
    if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey;
    if (body !== undefined) {
      headers['Content-Type'] = json !== undefined ? 'application/json' : 'application/x-www-form-urlencoded';
      headers['Content-Length'] = Buffer.byteLength(body);
    }
    const startedAt = performance.now();
    return new Promise((resolve, reject) => {
      const sent = this.protocol.request(
        {
          agent: this.agent,
          host: this.base.hostname,
          port: this.base.port,
          path: this.base.pathname.replace(/\/$/, '') + path,
          method,
          headers,
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => (text += chunk));
          response.on('error', reject);
          response.on('end', () => {
            const latencyMs = performance.now() - startedAt;
            try {
              const { statusCode, headers: received } = response;
              resolve({
                status: statusCode!,
                headers: received,
                body: JSON.parse(text) as T,
                latencyMs,
              });
            } catch {
              reject(
                new UnexpectedAnswer(
                  `${method} ${path} answered ${response.statusCode} with what is not JSON.`,
                ),
              );
            }
          });
        },
      );
      sent.on('error', reject);
      if (timeoutMs !== undefined)
        sent.setTimeout(timeoutMs, () => {
          sent.destroy(Object.assign(new Error(`no answer within ${timeoutMs} ms`), { code: 'ETIMEDOUT' }));
        });
      sent.end(body);
    });
  }

  /** As `call`, for calls that have to succeed. Rejects with UnexpectedAnswer on any other status. */
  async expect<T>(status: number, method: string, path: string, options?: CallOptions): Promise<Answer<T>> {
    const answer = await this.call<T>(method, path, options);
    if (answer.status !== status) throw unexpected(method, path, answer);
    return answer;
  }

  /** An access token by client credentials; `credentials` is `client_id:client_secret`. */
  async authorize(credentials: string): Promise<string> {
    const [clientId = '', ...secret] = credentials.split(':');
    const { body } = await this.expect<{ access_token: string }>(200, 'POST', '/auth/token', {
      form: { grant_type: 'client_credentials', client_id: clientId, client_secret: secret.join(':') },
    });
    return body.access_token;
  }

  close(): void {
    this.agent.destroy();
  }
}

/** What to throw where an answer is not what the script can work with. */
export function unexpected(method: string, path: string, answer: Answer<unknown>): UnexpectedAnswer {
  const { error } = answer.body as { error?: { code?: string; message?: string } };
  return new UnexpectedAnswer(
    `${method} ${path} answered ${answer.status} ${error?.code ?? ''}: ${error?.message ?? 'no message'}`,
  );
}
