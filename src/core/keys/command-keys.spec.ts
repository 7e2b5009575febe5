import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deposit, type Floor, limit, openFloor, TestCore } from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import type { Outcome } from '../../domain/engine/commands.js';

describe('repeats', () => {
  let database: TestDatabase;
  let core: TestCore;
  let floor: Floor;
  beforeAll(async () => {
    database = await createTestDatabase();
    core = await TestCore.start(database.url);
    floor = await openFloor(core);
  });
  afterAll(async () => {
    await core.stop();
    await database.drop();
  });

  const restart = async (): Promise<void> => {
    await core.stop();
    core = await TestCore.start(database.url);
  };
  const keyed = (key: string, fingerprint = 'a', owner = 'client:demo') => ({ owner, key, fingerprint });
  const orderIdOf = (outcome: Outcome | undefined): number => {
    if (outcome?.ok !== true) throw new Error('the order was refused');
    if (outcome.result.type === 'order') return outcome.result.order.orderId;
    if (outcome.result.type === 'order_reference') return outcome.result.orderId;
    throw new Error(`the answer is ${outcome.result.type}`);
  };
  const ordersCalled = (clientOrderId: string) =>
    core.query('SELECT 1 FROM orders WHERE client_order_id = $1', [clientOrderId]);

  describe('by Idempotency-Key', () => {
    it('answers a repeat with what it gave before, also after a restart, and does nothing', async () => {
      const request = { commands: [deposit(floor.ann, 'USD', '5')], idempotency: keyed('one') };
      const first = await core.sequencer.submit(request);
      const before = core.sequencer.freshTerm().sequence;
      const second = await core.sequencer.submit(request);
      expect(second).toMatchObject({ outcomes: first.outcomes, replayed: [true] });
      await restart();
      expect(await core.sequencer.submit(request)).toEqual(second);
      expect(core.sequencer.freshTerm().sequence).toBe(before);
    });

    it('refuses the same key with another body', async () => {
      await core.submit([deposit(floor.ann, 'USD', '5')], keyed('two', 'a'));
      const [outcome] = await core.submit([deposit(floor.ann, 'USD', '6')], keyed('two', 'b'));
      expect(outcome).toMatchObject({ ok: false, refusal: { code: 'idempotency_key_reused' } });
    });

    it('knows one key for each owner', async () => {
      await core.submit([deposit(floor.ann, 'USD', '5')], keyed('three'));
      const answer = await core.sequencer.submit({
        commands: [deposit(floor.ann, 'USD', '5')],
        idempotency: keyed('three', 'b', 'client:maker'),
      });
      expect(answer).toMatchObject({ outcomes: [{ ok: true }], replayed: [false] });
    });

    it('runs a request once although it comes several times in one batch', async () => {
      const request = { commands: [deposit(floor.ann, 'USD', '7')], idempotency: keyed('four') };
      const answers = await Promise.all([1, 2, 3].map(() => core.sequencer.submit(request)));
      expect(answers.map(({ replayed }) => replayed[0])).toEqual([false, true, true]);
      expect(new Set(answers.map(({ outcomes }) => JSON.stringify(outcomes))).size).toBe(1);
    });

    it('keeps no refusals: the same key may succeed later', async () => {
      const poor = await core.run({
        type: 'create_account',
        kind: 'trading',
        name: 'poor',
        owner: 'user:poor',
      });
      if (poor.type !== 'account') throw new Error('no account');
      const command = {
        ...deposit(floor.bob, 'USD', '9'),
        debit: { accountId: poor.accountId },
        reason: 'transfer' as const,
      };
      const [refused] = await core.submit([command], keyed('five'));
      expect(refused).toMatchObject({ ok: false, refusal: { code: 'insufficient_funds' } });
      await core.run(deposit(poor.accountId, 'USD', '9'));
      const [accepted] = await core.submit([command], keyed('five'));
      expect(accepted).toMatchObject({ ok: true });
    });

    it('forgets a key after 24 hours', async () => {
      const request = { commands: [deposit(floor.ann, 'USD', '5')], idempotency: keyed('six') };
      await core.sequencer.submit(request);
      const [key] = await core.query<{ hours: number }>(
        `SELECT extract(epoch FROM expires_at - created_at)::float8 / 3600 AS hours FROM command_keys WHERE key = 'six'`,
      );
      expect(key!.hours).toBe(24);
      await core.query(`UPDATE command_keys SET expires_at = clock_timestamp() WHERE key = 'six'`);
      expect(await core.sequencer.submit(request)).toMatchObject({ replayed: [false] });
      expect(await core.sequencer.submit(request)).toMatchObject({ replayed: [true] });
    });

    it('keeps the keys that modules derive for good', async () => {
      await core.submit([deposit(floor.ann, 'USD', '5')], { ...keyed('seven'), keptForGood: true });
      expect(await core.query(`SELECT expires_at FROM command_keys WHERE key = 'seven'`)).toEqual([
        { expires_at: null },
      ]);
    });

    it('takes a batch of orders as one unit', async () => {
      const commands = [
        limit(floor.ann, 'buy', 100, 1),
        limit(floor.ann, 'buy', 100, 0),
        limit(floor.ann, 'buy', 101, 1),
      ];
      const first = await core.sequencer.submit({ commands, idempotency: keyed('eight') });
      const second = await core.sequencer.submit({ commands, idempotency: keyed('eight') });
      expect(second.replayed).toEqual([true, true, true]);
      expect(orderIdOf(second.outcomes[0])).toBe(orderIdOf(first.outcomes[0]));
      expect(second.outcomes[1]).toEqual(first.outcomes[1]);
      expect(orderIdOf(second.outcomes[2])).toBe(orderIdOf(first.outcomes[2]));
    });
  });

  describe('by client_order_id', () => {
    it('finds an order that was filled long ago, also after a restart', async () => {
      const order = limit(floor.ann, 'buy', 5_000, 10, { clientOrderId: 'filled' });
      const { orderId } = (await core.place(order)).order;
      await core.place(limit(floor.bob, 'sell', 5_000, 10));
      expect(orderIdOf((await core.submit([order]))[0])).toBe(orderId);
      await restart();
      expect(orderIdOf((await core.submit([order]))[0])).toBe(orderId);
      expect(await ordersCalled('filled')).toHaveLength(1);
    });

    it('refuses other terms under the same id', async () => {
      await core.place(limit(floor.ann, 'buy', 100, 10, { clientOrderId: 'terms' }));
      for (const other of [
        { priceTicks: 101 },
        { sizeLots: 11 },
        { postOnly: true },
        { side: 'sell' as const },
      ]) {
        const command = { ...limit(floor.ann, 'buy', 100, 10, { clientOrderId: 'terms' }), ...other };
        expect(await core.refusalOf(command)).toBe('duplicate_client_order_id');
      }
      expect(await ordersCalled('terms')).toHaveLength(1);
    });

    it('calls the same terms the same whatever a fee policy says now', async () => {
      const order = limit(floor.ann, 'buy', 100, 10, { clientOrderId: 'fees' });
      const { orderId } = (await core.place(order)).order;
      const again = { ...order, feeRates: { maker: '0', taker: '0' } };
      expect(orderIdOf((await core.submit([again]))[0])).toBe(orderId);
    });

    it('makes one order of many in one batch, across and within requests', async () => {
      const order = limit(floor.ann, 'buy', 100, 10, { clientOrderId: 'crowd' });
      const answers = await Promise.all([
        core.submit([order]),
        core.submit([order, order]),
        core.submit([{ ...order, sizeLots: 11 }]),
      ]);
      const ids = [...answers[0], ...answers[1]].map(orderIdOf);
      expect(new Set(ids).size).toBe(1);
      expect(answers[2]).toMatchObject([{ ok: false, refusal: { code: 'duplicate_client_order_id' } }]);
      expect(await ordersCalled('crowd')).toHaveLength(1);
    });

    it('is each account’s own, and free again after a refusal', async () => {
      const order = limit(floor.ann, 'buy', 100, 10, { clientOrderId: 'mine' });
      await core.place(order);
      await core.place({ ...order, accountId: floor.bob });
      const tooLarge = limit(floor.ann, 'buy', 90_000_000, 10_000_000, { clientOrderId: 'free' });
      expect(await core.refusalOf(tooLarge)).toBe('insufficient_funds');
      await core.place(limit(floor.ann, 'buy', 100, 1, { clientOrderId: 'free' }));
    });
  });
});
