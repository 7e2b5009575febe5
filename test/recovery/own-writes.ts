import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient, type Answer, type CallOptions } from '../../scripts/support/api-client.js';

const RETRY_MS = 20;
/** How long a client retries one request before it gives up. */
const PATIENCE_MS = 60_000;
const STREAM_MS_MAX = 10_000;
const SOLD = 6;
const BOUGHT = 2;
const AMENDED = 5;
const DEPOSITED = 10;

type ClientId = 'demo' | 'maker' | 'admin';

// Answers are looked at as a client would, without the service's own types.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Json = any;

/** A route, its client, and the condition for all its answers from now on. */
type Read = readonly [client: ClientId, path: string, isTrue: (body: Json) => boolean];

/** Things that only one client uses, so that it always knows their state. */
interface Desk {
  readonly market: string;
  readonly seller: string;
  readonly buyer: string;
  readonly wallet: { readonly id: string; readonly account: string };
  round: number;
  bought: number;
  spent: number;
  fees: number;
  deposited: number;
  /** The position in the buyer's stream. */
  told: number | undefined;
}

/**
 * Clients that write and at once read their write, on every route that shows it, despite failures. A read may ask for a
 * retry, but never show less than an earlier answer.
 */
export class OwnWrites {
  /** Reads that missed an acknowledged write. */
  readonly contradictions: string[] = [];
  /** How often a read was asked to retry, or got no answer. */
  refused = 0;
  /** Correct reads, by the process that answered. */
  readonly shown = new Map<string, number>();
  rounds = 0;
  private readonly tokens = new Map<ClientId, string>();
  private readonly desks: Desk[] = [];
  private writer!: ApiClient;
  /** The first is the leader, which answers everything; the others answer requests that need no leader. */
  private readers: { readonly url: string; readonly api: ApiClient }[] = [];
  private isOver = false;
  private running: Promise<unknown> = Promise.resolve();

  /** Switches to a leading service, and to its followers. */
  async turnTo(url: string, ...standbys: string[]): Promise<void> {
    for (const { api } of this.readers) api.close();
    this.readers = [url, ...standbys].map((reader) => ({ url: reader, api: new ApiClient(reader) }));
    this.writer = this.readers[0]!.api;
    for (const client of ['demo', 'maker', 'admin'] as const) {
      if (!this.tokens.has(client))
        this.tokens.set(client, await this.writer.authorize(`${client}:${client}-secret`));
    }
  }

  /** Opens funded accounts, wallets and markets for the clients, and starts them. */
  async start(clients: number): Promise<void> {
    for (let index = 0; index < clients; index++) this.desks.push(await this.openDesk(`OWN-${index}`));
    this.running = Promise.all(this.desks.map((desk) => this.work(desk)));
  }

  /** Lets each client finish its round. */
  async finish(): Promise<void> {
    this.isOver = true;
    await this.running;
    for (const { api } of this.readers) api.close();
  }

  private async openDesk(market: string): Promise<Desk> {
    const terms = { market_id: market, kind: 'event', quote_asset: 'USD', tick_size: '0.01', lot_size: '1' };
    await this.write('admin', 'POST', '/admin/markets', terms);
    const wallet = await this.write('demo', 'POST', '/wallets', { name: market });
    return {
      market,
      seller: await this.openAccount('maker', market),
      buyer: await this.openAccount('demo', market),
      wallet: { id: wallet.wallet_id, account: wallet.account_id },
      round: 0,
      bought: 0,
      spent: 0,
      fees: 0,
      deposited: 0,
      told: undefined,
    };
  }

  private async openAccount(client: ClientId, name: string): Promise<string> {
    const terms = { name, owner: `client:${client}` };
    const { account_id } = await this.write('admin', 'POST', '/admin/accounts', terms);
    await this.deposit(account_id, 1_000_000);
    return account_id;
  }

  private deposit(accountId: string, amount: number): Promise<Json> {
    const terms = { asset: 'USD', amount: `${amount}`, reference: 'own writes' };
    return this.write('admin', 'POST', `/admin/accounts/${accountId}/deposits`, terms);
  }

  private async work(desk: Desk): Promise<void> {
    try {
      while (!this.isOver) {
        await this.playRound(desk);
        this.rounds++;
      }
    } catch (error) {
      this.contradictions.push(`${desk.market}: ${String(error)}`);
    }
  }

  private async playRound(desk: Desk): Promise<void> {
    const { market, seller, wallet } = desk;
    const orders = `/orders?account_id=${seller}&market_id=${market}`;
    const name = `${market}-${++desk.round}`;
    const placed = await this.write('maker', 'POST', '/orders', {
      account_id: seller,
      market_id: market,
      side: 'sell',
      type: 'limit',
      price: '0.4',
      size: `${SOLD}`,
      client_order_id: name,
    });
    const id = placed.order_id as string;
    await this.read(
      ['maker', `/orders/${id}`, (order) => order.remaining_size === `${SOLD}`],
      ['maker', `${orders}&status=open`, ({ data }) => data[0]?.order_id === id],
      ['maker', `${orders}&client_order_id=${name}`, ({ data }) => data[0]?.order_id === id],
      ['maker', `/accounts/${seller}/balances`, ({ data }) => usdOf(data).held > 0],
    );

    await this.buy(desk, id);

    const sequence = (await this.write('maker', 'PATCH', `/orders/${id}`, { size: `${AMENDED}` })).sequence;
    await this.read(
      ['maker', `/orders/${id}`, (order) => order.size === `${AMENDED}` && order.sequence >= sequence],
      [
        'maker',
        `${orders}&status=partially_filled`,
        ({ data }) => data[0]?.order_id === id && data[0].remaining_size === `${AMENDED - BOUGHT}`,
      ],
    );

    await this.write('maker', 'DELETE', `/orders/${id}`, undefined, 'order_not_open');
    await this.read(
      ['maker', `/orders/${id}`, ({ status }) => status === 'cancelled'],
      ['maker', `${orders}&status=open,partially_filled`, ({ data }) => data.length === 0],
      ['maker', `${orders}&status=cancelled`, ({ data }) => data[0]?.order_id === id],
    );

    await this.deposit(wallet.account, DEPOSITED);
    desk.deposited += DEPOSITED;
    const hasAll = (balances: Json): boolean => usdOf(balances).total === desk.deposited;
    await this.read(
      ['demo', `/wallets/${wallet.id}`, ({ balances }) => hasAll(balances)],
      ['demo', `/accounts/${wallet.account}/balances`, ({ data }) => hasAll(data)],
      [
        'demo',
        `/accounts/${wallet.account}/entries`,
        ({ data }) => Number(data[0]?.balance_after) === desk.deposited,
      ],
    );
  }

  /** Takes part of the order by a quote. */
  private async buy(desk: Desk, soldBy: string): Promise<void> {
    const { market, seller, buyer } = desk;
    const bet = await this.accept(desk);
    const { matched_bet_id, quote_id, order_id } = bet;
    const tradeId = bet.fills[0].trade_id as string;
    desk.bought += BOUGHT;
    desk.spent += Number(bet.notional);
    desk.fees += Number(bet.fee);
    const isPositionOf = (size: number) => (body: Json) => Number(body.data[0]?.size) === size;
    await this.read(
      ['demo', `/matched-bets/${matched_bet_id}`, ({ fills }) => fills[0]?.trade_id === tradeId],
      ['demo', `/matched-bets?account_id=${buyer}`, ({ data }) => data[0]?.matched_bet_id === matched_bet_id],
      ['demo', `/quotes/${quote_id}`, (quote) => quote.matched_bet_id === matched_bet_id],
      ['demo', `/quotes?account_id=${buyer}`, ({ data }) => data[0]?.status === 'accepted'],
      ['demo', `/orders/${order_id}`, ({ status, fills }) => status === 'filled' && fills.length === 1],
      ['demo', `/accounts/${buyer}/positions`, isPositionOf(desk.bought)],
      ['maker', `/accounts/${seller}/positions`, isPositionOf(-desk.bought)],
      ['demo', `/markets/${market}/fills?account_id=${buyer}`, ({ data }) => data[0]?.trade_id === tradeId],
      ['demo', `/markets/${market}/trades`, ({ data }) => data[0]?.trade_id === tradeId],
      [
        'demo',
        `/accounts/${buyer}/pnl`,
        ({ fees, totals }) => isAtLeast(Number(fees ?? totals[0]?.fees), desk.fees),
      ],
      [
        'demo',
        `/accounts/${buyer}/balances`,
        ({ data }) => isAtLeast(1_000_000 - usdOf(data).total, desk.spent + desk.fees),
      ],
      [
        'demo',
        `/accounts/${buyer}/entries`,
        ({ data }) => isAtLeast(1_000_000 - Number(data[0]?.balance_after), desk.spent),
      ],
      ['maker', `/orders/${soldBy}`, ({ filled_size }) => filled_size === `${BOUGHT}`],
    );
    await this.resume(desk, order_id);
  }

  /** Quotes expire soon, so after a long outage this requests another one. */
  private async accept({ market, buyer }: Desk): Promise<Json> {
    for (;;) {
      const quote = await this.write('demo', 'POST', '/quotes', {
        account_id: buyer,
        market_id: market,
        side: 'buy',
        size: `${BOUGHT}`,
      });
      await this.read(
        ['demo', `/quotes/${quote.quote_id}`, ({ status }) => status === 'open' || status === 'expired'],
        ['demo', `/quotes?account_id=${buyer}`, ({ data }) => data[0]?.quote_id === quote.quote_id],
      );
      const { quote_id } = quote;
      const bet = await this.write('demo', 'POST', '/matched-bets', { quote_id }, 'quote_expired');
      if (bet !== undefined) return bet;
    }
  }

  /** Resumes the stream: the first event contains the changes since. */
  private async resume(desk: Desk, orderId: string): Promise<void> {
    const path = `/accounts/${desk.buyer}/stream`;
    const deadlineMs = performance.now() + PATIENCE_MS;
    while (performance.now() < deadlineMs) {
      const event = await this.firstEvent(path, desk.told);
      // One that a busy service ends says so in an event without data.
      if (event?.data === undefined) {
        this.refused++;
        await delay(RETRY_MS);
        continue;
      }
      // A snapshot has only live orders, and this one is filled.
      const { orders } = event.data;
      const isShown = desk.told === undefined || orders.some((order: Json) => order.order_id === orderId);
      if (!isShown) this.contradictions.push(`${path} after ${desk.told} tells ${JSON.stringify(event)}`);
      desk.told = event.sequence;
      return;
    }
    throw new Error(`${path} tells nothing`);
  }

  /** Undefined where there is none. */
  private async firstEvent(path: string, after: number | undefined): Promise<Json> {
    const gone = AbortSignal.timeout(STREAM_MS_MAX);
    try {
      const response = await fetch(this.readers[0]!.url + path, {
        headers: {
          authorization: `Bearer ${this.tokens.get('demo')!}`,
          ...(after !== undefined && { 'last-event-id': `${after}` }),
        },
        signal: gone,
      });
      if (response.status !== 200) {
        await response.body?.cancel();
        return undefined;
      }
      let text = '';
      const decoder = new TextDecoder();
      for await (const bytes of response.body!) {
        text += decoder.decode(bytes as Uint8Array, { stream: true });
        const data = /^data: ?(\{.*\})\n/m.exec(text)?.[1];
        if (data !== undefined) return JSON.parse(data);
      }
      return undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Retries under one key until there is an answer. Undefined for a refusal that can only mean that it was carried out
   * before, or that it came too late.
   */
  private async write(
    client: ClientId,
    method: string,
    path: string,
    json: unknown,
    expected?: string,
  ): Promise<Json> {
    const isKeyed = method === 'POST' && path !== '/orders';
    const options = { json, ...(isKeyed && { idempotencyKey: randomUUID() }) };
    const deadlineMs = performance.now() + PATIENCE_MS;
    while (performance.now() < deadlineMs) {
      const answer = await this.call(this.writer, client, method, path, options);
      if (answer !== undefined && answer.status < 300) return answer.body;
      if (answer?.body.error.code === expected && expected !== undefined) return undefined;
      // A request of a killed process holds its key until its lease expires.
      const isLater = answer?.status === 503 || answer?.body.error.code === 'idempotency_in_progress';
      if (answer !== undefined && !isLater)
        throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      await delay(RETRY_MS);
    }
    throw new Error(`${method} ${path} was never carried out`);
  }

  private async read(...reads: readonly Read[]): Promise<void> {
    await Promise.all(reads.map((read) => this.readEverywhere(read)));
  }

  private async readEverywhere([client, path, isTrue]: Read): Promise<void> {
    const deadlineMs = performance.now() + PATIENCE_MS;
    const [leader, ...standbys] = this.readers;
    const isShown = async ({ url, api }: { url: string; api: ApiClient }): Promise<boolean> => {
      const answer = await this.call(api, client, 'GET', path);
      if (answer === undefined || answer.status === 503) return false;
      if (answer.status !== 200 || !isTrue(answer.body))
        this.contradictions.push(`GET ${path} of ${url} answered ${JSON.stringify(answer)}`);
      this.shown.set(url, (this.shown.get(url) ?? 0) + 1);
      return true;
    };
    let [isDone] = await Promise.all([isShown(leader!), ...standbys.map(isShown)]);
    while (!isDone) {
      this.refused++;
      if (performance.now() > deadlineMs) throw new Error(`GET ${path} was never answered`);
      await delay(RETRY_MS);
      isDone = await isShown(this.readers[0]!);
    }
  }

  /** Undefined without an answer. */
  private call(
    api: ApiClient,
    client: ClientId,
    method: string,
    path: string,
    options: CallOptions = {},
  ): Promise<Answer<Json> | undefined> {
    const token = this.tokens.get(client)!;
    return api.call<Json>(method, path, { token, ...options }).catch(() => undefined);
  }
}

function usdOf(balances: Json): { total: number; held: number } {
  const { total, held } = balances.find(({ asset }: Json) => asset === 'USD') ?? { total: 0, held: 0 };
  return { total: Number(total), held: Number(held) };
}

/** With a tolerance for floating-point errors. */
function isAtLeast(value: number, bound: number): boolean {
  return value >= bound - 1e-6;
}
