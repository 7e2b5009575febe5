import { expect } from 'vitest';
import type { TestApp } from '../support/app.js';

/** What a user is answered as; only what the tests look at. */
export interface User {
  readonly id: number;
  readonly username: string;
  readonly firstName?: string;
  readonly email?: string;
  readonly password: string;
  readonly userStatus: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // Each test knows the shape that it asked for, and asserts it.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
  readonly text: string;
}

/** Speaks HTTP to the service; a body is sent as JSON. */
export class Caller {
  constructor(
    readonly service: TestApp,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(`${this.service.url}${path}`, {
      method,
      headers: {
        ...this.headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? (JSON.parse(text) as unknown) : undefined,
    };
  }

  get(path: string): Promise<Answer> {
    return this.send('GET', path);
  }

  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.send('POST', path, body, headers);
  }

  put(path: string, body: unknown): Promise<Answer> {
    return this.send('PUT', path, body);
  }

  delete(path: string): Promise<Answer> {
    return this.send('DELETE', path);
  }

  /** The same service by another credential. */
  withBearer(token: string): Caller {
    return new Caller(this.service, { authorization: `Bearer ${token}` });
  }

  withApiKey(key: string): Caller {
    return new Caller(this.service, { api_key: key });
  }
}

export function basic(username: string, password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

/** A session of a user, by HTTP Basic unless it is told to come by the query. */
export async function logIn(
  service: TestApp,
  username: string,
  password = `${username}-password`,
  sentIn: 'header' | 'query' = 'header',
): Promise<Caller> {
  const anyone = new Caller(service);
  const query = new URLSearchParams({ username, password }).toString();
  const answer =
    sentIn === 'header'
      ? await anyone.send('GET', '/user/login', undefined, basic(username, password))
      : await anyone.get(`/user/login?${query}`);
  expect(answer.status, answer.text).toBe(200);
  return anyone.withBearer(answer.body as string);
}

/** A client of the demo data, in its own name. */
export async function clientOf(service: TestApp, clientId: string, scope?: string): Promise<Caller> {
  const response = await fetch(`${service.url}/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: `${clientId}-secret`,
      ...(scope !== undefined && { scope }),
    }),
  });
  expect(response.status).toBe(200);
  const { access_token: token } = (await response.json()) as { access_token: string };
  return new Caller(service).withBearer(token);
}

/** The code of a refusal, beside its status. */
export function refusalOf({ status, body, text }: Answer): string {
  const { code } = (body as { error?: { code?: string } } | undefined)?.error ?? {};
  return `${status} ${code ?? text}`;
}
