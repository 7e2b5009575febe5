/** Shared by the specs of users and their credentials: callers with every kind of credential. */
import { expect } from 'vitest';
import type { TestApp } from '../app.js';
import { Caller, type Reply } from '../caller.js';

/** A user as the service returns it; only the fields that the specs check. */
export interface User {
  readonly id: number;
  readonly username: string;
  readonly password: string;
  readonly userStatus: number;
}

/** A caller with any credential, or none. */
export class UserCaller extends Caller {
  constructor(
    url: string,
    private readonly credential: Readonly<Record<string, string>> = {},
  ) {
    super(url);
  }

  override at(url: string): UserCaller {
    return new UserCaller(url, this.credential);
  }

  override send(
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    return super.send(method, path, body, { ...this.credential, ...headers });
  }

  put(path: string, body: unknown): Promise<Reply> {
    return this.send('PUT', path, JSON.stringify(body));
  }

  /** A caller of the same service with an access token. */
  withBearer(token: string): UserCaller {
    return new UserCaller(this.url, { authorization: `Bearer ${token}` });
  }

  withApiKey(key: string): UserCaller {
    return new UserCaller(this.url, { api_key: key });
  }

  /** Tries to log in, by HTTP Basic or, if asked, by the query. */
  tryLogIn(
    username: string,
    password: string,
    sentIn: 'header' | 'query' = 'header',
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    if (sentIn === 'header') {
      return this.send('GET', '/user/login', undefined, { ...headers, ...basic(username, password) });
    }
    const query = new URLSearchParams({ username, password }).toString();
    return this.send('GET', `/user/login?${query}`, undefined, headers);
  }

  /** Requests a token for a client in its own name. */
  tryToken(clientId: string, clientSecret: string, scope?: string): Promise<Reply> {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      ...(scope !== undefined && { scope }),
    });
    return this.send('POST', '/auth/token', form.toString(), {
      'content-type': 'application/x-www-form-urlencoded',
    });
  }
}

export function basic(username: string, password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

/** A session of a user. */
export async function logIn(
  { url }: TestApp,
  username: string,
  password = `${username}-password`,
  sentIn: 'header' | 'query' = 'header',
): Promise<UserCaller> {
  const anyone = new UserCaller(url);
  const reply = await anyone.tryLogIn(username, password, sentIn);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return anyone.withBearer(reply.body);
}

/** Closes the user of a session. */
export async function closeUser(session: UserCaller, username: string): Promise<void> {
  const reply = await session.delete(`/user/${username}`);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
}

/** A client of the demo data, in its own name. */
export async function clientOf({ url }: TestApp, clientId: string): Promise<UserCaller> {
  const anyone = new UserCaller(url);
  const reply = await anyone.tryToken(clientId, `${clientId}-secret`);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return anyone.withBearer(reply.body.access_token);
}

/** The status and the code of a refusal as one text. */
export function refusalOf({ status, body }: Reply): string {
  return `${status} ${body?.error?.code ?? JSON.stringify(body)}`;
}
