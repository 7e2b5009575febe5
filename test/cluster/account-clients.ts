import { expect } from 'vitest';
import type { CallOptions } from '../../scripts/support/api-client.js';
import type { Json } from '../support/caller.js';
import { randomsFrom } from '../support/hostile-values.js';
import { checkLinearizable, History } from '../support/linearizability.js';
import {
  accountModel,
  type AccountInput,
  type AccountOutput,
  balancesText,
  bidsText,
  bookText,
  fillsText,
  fillText,
} from './account-model.js';
import type { ClusterClient, PatientAnswer } from './cluster-client.js';

const CASH = 150;
const PRICES = [10, 11, 12, 13];

/** Concurrent clients of one account and one market, each using any process, and the answers they got. */
export class AccountClients {
  private readonly history = new History<AccountInput, AccountOutput>();
  private readonly orderIds = new Map<string, string>();
  private readonly random: (bound: number) => number;
  private serial = 0;

  private constructor(
    private readonly client: ClusterClient,
    private readonly name: string,
    private readonly tokens: { readonly buyer: string; readonly seller: string },
    private readonly accountId: string,
    private readonly walletId: string,
    seed: number,
  ) {
    const randoms = randomsFrom(seed);
    this.random = (bound) => Math.floor(randoms() * bound);
  }

  /** Opens a market and an account of the demo client for this run alone; `name` keeps runs apart. */
  static async open(client: ClusterClient, name: string, seed: number): Promise<AccountClients> {
    const [operator, buyer, seller] = [
      await client.authorize('admin:admin-secret'),
      await client.authorize('demo:demo-secret'),
      await client.authorize('maker:maker-secret'),
    ];
    const post = async (token: string, path: string, json: Json): Promise<Json> => {
      // A repeat of an unanswered operation is the same call.
      const idempotencyKey = `${name}${path.replaceAll('/', '-')}`;
      const { status, body } = await client.callUntilAnswered<Json>('POST', path, {
        token,
        json,
        idempotencyKey,
      });
      expect(status, JSON.stringify(body)).toBe(201);
      return body;
    };
    await post(operator, '/admin/markets', {
      market_id: name,
      kind: 'spot',
      base_asset: 'BTC',
      quote_asset: 'USD',
      tick_size: '1',
      lot_size: '1',
    });
    const { account_id: accountId } = await post(operator, '/admin/accounts', {
      name,
      owner: 'client:demo',
    });
    await post(operator, `/admin/accounts/${accountId}/deposits`, {
      asset: 'USD',
      amount: String(CASH),
      reference: name,
    });
    const { wallet_id: walletId } = await post(buyer, '/wallets', { name });
    return new AccountClients(client, name, { buyer, seller }, accountId, walletId, seed);
  }

  /** Runs this many concurrent clients, each with this many operations. */
  async run(clients: number, operations: number): Promise<void> {
    await Promise.all(
      Array.from({ length: clients }, async () => {
        for (let done = 0; done < operations; done++) await this.perform(this.draw());
      }),
    );
  }

  /** Throws if no order of the operations explains the clients' answers. */
  check(): { readonly operations: number; readonly unknown: number } {
    const { operations } = this.history;
    const verdict = checkLinearizable(accountModel(CASH), operations);
    const told = { longest: verdict.longest.slice(-20), stuckAt: verdict.stuckAt };
    expect(verdict.isLinearizable, JSON.stringify(told, null, 1)).toBe(true);
    return {
      operations: operations.length,
      unknown: operations.filter(({ output }) => output === undefined).length,
    };
  }

  private draw(): AccountInput {
    const id = `${this.name}-${++this.serial}`;
    const price = PRICES[this.random(PRICES.length)]!;
    const size = 1 + this.random(3);
    const known = [...this.orderIds.keys()];
    const recent = known.slice(-6)[this.random(Math.min(6, known.length))];
    switch (this.random(recent === undefined ? 4 : 10)) {
      case 0:
      case 4:
        return { type: 'buy', id, price, size };
      case 1:
        return { type: 'sell', id, price, size };
      case 2:
        return { type: 'read balances' };
      case 3:
        return { type: 'read book' };
      case 5:
        return { type: 'save', id, amount: 1 };
      case 6:
        return { type: 'read bids' };
      case 7:
        return { type: 'read bid', id: recent! };
      default:
        return { type: 'cancel', id: recent! };
    }
  }

  private perform(input: AccountInput): Promise<unknown> {
    return this.history.perform(input, () => this.ask(input).catch(unknownOutcome));
  }

  private async ask(input: AccountInput): Promise<AccountOutput> {
    switch (input.type) {
      case 'buy':
      case 'sell':
        return this.order(input);
      case 'cancel':
        return this.cancel(this.orderIds.get(input.id)!);
      case 'save':
        return this.save(input.id, input.amount);
      default:
        return this.read(input);
    }
  }

  private async order({
    type,
    id,
    price,
    size,
  }: Extract<AccountInput, { type: 'buy' | 'sell' }>): Promise<AccountOutput> {
    const isBuy = type === 'buy';
    const { status, body } = await this.send('POST', '/orders', isBuy ? 'buyer' : 'seller', {
      json: {
        market_id: this.name,
        side: type,
        type: 'limit',
        price: String(price),
        size: String(size),
        time_in_force: isBuy ? 'GTC' : 'IOC',
        client_order_id: id,
        ...(isBuy && { account_id: this.accountId }),
      },
    });
    if (isBuy && status === 422 && body.error.code === 'insufficient_funds') return 'refused';
    expect(status, JSON.stringify(body)).toBeLessThan(300);
    if (!isBuy)
      return fillsText(body.fills.map((fill: Json) => fillText(Number(fill.price), Number(fill.size))));
    this.orderIds.set(id, body.order_id);
    return 'done';
  }

  /** Repeated if unanswered; the repeat may find it already carried out. */
  private async cancel(orderId: string): Promise<AccountOutput> {
    const { status, body, attempts } = await this.send('DELETE', `/orders/${orderId}`, 'buyer');
    if (status === 409 && body.error.code === 'order_not_open') return attempts > 1 ? 'repeated' : 'gone';
    expect(status, JSON.stringify(body)).toBe(200);
    return 'done';
  }

  private async save(id: string, amount: number): Promise<AccountOutput> {
    const { status, body } = await this.send('POST', `/accounts/${this.accountId}/transfers`, 'buyer', {
      json: {
        asset: 'USD',
        amount: String(amount),
        destination: { type: 'wallet', wallet_id: this.walletId },
        client_transfer_id: id,
      },
    });
    if (status === 422 && body.error.code === 'insufficient_funds') return 'refused';
    expect(status, JSON.stringify(body)).toBeLessThan(300);
    return 'done';
  }

  private async read(input: AccountInput): Promise<AccountOutput> {
    if (input.type === 'read balances') {
      const { data } = await this.get(`/accounts/${this.accountId}/balances?limit=200`);
      const of = (asset: string): Json => data.find((one: Json) => one.asset === asset);
      return balancesText(Number(of('USD').available), Number(of('USD').held), Number(of('BTC')?.total ?? 0));
    }
    if (input.type === 'read bids') {
      const { data } = await this.get(
        `/orders?account_id=${this.accountId}&status=open,partially_filled&limit=200`,
      );
      return bidsText(
        data.map((order: Json) => ({ id: order.client_order_id, size: Number(order.remaining_size) })),
      );
    }
    if (input.type === 'read bid') {
      const order = await this.get(`/orders/${this.orderIds.get(input.id)}`);
      const isLive = order.status === 'open' || order.status === 'partially_filled';
      return isLive ? String(Number(order.remaining_size)) : '0';
    }
    const { bids } = await this.get(`/markets/${this.name}/orderbook?depth=1000`);
    return bookText(bids.map(([price, size]: [string, string]) => [Number(price), Number(size)]));
  }

  private async get(path: string): Promise<Json> {
    const { status, body } = await this.send('GET', path, 'buyer');
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  }

  private send(
    method: string,
    path: string,
    who: 'buyer' | 'seller',
    options: CallOptions = {},
  ): Promise<PatientAnswer<Json>> {
    return this.client.callUntilAnswered<Json>(method, path, { token: this.tokens[who], ...options });
  }
}

/** The unknown outcome of a request repeated in vain; rethrows a failed assertion. */
function unknownOutcome(error: Error): undefined {
  if (error.name === 'AssertionError') throw error;
  return undefined;
}
