import { sessionToken, TradepostClient } from '@tradepost/client';
import type { Side } from '../../src/domain/engine/types.js';
import { type ApiClient, unexpected, UnexpectedAnswer } from '../support/api-client.js';
import type { FlowOrder, RecordedFlow } from './recorded-flow.js';

/** The accounts of a replay, each as `client_id:client_secret` of the service. */
export interface ReplayCredentials {
  /** Two traders, because an account never trades with itself. */
  readonly buyer: string;
  readonly seller: string;
  /** Creates the market and pays the money in; needs scope `admin`. */
  readonly operator: string;
}

/** Enough for the flow of any one market, and far from the limits of an amount. */
const DEPOSITS: Readonly<Record<Side, { asset: string; amount: string }>> = {
  buy: { asset: 'USD', amount: '1000000000' },
  sell: { asset: 'BTC', amount: '10000000' },
};

const PAGE_LIMIT = 200;
/** To check the books of a long replay takes its time. */
const TIMEOUT_MS = 300_000;
const LARGEST_PAGES = { limit: PAGE_LIMIT } as const;

export interface PublicTrade {
  readonly price: string;
  readonly size: string;
}

export interface LedgerVerdict {
  readonly balanced: boolean;
  readonly problems: readonly string[];
}

interface BatchResult {
  readonly status: number;
  readonly order?: { readonly order_id: string };
  readonly error?: { readonly code: string };
}

type LevelJson = readonly [price: string, size: string, orders: number];

/**
 * A separate market for the replay on a running service, so that no other book is affected, and the two accounts that
 * trade on it.
 */
export class ReplayMarket {
  private readonly orderIds = new Map<string, string>();
  /** How long each answer of order entry took. */
  readonly latenciesMs: number[] = [];
  /** How many orders were refused, by the code of the refusal. */
  readonly refusals = new Map<string, number>();
  private finished = 0;

  private constructor(
    readonly marketId: string,
    private readonly client: ApiClient,
    private readonly tokens: Readonly<Record<Side, string>>,
    private readonly operator: TradepostClient,
  ) {}

  /** Opens the market and funds the traders. Rejects with UnexpectedAnswer where the service refuses that. */
  static async open(
    client: ApiClient,
    credentials: ReplayCredentials,
    flow: RecordedFlow,
  ): Promise<ReplayMarket> {
    const [buy, sell, operatorToken] = await Promise.all([
      client.authorize(credentials.buyer),
      client.authorize(credentials.seller),
      client.authorize(credentials.operator),
    ]);
    const marketId = `REPLAY-${new Date().toISOString().replaceAll(/\D/g, '')}`;
    const operator = clientOf(client.url, operatorToken);
    await operator.post('/admin/markets', {
      body: {
        market_id: marketId,
        kind: 'spot',
        title: `Replay of ${flow.name}`.slice(0, 200),
        category: 'replay',
        base_asset: DEPOSITS.sell.asset,
        quote_asset: DEPOSITS.buy.asset,
        tick_size: flow.tickSize,
        lot_size: flow.lotSize,
      },
    });
    const market = new ReplayMarket(marketId, client, { buy, sell }, operator);
    await market.fund('buy');
    await market.fund('sell');
    return market;
  }

  /** Cancels that came too late, because the order had been filled: as it was on the recorded market. */
  get cancelsOfFinished(): number {
    return this.finished;
  }

  /** Places orders of one side, in this order. */
  async place(side: Side, orders: readonly FlowOrder[]): Promise<void> {
    if (orders.length === 0) return;
    const answer = await this.client.expect<{ results: readonly BatchResult[] }>(
      200,
      'POST',
      '/orders/batch',
      {
        token: this.tokens[side],
        json: {
          orders: orders.map(({ price, size }) => ({
            market_id: this.marketId,
            side,
            type: 'limit',
            price,
            size,
            time_in_force: 'GTC',
          })),
        },
      },
    );
    this.latenciesMs.push(answer.latencyMs);
    answer.body.results.forEach(({ order, error }, i) => {
      if (order !== undefined) this.orderIds.set(orders[i]!.id, order.order_id);
      else count(this.refusals, error?.code ?? 'unknown');
    });
  }

  /** Cancels an order that was placed before; does nothing where it was refused then or is filled by now. */
  async cancel(order: FlowOrder): Promise<void> {
    const orderId = this.orderIds.get(order.id);
    if (orderId === undefined) return;
    this.orderIds.delete(order.id);
    const path = `/orders/${orderId}`;
    const answer = await this.client.call('DELETE', path, { token: this.tokens[order.side] });
    if (answer.status !== 200 && answer.status !== 409) throw unexpected('DELETE', path, answer);
    if (answer.status === 409) this.finished++;
    this.latenciesMs.push(answer.latencyMs);
  }

  /** The best prices after everything that has been acknowledged; null where a side is empty. */
  async topOfBook(): Promise<{ bid: string | null; ask: string | null }> {
    const { body } = await this.client.expect<{ bids: readonly LevelJson[]; asks: readonly LevelJson[] }>(
      200,
      'GET',
      `/markets/${this.marketId}/orderbook?depth=1`,
    );
    return { bid: body.bids[0]?.[0] ?? null, ask: body.asks[0]?.[0] ?? null };
  }

  /** Every trade of the market, newest first. */
  async trades(): Promise<readonly PublicTrade[]> {
    const trades: PublicTrade[] = [];
    const params = { path: { market_id: this.marketId }, query: LARGEST_PAGES };
    for await (const trade of this.operator.list('/markets/{market_id}/trades', { params }))
      trades.push(trade);
    return trades;
  }

  /** What the service says of its own books, all of them. */
  checkLedger(): Promise<LedgerVerdict> {
    return this.operator.get('/admin/ledger/check');
  }

  /** Cancels resting orders, which releases the traders' money. */
  async clear(): Promise<void> {
    for (const token of Object.values(this.tokens)) {
      const params = { query: { market_id: this.marketId } };
      await clientOf(this.client.url, token).delete('/orders', { params });
    }
  }

  private async fund(side: Side): Promise<void> {
    // Newest first: the one that a client was registered with, and uses unless it names another, is the oldest.
    let accountId: string | undefined;
    const trader = clientOf(this.client.url, this.tokens[side]);
    for await (const { account_id, kind } of trader.list('/accounts', { params: { query: LARGEST_PAGES } })) {
      if (kind === 'trading') accountId = account_id;
    }
    if (accountId === undefined) throw new UnexpectedAnswer(`The ${side}er has no trading account.`);
    await this.operator.post('/admin/accounts/{account_id}/deposits', {
      params: { path: { account_id: accountId } },
      body: { ...DEPOSITS[side], reference: this.marketId },
    });
  }
}

/** For what is called once; order entry goes through the raw client, which tells latencies and spares the processor. */
function clientOf(url: string, token: string): TradepostClient {
  return new TradepostClient({ url, credentials: sessionToken(token), timeoutMs: TIMEOUT_MS });
}

export function count<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
