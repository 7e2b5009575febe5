import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  EVENT,
  eventually,
  type Floor,
  limit,
  lockRows,
  openFloor,
  TestCore,
} from '../../../test/support/core.js';
import { CuttingProxy } from '../../../test/support/cutting-proxy.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { Term } from '../term/term.js';

/** A batch is prepared on the previous batch's result while that commits and may still fail. */
describe('two batches on their way', () => {
  let database: TestDatabase;
  let proxy: CuttingProxy;
  let core: TestCore;
  let floor: Floor;
  beforeEach(async () => {
    database = await createTestDatabase();
    proxy = await CuttingProxy.open(database.url);
    core = await TestCore.start(proxy.url);
    floor = await openFloor(core);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await core.stop();
    await proxy.close();
    await database.drop();
  });

  /**
   * Sends the first while commits must wait, the second while the first is being prepared, and the third while the
   * second is. `meet` is what becomes of the first commit, which goes on afterwards if it is still there.
   */
  const send = async (
    first: () => Promise<unknown>,
    second: () => Promise<unknown>,
    third: () => Promise<unknown>,
    meet: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<PromiseSettledResult<unknown>[]> => {
    const followers = [second, third];
    const sent: Promise<PromiseSettledResult<unknown>[]>[] = [];
    let prepared = 0;
    const prepare = Term.prototype.prepare;
    vi.spyOn(Term.prototype, 'prepare').mockImplementation(async function (this: Term, ...batch) {
      const follower = followers.shift();
      if (follower !== undefined) sent.push(Promise.allSettled([follower()]));
      const result = await prepare.apply(this, batch);
      prepared++;
      return result;
    });
    const held = await lockRows(database.url, 'SELECT 1 FROM core_leader FOR UPDATE');
    try {
      sent.push(Promise.allSettled([first()]));
      await eventually(() => prepared === 2, 'a second batch is prepared on the first');
      await meet();
      await held.release();
      return (await Promise.all(sent)).flat();
    } finally {
      await held.release();
    }
  };
  const resting = () => limit(floor.ann, 'sell', 100, 10, { clientOrderId: 'first' });
  const taking = () => limit(floor.bob, 'buy', 100, 4, { clientOrderId: 'second' });
  const sent = () =>
    core.query<{ client_order_id: string; order_id: string; filled_lots: string }>(
      'SELECT client_order_id, order_id, filled_lots FROM orders ORDER BY order_id',
    );

  const nothing = (): void => undefined;

  /** What happens before the first commit is sent, and what while it is on its way. */
  it.each([
    { what: 'succeed', before: nothing, meanwhile: undefined, isTermLost: false },
    {
      what: 'are both dropped where the first has failed, and run again in their order',
      before: nothing,
      meanwhile: () => core.cutWriter(),
      isTermLost: true,
    },
    {
      what: 'are told apart where the first has become durable without its answer arriving',
      before: () => {
        proxy.spoilNextCommit('lose the answer');
      },
      meanwhile: undefined,
      isTermLost: true,
    },
  ])('$what', async ({ before, meanwhile, isTermLost }) => {
    const told: number[] = [];
    core.sequencer.onCommitted(({ trades }) => told.push(...trades.map(({ tradeId }) => tradeId)));
    const { epoch } = core.sequencer.freshTerm();
    before();
    const [first, second, third] = await send(
      () => core.place(resting()),
      () =>
        Promise.all([
          core.submit([resting()]),
          core.place(taking()),
          core.sequencer.preview(limit(floor.cat, 'buy', 100, 10)),
        ]),
      () => core.place(limit(floor.cat, 'buy', 100, 1, { clientOrderId: 'third' })),
      meanwhile,
    );
    expect(core.sequencer.freshTerm().epoch > epoch).toBe(isTermLost);
    const orders = await sent();
    expect(orders.map(({ client_order_id, filled_lots }) => [client_order_id, filled_lots])).toEqual([
      ['first', '5'],
      ['second', '4'],
      ['third', '1'],
    ]);
    const [orderId] = orders.map(({ order_id }) => Number(order_id));
    expect(first).toMatchObject({ value: { order: { orderId, status: 'open' } } });
    expect(second).toMatchObject({
      value: [
        // The key of the first is known to the second, wherever the first has got to.
        [{ ok: true, result: { type: 'order_reference', orderId } }],
        { order: { status: 'filled' }, fills: [{ makerOrderId: orderId, sizeLots: 4 }] },
        { status: 'partially_filled', filledLots: 6 },
      ],
    });
    expect(third).toMatchObject({ value: { order: { status: 'filled' } } });
    const trades = await core.query<{ trade_id: string }>('SELECT trade_id FROM trades ORDER BY trade_id');
    expect(told).toEqual(trades.map(({ trade_id }) => Number(trade_id)));
    expect(told).toHaveLength(2);
    expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
  });

  it('leave nothing of a first that cannot be carried out, and no answer that stood on it', async () => {
    await core.query(
      `ALTER TABLE journal ADD CONSTRAINT poison
       CHECK (commands NOT LIKE '%poison%' OR commands NOT LIKE '%${EVENT}%') NOT VALID`,
    );
    const poison = limit(floor.ann, 'sell', 40, 10, { marketId: EVENT, clientOrderId: 'poison' });
    const [first, second, third] = await send(
      () => core.place(poison),
      () =>
        Promise.allSettled([
          core.sequencer.preview(limit(floor.bob, 'buy', 40, 10, { marketId: EVENT })),
          core.sequencer.priceQuote({
            accountId: floor.bob,
            marketId: EVENT,
            side: 'buy',
            sizeLots: 10,
            feeRates: null,
          }),
          // With other terms it would be refused if the key of the first were still known.
          core.submit([limit(floor.ann, 'buy', 90, 1, { clientOrderId: 'poison' })]),
          core.place(taking()),
        ]),
      () => core.place(resting()),
    );
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'internal_error' } });
    expect(second).toMatchObject({
      value: [{ value: { code: 'market_not_open' } }, { value: { code: 'market_not_open' } }, {}, {}],
    });
    expect(third).toMatchObject({ status: 'fulfilled' });
    const orders = await sent();
    expect(orders.map(({ client_order_id }) => client_order_id)).toEqual(['poison', 'second', 'first']);
    expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
  });
});
