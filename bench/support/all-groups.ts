/** A little work in every group of the API, again and again: what a day brings beside the orders. */
import { ApiClient } from '../../scripts/support/api-client.js';

interface Call {
  readonly group: string;
  readonly as: 'demo' | 'admin' | 'pets' | 'person';
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly json?: (serial: number) => object;
}

const MARKET = 'BTC-USD';

const CALLS: readonly Call[] = [
  { group: 'auth', as: 'person', method: 'GET', path: '/auth/clients' },
  { group: 'users', as: 'admin', method: 'GET', path: '/admin/users?limit=10' },
  { group: 'accounts', as: 'demo', method: 'GET', path: '/accounts/me/balances' },
  { group: 'accounts', as: 'demo', method: 'GET', path: '/accounts/me/fills?limit=10' },
  { group: 'markets', as: 'demo', method: 'GET', path: `/markets/${MARKET}/orderbook` },
  { group: 'markets', as: 'demo', method: 'GET', path: `/markets/${MARKET}/candles?interval=1m` },
  { group: 'markets', as: 'demo', method: 'GET', path: '/orders?limit=10' },
  {
    group: 'exchange',
    as: 'demo',
    method: 'POST',
    path: '/quotes',
    json: () => ({ market_id: 'RAIN-LISBON', side: 'buy', size: '1' }),
  },
  {
    group: 'chat',
    as: 'demo',
    method: 'POST',
    path: '/chat/rooms/{room_id}/messages',
    json: (serial) => ({ text: `Message ${serial}` }),
  },
  { group: 'chat', as: 'demo', method: 'GET', path: '/chat/rooms' },
  {
    group: 'news',
    as: 'admin',
    method: 'POST',
    path: '/admin/news',
    json: (serial) => ({ headline: `News ${serial}` }),
  },
  { group: 'news', as: 'demo', method: 'GET', path: '/news' },
  { group: 'blog', as: 'demo', method: 'GET', path: '/blog/posts' },
  {
    group: 'pets',
    as: 'pets',
    method: 'POST',
    path: '/pet',
    json: (serial) => ({ name: `Rex ${serial}`, photoUrls: [] }),
  },
  { group: 'pets', as: 'pets', method: 'GET', path: '/pet/findByStatus?status=available' },
  { group: 'store', as: 'demo', method: 'GET', path: '/store/inventory' },
  { group: 'wallets', as: 'demo', method: 'GET', path: '/wallets' },
  { group: 'banking', as: 'demo', method: 'GET', path: '/payouts' },
  { group: 'admin', as: 'admin', method: 'GET', path: '/health' },
  { group: 'admin', as: 'admin', method: 'GET', path: '/admin/audit?limit=10' },
];

export class AllGroups {
  private serial = 0;
  /** Answers by group, and what was answered instead of what was asked for. */
  readonly answered = new Map<string, number>();
  readonly refused = new Map<string, number>();

  private constructor(
    private readonly client: ApiClient,
    private readonly tokens: Readonly<Record<Call['as'], string>>,
    private readonly roomId: string,
  ) {}

  static async open(url: string): Promise<AllGroups> {
    const client = new ApiClient(url, 4);
    const demo = await client.authorize('demo:demo-secret');
    const admin = await client.authorize('admin:admin-secret');
    const { body: alice } = await client.expect<string>(200, 'GET', '/user/login', {
      basic: 'alice:alice-password',
    });
    const keeper = await client.expect<{ client_id: string; client_secret: string }>(
      201,
      'POST',
      '/auth/clients',
      { token: alice, json: { name: 'Soak', scopes: ['read:pets', 'write:pets'] } },
    );
    const { client_id, client_secret } = keeper.body;
    const tokens = {
      demo,
      admin,
      person: alice,
      pets: await client.authorize(`${client_id}:${client_secret}`),
    };
    // What quotes are made of.
    await client.expect(201, 'POST', '/orders', {
      token: await client.authorize('maker:maker-secret'),
      json: { market_id: 'RAIN-LISBON', side: 'sell', type: 'limit', price: '0.6', size: '1000' },
    });
    const { body } = await client.expect<{ room_id: string }>(201, 'POST', '/chat/rooms', {
      token: tokens.demo,
      json: { name: 'Soak', type: 'public' },
    });
    return new AllGroups(client, tokens, body.room_id);
  }

  /** One call of each. @throws where the service fails */
  async turn(): Promise<void> {
    const serial = ++this.serial;
    for (const { group, as, method, path, json } of CALLS) {
      const { status, body } = await this.client.call(method, path.replace('{room_id}', this.roomId), {
        token: this.tokens[as],
        json: json?.(serial),
      });
      // One that is asked to come again is noted, as every refusal is.
      if (status >= 500 && status !== 503)
        throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(body)}`);
      if (status < 300) this.answered.set(group, (this.answered.get(group) ?? 0) + 1);
      else {
        const what = `${method} ${path} ${status}`;
        this.refused.set(what, (this.refused.get(what) ?? 0) + 1);
      }
    }
  }

  close(): void {
    this.client.close();
  }
}
