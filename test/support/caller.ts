/** Shared by all specs of the API: callers with tokens. */
import { expect } from 'vitest';

// The specs look at answers as a client would, without the service's own types.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

/** A caller of the service: sends JSON, reads JSON, and checks that every failure has the envelope. */
export class Caller {
  constructor(
    readonly url: string,
    private readonly token?: string,
  ) {}

  /** The same caller at another process of the service. */
  at(url: string): Caller {
    return new Caller(url, this.token);
  }

  get(path: string): Promise<Reply> {
    return this.send('GET', path);
  }

  delete(path: string): Promise<Reply> {
    return this.send('DELETE', path);
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    return this.send('POST', path, JSON.stringify(body), headers);
  }

  patch(path: string, body: unknown): Promise<Reply> {
    return this.send('PATCH', path, JSON.stringify(body));
  }

  /** Sends a raw body, which need not be JSON. */
  async send(
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const response = await fetch(this.url + path, {
      method,
      body: body ?? null,
      headers: {
        ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    // An event stream ends only when the client disconnects; other clients read its events.
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    const text = isStream ? '' : await response.text();
    if (isStream) await response.body?.cancel();
    const reply = {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
    if (reply.status >= 400) {
      expect(reply.body.error).toMatchObject({
        code: expect.stringMatching(/^[a-z][a-z0-9_]*$/),
        message: expect.any(String),
        request_id: reply.headers.get('x-request-id'),
      });
    }
    return reply;
  }

  async place(order: Json, headers?: Record<string, string>): Promise<Json> {
    const reply = await this.post('/orders', order, headers);
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
    return reply.body;
  }

  /** All items of a list, page by page. */
  async walk(path: string, limit: number): Promise<Json[]> {
    const items: Json[] = [];
    let cursor: string | null = null;
    do {
      const separator = path.includes('?') ? '&' : '?';
      const page: Reply = await this.get(
        `${path}${separator}limit=${limit}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      expect(page.status).toBe(200);
      items.push(...page.body.data);
      cursor = page.body.next_cursor;
    } while (cursor !== null);
    return items;
  }

  async balance(asset: string): Promise<{ available: string; held: string; total: string }> {
    const { body } = await this.get('/accounts/me/balances?limit=200');
    return body.data.find((balance: Json) => balance.asset === asset);
  }
}

/** A caller with a token of a client's own; `scope` narrows it. */
export async function callerFor(url: string, clientId: string, scope?: string): Promise<Caller> {
  return new Caller(url, await tokenFor(url, clientId, scope));
}

/** A client's own token, for uses other than requests; `scope` narrows it. */
export async function tokenFor(url: string, clientId: string, scope?: string): Promise<string> {
  const response = await fetch(`${url}/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: `${clientId}-secret`,
      ...(scope !== undefined && { scope }),
    }),
  });
  expect(response.status).toBe(200);
  const { access_token } = (await response.json()) as { access_token: string };
  return access_token;
}

/** A caller with the session of a demo user. */
export async function loggedIn(url: string, username: string): Promise<Caller> {
  const response = await fetch(`${url}/user/login`, {
    headers: { authorization: `Basic ${btoa(`${username}:${username}-password`)}` },
  });
  expect(response.status).toBe(200);
  return new Caller(url, (await response.json()) as string);
}
