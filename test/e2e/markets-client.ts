/** What the Markets specs share: callers with tokens, small order builders, and the check after every spec. */
import { expect } from 'vitest';

export { eventually as soon } from '../support/eventually.js';

// The specs look at answers as a client would, without the service's own types.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

/** A caller of the service: sends JSON, reads JSON, and holds every failure to the envelope. */
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

  /** Sends a body as it is, which need not be JSON. */
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
    // An event stream ends only when it is hung up on; what it tells is for other clients.
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

/** A client's own token, for what is no request; `scope` narrows it. */
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

export function limit(
  market: string,
  side: 'buy' | 'sell',
  price: string,
  size: string,
  more: Json = {},
): Json {
  return { market_id: market, side, type: 'limit', price, size, time_in_force: 'GTC', ...more };
}

export function marketOrder(market: string, side: 'buy' | 'sell', size: string, more: Json = {}): Json {
  return { market_id: market, side, type: 'market', size, ...more };
}

/** Has two callers place and cancel at random on both sides, some of it crossing; many requests at once. */
export async function tradeAtRandom(
  callers: readonly [Caller, Caller],
  market: string,
  orders: number,
): Promise<void> {
  let seed = orders;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const placed: string[] = [];
  for (let done = 0; done < orders; done += 20) {
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => {
        const caller = callers[random(2)]!;
        if (placed.length > 20 && random(3) === 0)
          return caller.delete(`/orders/${placed[random(placed.length)]}`);
        const side = random(2) === 0 ? 'buy' : 'sell';
        const price = 100 + (side === 'buy' ? -1 : 1) * (random(15) - 2);
        return caller.post('/orders', limit(market, side, String(price), `0.${1 + random(9)}`));
      }),
    );
    for (const { status, body } of replies) if (status === 201) placed.push(body.order_id);
  }
}

/** Makes a market of its own for a spec, traded in USD, and returns its id. */
export async function createMarket(operator: Caller, marketId: string, more: Json = {}): Promise<string> {
  const reply = await operator.post('/admin/markets', {
    market_id: marketId,
    kind: 'spot',
    base_asset: 'BTC',
    quote_asset: 'USD',
    tick_size: '0.01',
    lot_size: '0.001',
    ...more,
  });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
  return marketId;
}

/** Whatever a spec did, the books must balance after it. */
export async function expectBalancedBooks(operator: Caller): Promise<void> {
  const { status, body } = await operator.get('/admin/ledger/check');
  expect(status).toBe(200);
  expect(body).toMatchObject({ balanced: true, problems: [] });
}
