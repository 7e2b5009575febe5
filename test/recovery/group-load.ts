import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { ApiClient, type Answer } from '../../scripts/support/api-client.js';
import { amountOf } from '../../src/domain/money/amount.js';
import type { LoadTarget } from './order-load.js';

const CLIENTS = ['demo', 'maker', 'admin'] as const;
const TRADERS = ['demo', 'maker'] as const;
const RETRY_MS = 20;
const ANSWER_MS_MAX = 60_000;

type ClientId = (typeof CLIENTS)[number];

interface Failure {
  readonly error?: { readonly code: string };
}

/** A trade of sets as it was answered. */
interface TradedSets {
  readonly client: ClientId;
  readonly path: string;
  readonly size: string;
  readonly answer: unknown;
}

/**
 * Two clients who trade the markets of one event group despite failures: one splits, merges and buys, which completes sets;
 * the other sells what it has not, so that shorts are netted. Trades cost no fees, so together they keep all their money.
 */
export class GroupLoad {
  /** By idempotency key. */
  readonly sets = new Map<string, TradedSets>();
  orders = 0;
  readonly markets: readonly string[];
  private readonly groupId: string;
  private readonly tokens = new Map<ClientId, string>();
  private api: LoadTarget | undefined;
  private isOver = false;
  private running: Promise<unknown> = Promise.resolve();
  private moneyBefore = 0n;

  constructor(private readonly name: string) {
    this.groupId = `${name}-GROUP`;
    this.markets = ['RED', 'GREEN', 'BLUE'].map((market) => `${name}-${market}`);
  }

  /** Switches to a service, or to a balancer over several; may be called again after the first is gone. */
  async turnTo(target: string | LoadTarget): Promise<void> {
    this.api?.close();
    this.api = typeof target === 'string' ? new ApiClient(target) : target;
    for (const client of CLIENTS) {
      if (!this.tokens.has(client))
        this.tokens.set(client, await this.api.authorize(`${client}:${client}-secret`));
    }
  }

  /** Makes the group, and starts to trade. */
  async start(): Promise<void> {
    for (const market_id of this.markets) {
      const terms = { kind: 'event', quote_asset: 'USD', tick_size: '0.01', lot_size: '1' };
      const fees = { maker_fee_rate: '0', taker_fee_rate: '0' };
      await this.demand('admin', '/admin/markets', { market_id, ...terms, ...fees });
    }
    const group = { event_group_id: this.groupId, title: 'Who wins?', market_ids: this.markets };
    await this.demand('admin', '/admin/event-groups', group);
    this.moneyBefore = await this.money();
    this.running = Promise.all(TRADERS.map((client) => this.trade(client)));
  }

  /** Waits until all requests in flight, repeats included, are answered. */
  async finish(): Promise<void> {
    this.isOver = true;
    await this.running;
  }

  close(): void {
    this.api?.close();
  }

  private async trade(client: 'demo' | 'maker'): Promise<void> {
    for (let round = 0; !this.isOver; round++) {
      const name = `${this.name}-${client}-${round}`;
      if (client === 'demo' || round % 4 === 0) await this.tradeSets(client, 'split', '2', `${name}-split`);
      await this.demand(client, '/orders', {
        market_id: this.markets[round % this.markets.length],
        side: client === 'demo' ? 'buy' : 'sell',
        type: 'limit',
        price: '0.3',
        size: '3',
        client_order_id: name,
      });
      this.orders++;
      if (client === 'demo') await this.tradeSets(client, 'merge', '1', `${name}-merge`);
      await delay(2);
    }
  }

  private async tradeSets(client: ClientId, act: string, size: string, key: string): Promise<void> {
    const path = `/event-groups/${this.groupId}/${act}`;
    const { status, body } = await this.ask<Failure>(client, 'POST', path, { size }, key);
    if (status === 200) this.sets.set(key, { client, path, size, answer: body });
    else expect(body).toMatchObject({ error: { code: 'insufficient_funds' } });
  }

  /** Sends some trades of sets again: each is answered as before, and moves no money. */
  async checkRepeats(count: number): Promise<void> {
    const before = await this.balances();
    const keys = [...this.sets.keys()];
    for (let index = 0; index < Math.min(count, keys.length); index++) {
      const key = keys[Math.floor((index * keys.length) / count)]!;
      const { client, path, size, answer } = this.sets.get(key)!;
      expect(await this.ask(client, 'POST', path, { size }, key)).toMatchObject({
        status: 200,
        body: answer,
      });
    }
    expect(await this.balances()).toEqual(before);
  }

  /** Closes the markets, and settles the group. */
  async settle(winner: string): Promise<void> {
    for (const market of this.markets) {
      const { body } = await this.ask<Failure>('admin', 'PATCH', `/admin/markets/${market}`, {
        status: 'closed',
      });
      expect(body.error?.code ?? 'invalid_status_change').toBe('invalid_status_change');
    }
    await this.decide('settle', winner);
  }

  correct(winner: string): Promise<void> {
    return this.decide('settlement/correction', winner);
  }

  /** Whoever repeats an act after a kill may hear that it is done already. */
  private async decide(act: string, winning_market_id: string): Promise<void> {
    const path = `/admin/event-groups/${this.groupId}/${act}`;
    // Without a key, which a killed process would have taken for some time.
    const { body } = await this.ask<Failure>('admin', 'POST', path, { winning_market_id });
    expect(body.error?.code ?? 'invalid_status_change').toBe('invalid_status_change');
  }

  /** The group is settled so, nobody holds a contract, and the clients have all their money. */
  async checkSettled(winner: string): Promise<void> {
    const group = await this.ask('demo', 'GET', `/event-groups/${this.groupId}`);
    expect(group.body).toMatchObject({ winning_market_id: winner });
    for (const market of this.markets) {
      const { body } = await this.ask('demo', 'GET', `/markets/${market}`);
      expect(body).toMatchObject({ status: 'settled', settlement_value: market === winner ? '1' : '0' });
    }
    expect(await this.money()).toBe(this.moneyBefore);
  }

  private async balances(): Promise<string[]> {
    const texts: string[] = [];
    for (const client of TRADERS) {
      const { body } = await this.ask<{ data: { asset: string; total: string }[] }>(
        client,
        'GET',
        '/accounts/me/balances',
      );
      texts.push(body.data.find(({ asset }) => asset === 'USD')!.total);
    }
    return texts;
  }

  private async money(): Promise<bigint> {
    return (await this.balances()).reduce((sum, text) => sum + amountOf(text), 0n);
  }

  /** Sends until it is done; that it exists already comes of an answer that was lost. */
  private async demand(client: ClientId, path: string, json: object): Promise<void> {
    const { status, body } = await this.ask<Failure>(client, 'POST', path, json);
    if (status >= 300 && body.error?.code.endsWith('_exists') !== true)
      throw new Error(`POST ${path} answered ${status}: ${JSON.stringify(body)}`);
  }

  /** Repeats while there is no answer, or one that asks for it. */
  private async ask<T>(
    client: ClientId,
    method: string,
    path: string,
    json?: object,
    idempotencyKey?: string,
  ): Promise<Answer<T>> {
    const deadlineMs = performance.now() + ANSWER_MS_MAX;
    while (performance.now() < deadlineMs) {
      const answer = await this.api!.call<T>(method, path, {
        token: this.tokens.get(client)!,
        ...(json !== undefined && { json }),
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      }).catch(() => undefined);
      if (answer !== undefined && answer.status !== 503) return answer;
      await delay(RETRY_MS);
    }
    throw new Error(`${method} ${path} was not answered in ${ANSWER_MS_MAX} ms`);
  }
}
