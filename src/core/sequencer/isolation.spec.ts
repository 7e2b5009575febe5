import { describe, expect, it } from 'vitest';
import { EVENT, eventually, type Floor, limit, SPOT, TestCore } from '../../../test/support/core.js';
import type { TestDatabase } from '../../../test/support/database.js';
import { event } from '../../../test/support/domain/markets.js';
import { onFreshFloor } from '../../../test/support/fresh-floor.js';
import { Engine } from '../../domain/engine/engine.js';
import { InvariantError } from '../../domain/invariant.js';

/** Long enough to place an order that is to expire, also on a busy machine. */
const SOON_MS = 1_000;

/** SQL that tells whether a text stands in the effects of a commit, which keep it as it is. */
const hasWord = (word: string, effects = 'effects'): string =>
  `position(convert_to('${word}', 'UTF8') IN ${effects}) > 0`;

/** One request that the database or the engine cannot digest must not take others down with it. */
describe('a request that fails by itself', () => {
  let database: TestDatabase;
  let core: TestCore;
  let floor: Floor;
  onFreshFloor(
    (fresh) => void ({ database, core, floor } = fresh),
    () => core.stop(),
  );

  /** Undefined while the state is loaded again. */
  const marketStatus = (marketId: string) => core.sequencer.currentTerm?.view.market(marketId)!.status;
  const faults = () => [...core.sequencer.faults];
  const reopen = () =>
    core.run({ type: 'set_market_status', marketId: SPOT, status: 'open', settlementValue: null });

  /** Makes the database refuse commits whose effects have all of these words. */
  const refuseInDatabase = (...words: string[]) =>
    core.query(
      `ALTER TABLE journal ADD CONSTRAINT poison CHECK (NOT (${words.map((word) => hasWord(word)).join(' AND ')})) NOT VALID`,
    );
  const poison = limit(0, 'buy', 66_600, 1, { clientOrderId: 'poison' });

  it('fails alone: its neighbours in the batch succeed, its market halts and says why', async () => {
    await refuseInDatabase('poison');
    const results = await Promise.allSettled([
      core.place(limit(floor.ann, 'buy', 100, 1)),
      core.place({ ...poison, accountId: floor.bob }),
      core.place(limit(floor.cat, 'buy', 100, 1)),
      core.place(limit(floor.ann, 'buy', 50, 1, { marketId: EVENT })),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: { code: 'internal_error' } });
    // It came after the poison, and so it meets a market that has been halted.
    expect(results[2]).toMatchObject({
      reason: { message: expect.stringContaining('market_not_open') as string },
    });
    expect(marketStatus(SPOT)).toBe('halted');
    expect(marketStatus(EVENT)).toBe('open');
    expect(faults()).toEqual([[SPOT, expect.stringContaining('poison') as string]]);
    expect(await core.query(`SELECT 1 FROM orders WHERE client_order_id = 'poison'`)).toEqual([]);
    expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
  });

  it('is told again when it comes again after the market was reopened', async () => {
    await refuseInDatabase('poison');
    const send = () => core.place({ ...poison, accountId: floor.bob });
    for (let time = 0; time < 2; time++) {
      await expect(send()).rejects.toMatchObject({ code: 'internal_error' });
      await eventually(() => marketStatus(SPOT) === 'halted', 'the market halts');
      expect(faults()).toHaveLength(1);
      await reopen();
      expect(faults()).toEqual([]);
    }
    await core.query('ALTER TABLE journal DROP CONSTRAINT poison');
    await send();
  });

  it('halts the market of an order that cannot be cancelled', async () => {
    const { order } = await core.place(limit(floor.ann, 'buy', 100, 1));
    await refuseInDatabase('cancelled');
    const cancel = { type: 'cancel_order', accountId: floor.ann, orderId: order.orderId } as const;
    await expect(core.run(cancel)).rejects.toMatchObject({ code: 'internal_error' });
    await eventually(() => marketStatus(SPOT) === 'halted', 'the market halts');
    expect(core.sequencer.freshTerm().view.book(SPOT, 1)!.bids).toEqual([[100, 1, 1]]);
  });

  it('halts the market of an order list that cannot be cancelled', async () => {
    const sale = { ...limit(floor.ann, 'sell', 110, 1), feeRates: null };
    const list = await core.run({
      type: 'place_order_list',
      accountId: floor.ann,
      marketId: SPOT,
      clientListId: null,
      entry: null,
      exits: [sale, { ...sale, orderType: 'stop', priceTicks: null, stopPriceTicks: 90 }],
    });
    if (list.type !== 'order_list') throw new Error(`not ${list.type}`);
    await refuseInDatabase('cancelled');
    const cancel = { type: 'cancel_order_list', accountId: floor.ann, listId: list.listId } as const;
    await expect(core.run(cancel)).rejects.toMatchObject({ code: 'internal_error' });
    await eventually(() => marketStatus(SPOT) === 'halted', 'the market halts');
  });

  it('may as well be one on which the engine throws', async () => {
    const apply = Engine.prototype.apply;
    Engine.prototype.apply = function (this: Engine, command) {
      // Only after it has been applied: the state that is thrown away must really be ahead of the truth.
      const outcome = apply.call(this, command);
      if (command.type === 'place_order' && command.clientOrderId === 'poison')
        throw new Error('a fault of the engine');
      return outcome;
    };
    try {
      const results = await Promise.allSettled([
        core.place(limit(floor.ann, 'buy', 100, 1)),
        core.place({ ...poison, accountId: floor.bob }),
        core.place(limit(floor.ann, 'buy', 50, 1, { marketId: EVENT })),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      await eventually(() => marketStatus(SPOT) === 'halted', 'the market halts');
      expect(core.sequencer.freshTerm().view.book(SPOT, 5)!.bids).toEqual([[100, 1, 1]]);
      expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
    } finally {
      Engine.prototype.apply = apply;
    }
  });

  it('halts all markets of the event group whose sets it trades, where an invariant is violated', async () => {
    const groupId = 'WINNER';
    const marketIds = ['RED', 'GREEN'];
    for (const marketId of marketIds) await core.run(event({ marketId }));
    await core.run({ type: 'create_event_group', groupId, title: 'Who wins', marketIds });
    const sets = { groupId, accountId: floor.ann, sizeLots: 1 };
    await core.run({ type: 'split_event_group', ...sets });
    const apply = Engine.prototype.apply;
    // A contract that nobody has paid for: the check of the batch finds it.
    Engine.prototype.apply = function (this: Engine, command) {
      const outcome = apply.call(this, command);
      if (outcome.ok && command.type === 'merge_event_group') this.state.groups.get(groupId)!.setsLots++;
      return outcome;
    };
    try {
      await expect(core.run({ type: 'merge_event_group', ...sets })).rejects.toMatchObject({
        code: 'internal_error',
      });
    } finally {
      Engine.prototype.apply = apply;
    }
    for (const marketId of marketIds)
      await eventually(() => marketStatus(marketId) === 'halted', `${marketId} halts`);
    expect([marketStatus(SPOT), marketStatus(EVENT)]).toEqual(['open', 'open']);
    expect(faults().map(([marketId]) => marketId)).toEqual(marketIds);
    const causes = core.log.map(({ details }) => (details as { err?: Error }).err?.cause);
    expect(causes).toContainEqual(expect.any(InvariantError));
    expect(await core.refusalOf({ type: 'split_event_group', ...sets })).toBe('market_not_open');
    expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
  });

  describe('by what time calls for', () => {
    const statusOf = async (orderId: number): Promise<string> => {
      const [row] = await core.query<{ status: string }>('SELECT status FROM orders WHERE order_id = $1', [
        orderId,
      ]);
      return row!.status;
    };
    const expiring = (accountId: number, ticks: number, expiresAtMs: number, terms = {}) =>
      core.place(limit(accountId, 'buy', ticks, 1, { timeInForce: 'GTD', expiresAtMs, ...terms }));
    const whenEnded = (orderId: number, status = 'expired') =>
      eventually(async () => (await statusOf(orderId)) === status, `the order is ${status}`);

    it('halts its own market, and lets everything else expire', async () => {
      await refuseInDatabase('expired', SPOT);
      const dueAtMs = Date.now() + 2_000;
      const terms = { marketId: EVENT };
      const before = await Promise.all(
        Array.from({ length: 20 }, (_, i) => expiring(floor.ann, 10 + i, dueAtMs - 50, terms)),
      );
      const { order: poisoned } = await expiring(floor.ann, 100, dueAtMs);
      const after = await Promise.all(
        Array.from({ length: 20 }, (_, i) => expiring(floor.bob, 10 + i, dueAtMs + 50, terms)),
      );
      for (const { order } of [...before, ...after]) await whenEnded(order.orderId);
      expect(await statusOf(poisoned.orderId)).toBe('open');
      await eventually(() => marketStatus(SPOT) === 'halted', 'the market halts');
      expect(marketStatus(EVENT)).toBe('open');
      expect(faults()).toEqual([[SPOT, expect.stringContaining('fallen due') as string]]);

      // Also in terms to come.
      const { order: later } = await expiring(floor.cat, 10, Date.now() + SOON_MS, terms);
      await core.cutWriter();
      await whenEnded(later.orderId);
      expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });

      await core.query('ALTER TABLE journal DROP CONSTRAINT poison');
      await reopen();
      await whenEnded(poisoned.orderId);
      expect(faults()).toEqual([]);
      expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
    });

    it('leaves alone what was cancelled before its market opens again', async () => {
      await refuseInDatabase('expired');
      const { order } = await expiring(floor.ann, 100, Date.now() + SOON_MS);
      await eventually(() => marketStatus(SPOT) === 'halted', 'the market halts');
      await core.run({ type: 'cancel_order', accountId: floor.ann, orderId: order.orderId });
      await core.query('ALTER TABLE journal DROP CONSTRAINT poison');
      await reopen();
      await core.place(limit(floor.ann, 'buy', 1, 1));
      expect(await statusOf(order.orderId)).toBe('cancelled');
      expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
    });

    it('is found out again by a process that starts anew', async () => {
      await refuseInDatabase('expired');
      await expiring(floor.ann, 100, Date.now() + SOON_MS);
      await eventually(() => marketStatus(SPOT) === 'halted', 'the market halts');
      await core.stop();
      core = await TestCore.start(database.url);
      await eventually(() => faults().length === 1, 'the fault is told');
      const { order } = await expiring(floor.bob, 10, Date.now() + SOON_MS, { marketId: EVENT });
      // The failed command stays undone; requests of others are unaffected.
      await core.query(`ALTER TABLE journal DROP CONSTRAINT poison`);
      await whenEnded(order.orderId);
      expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
    });

    it('may come in the very batch of innocent requests', async () => {
      await refuseInDatabase('expired');
      const expiresAtMs = Date.now() + SOON_MS;
      await expiring(floor.ann, 100, expiresAtMs);
      // Orders without a pause, so that the time comes while one of them is on its way.
      let placed = 0;
      while (Date.now() < expiresAtMs + 600) {
        await core.place(limit(floor.bob, 'buy', 1 + (placed % 50), 1, { marketId: EVENT }));
        placed++;
      }
      expect(marketStatus(EVENT)).toBe('open');
      expect(placed).toBeGreaterThan(3);
      expect(await core.verify()).toMatchObject({ ok: true });
    });
  });
});

/** A fault of the server is not blamed on any request. */
describe('a server that refuses', () => {
  let core: TestCore;
  let floor: Floor;
  onFreshFloor(
    (fresh) => void ({ core, floor } = fresh),
    () => core.stop(),
  );

  const refuseWith = (code: string, condition = 'true') =>
    core.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF ${condition} THEN RAISE EXCEPTION 'the server is unwell' USING ERRCODE = '${code}'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON journal FOR EACH ROW EXECUTE FUNCTION refuse();`);
  const mend = () => core.query('DROP TRIGGER refuse ON journal; DROP FUNCTION refuse()');
  const order = () => core.place(limit(floor.ann, 'buy', 100, 1));
  const statuses = () =>
    core.sequencer
      .freshTerm()
      .view.markets()
      .map(({ status }) => status);

  // 53100 is what a full disk says.
  it.each(['XX001', '42501', '53100', '54000', 'P0001'])(
    'with %s costs requests a 503, and no market its trade',
    async (code) => {
      await refuseWith(code);
      const results = await Promise.allSettled([order(), order(), order()]);
      for (const result of results)
        expect(result).toMatchObject({ status: 'rejected', reason: { code: 'temporarily_unavailable' } });
      expect([...core.sequencer.faults]).toEqual([]);
      await mend();
      await order();
      expect(statuses()).toEqual(['open', 'open']);
      expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
    },
  );

  it('for a moment only is tried again, and nobody notices', async () => {
    await refuseWith('XX000');
    const placing = order();
    await eventually(() => core.log.some(({ level }) => level === 'error'), 'the batch fails once');
    await mend();
    expect((await placing).order.status).toBe('open');
  });

  it('what is due keeps no request from its turn', async () => {
    await refuseWith('XX000', hasWord('expired', 'NEW.effects'));
    const expiresAtMs = Date.now() + SOON_MS;
    await core.place(limit(floor.ann, 'buy', 100, 1, { timeInForce: 'GTD', expiresAtMs }));
    await eventually(() => core.log.some(({ level }) => level === 'error'), 'the batch fails');
    for (let placed = 0; placed < 5; placed++) await order();
    expect([...core.sequencer.faults]).toEqual([]);
    expect(statuses()).toEqual(['open', 'open']);
  });
});
