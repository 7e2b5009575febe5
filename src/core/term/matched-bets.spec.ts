import { Logger } from '@nestjs/common';
import type { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EVENT, type Floor, limit, openFloor, openTrader, TestCore } from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { onFreshFloor } from '../../../test/support/fresh-floor.js';
import { openPool } from '../../../test/support/pool.js';
import type { AcceptQuote, Command, Outcome } from '../../domain/engine/commands.js';
import { Clock } from '../../kit/clock.js';
import { DatabaseConnection } from '../../kit/database/database-connection.js';
import { MetricsRegistry } from '../../kit/metrics/metrics-registry.js';
import { CoreService } from '../core.service.js';
import { LedgerCheck } from '../ledger-check/ledger-check.js';

/** Ten contracts for at most four dollars, from a seller at 0.40. */
const accept = (accountId: number, quoteId: string, terms: Partial<AcceptQuote> = {}): AcceptQuote => ({
  type: 'accept_quote',
  accountId,
  quoteId,
  marketId: EVENT,
  side: 'buy',
  sizeLots: 10,
  notionalBound: '4',
  expiresAtMs: Date.UTC(2999, 0, 1),
  feeRates: null,
  ...terms,
});
const offer = (accountId: number, priceTicks: number, sizeLots: number) =>
  limit(accountId, 'sell', priceTicks, sizeLots, { marketId: EVENT });
const codeOf = (outcome: Outcome | undefined): string =>
  outcome === undefined ? 'missing' : outcome.ok ? 'ok' : outcome.refusal.code;
const tally = (codes: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const code of codes) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
};

describe('a quote', () => {
  let database: TestDatabase;
  let core: TestCore;
  let floor: Floor;
  onFreshFloor(
    (fresh) => void ({ database, core, floor } = fresh),
    () => core.stop(),
  );

  const bets = () => core.query('SELECT account_id, order_id, quote_id, market_id FROM matched_bets');
  const restart = async (): Promise<void> => {
    await core.stop();
    core = await TestCore.start(database.url);
  };

  it('becomes an order that is filled at once, and a row that joins the two', async () => {
    await core.place(offer(floor.bob, 40, 10));
    const { order, fills } = await core.place(accept(floor.ann, 'qte_1'));
    expect(order).toMatchObject({ type: 'market', timeInForce: 'FOK', status: 'filled', filledLots: 10 });
    expect(fills).toMatchObject([{ priceTicks: 40, sizeLots: 10, takerOrderId: order.orderId }]);
    expect(await bets()).toEqual([
      {
        account_id: `${floor.ann}`,
        order_id: `${order.orderId}`,
        quote_id: 'qte_1',
        market_id: EVENT,
      },
    ]);
    expect(
      await core.query('SELECT status, filled_lots FROM orders WHERE order_id = $1', [order.orderId]),
    ).toEqual([{ status: 'filled', filled_lots: '10' }]);
  });

  it('is accepted once for all time, by anybody, also after a restart', async () => {
    await core.place(offer(floor.bob, 40, 100));
    await core.place(accept(floor.ann, 'qte_1'));
    expect(await core.refusalOf(accept(floor.ann, 'qte_1'))).toBe('quote_already_accepted');
    expect(await core.refusalOf(accept(floor.cat, 'qte_1'))).toBe('quote_already_accepted');
    await restart();
    expect(await core.refusalOf(accept(floor.ann, 'qte_1'))).toBe('quote_already_accepted');
    const [key] = await core.query(`SELECT expires_at FROM command_keys WHERE owner = 'quote'`);
    expect(key).toEqual({ expires_at: null });
    expect(await bets()).toHaveLength(1);
  });

  it('is accepted once within one request and within one batch', async () => {
    await core.place(offer(floor.bob, 40, 100));
    const outcomes = await core.submit([1, 2, 3].map(() => accept(floor.ann, 'qte_1')));
    expect(outcomes.map(codeOf)).toEqual(['ok', 'quote_already_accepted', 'quote_already_accepted']);
    const others = await Promise.all([1, 2].map(() => core.refusalOf(accept(floor.ann, 'qte_2'))));
    expect(others).toEqual([undefined, 'quote_already_accepted']);
    expect(await bets()).toHaveLength(2);
  });

  it('answers a repeat under the same Idempotency-Key with its order, not with a refusal', async () => {
    await core.place(offer(floor.bob, 40, 100));
    const request = {
      commands: [accept(floor.ann, 'qte_1')],
      idempotency: { owner: 'user:ann', key: 'once', fingerprint: 'a' },
    };
    const first = await core.sequencer.submit(request);
    const [outcome] = first.outcomes;
    if (outcome?.ok !== true || outcome.result.type !== 'order') throw new Error('no order');
    const again = {
      outcomes: [{ ok: true, result: { type: 'order_reference', orderId: outcome.result.order.orderId } }],
      replayed: [true],
      isOfKey: true,
    };
    expect(await core.sequencer.submit(request)).toEqual(again);
    await restart();
    expect(await core.sequencer.submit(request)).toEqual(again);
    const other = { ...request, idempotency: { ...request.idempotency, key: 'twice' } };
    expect((await core.sequencer.submit(other)).outcomes.map(codeOf)).toEqual(['quote_already_accepted']);
  });

  it('that was refused can still be accepted', async () => {
    expect(await core.refusalOf(accept(floor.ann, 'qte_1'))).toBe('quote_stale');
    await core.place(offer(floor.bob, 40, 10));
    expect(await core.refusalOf(accept(floor.ann, 'qte_1'))).toBeUndefined();
  });

  it('is judged by the time of the command', async () => {
    await core.place(offer(floor.bob, 40, 10));
    expect(await core.refusalOf(accept(floor.ann, 'qte_1', { expiresAtMs: Date.now() }))).toBe(
      'quote_expired',
    );
  });

  it('leaves nothing where it is refused', async () => {
    await core.place(offer(floor.bob, 41, 10));
    const hash = core.stateHash();
    const outcomes = await core.submit([
      accept(floor.ann, 'qte_1'),
      accept(floor.ann, 'qte_2', { expiresAtMs: 0 }),
      accept(floor.bob, 'qte_3', { notionalBound: '10' }),
      accept(floor.ann, 'qte_4', { marketId: 'NONE' }),
      accept(999_999, 'qte_5'),
    ]);
    expect(outcomes.map(codeOf)).toEqual([
      'quote_stale',
      'quote_expired',
      'quote_stale',
      'market_not_found',
      'account_not_found',
    ]);
    expect(core.stateHash()).toBe(hash);
    expect(await bets()).toEqual([]);
    expect(await core.query(`SELECT 1 FROM command_keys WHERE owner = 'quote'`)).toEqual([]);
  });

  it('is replayed from the journal to the same state', async () => {
    await core.place(offer(floor.bob, 40, 100));
    for (const quoteId of ['qte_1', 'qte_2']) await core.place(accept(floor.ann, quoteId));
    await core.place(accept(floor.cat, 'qte_3', { feeRates: { maker: '0', taker: '0.05' } }));
    expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
  });
});

describe('the price of a quote', () => {
  let core: TestCore;
  let floor: Floor;
  onFreshFloor(
    (fresh) => void ({ core, floor } = fresh),
    () => core.stop(),
    { accountsInMemoryMax: 1 },
  );

  const terms = () =>
    ({ accountId: floor.ann, marketId: EVENT, side: 'buy', sizeLots: 10, feeRates: null }) as const;

  it('is that of the book after all that was sent before, and names both sequences', async () => {
    const before = Date.now();
    const sent = core.place(offer(floor.bob, 40, 10));
    const quoted = await core.sequencer.priceQuote(terms());
    const { order } = await sent;
    expect(quoted).toEqual({
      sizeLots: 10,
      notional: 4n * 10n ** 18n,
      fee: 8n * 10n ** 15n,
      limitPriceTicks: 40,
      bookSequence: order.bookSequence,
      sequence: order.orderId,
      timeMs: order.createdAtMs,
    });
    expect(order.createdAtMs).toBeGreaterThanOrEqual(before);
  });

  it('changes nothing, and nothing is written for it', async () => {
    await core.place(offer(floor.bob, 40, 10));
    const rows = () => core.query('SELECT count(*) FROM journal');
    const before = [core.stateHash(), await rows()];
    await core.sequencer.priceQuote({ ...terms(), feeRates: { maker: '0', taker: '0.5' } });
    expect(await core.sequencer.priceQuote({ ...terms(), sizeLots: 11 })).toMatchObject({
      code: 'insufficient_liquidity',
    });
    expect([core.stateHash(), await rows()]).toEqual(before);
  });

  it('knows accounts that are not in memory', async () => {
    await core.place(offer(floor.bob, 40, 10));
    expect(await core.sequencer.priceQuote({ ...terms(), accountId: floor.cat })).toMatchObject({
      sizeLots: 10,
    });
    expect(await core.sequencer.priceQuote({ ...terms(), accountId: 999_999 })).toMatchObject({
      code: 'account_not_found',
    });
  });
});

describe('quotes through CoreService', () => {
  let database: TestDatabase;
  let pool: Pool;
  let core: CoreService;
  let check: LedgerCheck;
  let floor: Floor;
  let dan: number;
  beforeEach(async () => {
    vi.spyOn(Logger.prototype, 'log').mockReturnValue(undefined);
    database = await createTestDatabase();
    const opening = await TestCore.start(database.url);
    floor = await openFloor(opening);
    dan = await openTrader(opening, 'dan');
    await opening.stop();
    pool = openPool(database.url);
    const metrics = new MetricsRegistry();
    const connection = await DatabaseConnection.open({ databaseUrl: database.url, dataDir: '' });
    core = new CoreService(connection, pool, metrics, { clock: new Clock() }, null);
    check = new LedgerCheck(core, pool, metrics);
    await core.onModuleInit();
  });
  afterEach(async () => {
    await core.beforeApplicationShutdown();
    vi.restoreAllMocks();
    await pool.end();
    await database.drop();
  });

  const count = async (table: string): Promise<number> => {
    await core.projected();
    const { rows } = await pool.query<{ count: string }>(`SELECT count(*) FROM ${table}`);
    return Number(rows[0]!.count);
  };
  const submit = async (accountId: number, quoteId: string, key: string): Promise<Outcome> => {
    const { outcomes } = await core.submit({
      commands: [accept(accountId, quoteId)],
      idempotency: { owner: 'user:ann', key, fingerprint: 'a' },
    });
    return outcomes[0]!;
  };

  it('make one bet of fifty acceptances of one quote that come together', async () => {
    await core.submit({ commands: [offer(floor.bob, 40, 1_000)] });
    const sent = Array.from({ length: 50 }, (_, index) => submit(floor.ann, 'qte_1', `key-${index}`));
    const codes = (await Promise.all(sent)).map(codeOf);
    expect(tally(codes)).toEqual({ ok: 1, quote_already_accepted: 49 });
    expect(await count('matched_bets')).toBe(1);
    expect(await count('trades')).toBe(1);
    expect(core.market(EVENT)!.openInterestLots).toBe(10);
    expect(await check.check()).toMatchObject({ balanced: true, problems: [] });
  });

  it('make one bet of fifty acceptances that come one batch after the other', async () => {
    await core.submit({ commands: [offer(floor.bob, 40, 1_000)] });
    const codes: string[] = [];
    for (let index = 0; index < 50; index++) codes.push(codeOf(await submit(floor.ann, 'qte_1', `${index}`)));
    expect(tally(codes)).toEqual({ ok: 1, quote_already_accepted: 49 });
    expect(await count('matched_bets')).toBe(1);
  });

  it('keep their price or change nothing while the book moves', async () => {
    const takers = [floor.ann, floor.cat, dan];
    const cancelAll: Command = { type: 'cancel_all_orders', accountId: floor.bob, marketId: EVENT };
    const moves = [offer(floor.bob, 40, 10), offer(floor.bob, 41, 10), cancelAll];
    const sent: Promise<Outcome>[] = [];
    for (let round = 0; round < 51; round++) {
      const move = core.submit({ commands: [moves[round % 3]!] });
      sent.push(...takers.map((taker) => submit(taker, `qte_${round}`, `${round} ${taker}`)));
      // Now and then a batch ends between two moves.
      if (round % 7 === 6) await move;
    }
    const outcomes = await Promise.all(sent);
    expect(tally(outcomes.map(codeOf))).toEqual({ ok: 17, quote_already_accepted: 34, quote_stale: 102 });
    for (const outcome of outcomes) {
      if (!outcome.ok || outcome.result.type !== 'order') continue;
      expect(outcome.result.order).toMatchObject({ status: 'filled', filledNotional: 4n * 10n ** 18n });
    }
    expect(await count('matched_bets')).toBe(17);
    expect(await count('trades')).toBe(17);
    expect(await check.check()).toMatchObject({ balanced: true, problems: [] });
  });
});
