import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FixListener } from '../../../plugins/fix/connection/fix-listener.js';
import FixPlugin from '../../../plugins/fix/index.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { callerFor } from '../../support/caller.js';
import { fund, newUser } from '../../support/clients/accounts-client.js';
import { fixKeyOf } from '../../support/clients/fix-client.js';
import { engineAt, type EngineSession, MsgType } from '../../support/clients/jspurefix-client.js';
import { limit } from '../../support/clients/markets-client.js';

describe('jspurefix, unmodified', () => {
  let app: TestApp;
  let session: EngineSession;
  let ended: Promise<unknown>;

  beforeAll(async () => {
    app = await startTestApp({ plugins: [FixPlugin], environment: { FIX_PORT: '0' } });
    const trader = await newUser(app, 'engine');
    await fund(app, (await trader.get('/accounts')).body.data[0].account_id, '1000000');
    const { port } = app.app.nest.get(FixListener, { strict: false });
    ({ session, ended } = await engineAt(port!, 'ENGINE', await fixKeyOf(trader)));
  });
  afterAll(async () => {
    await app.close();
  });

  const order = (clOrdId: string, price: number): Record<string, unknown> => ({
    ClOrdID: clOrdId,
    Instrument: { Symbol: 'BTC-USD' },
    Side: '1',
    TransactTime: new Date(),
    OrderQtyData: { OrderQty: 0.5 },
    OrdType: '2',
    Price: price,
    TimeInForce: '1',
  });

  it('places, replaces and cancels an order, and reads its reports', async () => {
    const maker = await callerFor(app.url, 'maker');
    session.send(MsgType.NewOrderSingle, order('first', 60_000));
    const placed = await session.expect('8', { ClOrdID: 'first', ExecType: '0' });
    expect(placed).toMatchObject({ OrdStatus: '0', LeavesQty: 0.5, Instrument: { Symbol: 'BTC-USD' } });
    await maker.place(limit('BTC-USD', 'sell', '60000', '0.2'));
    expect(await session.expect('8', { ClOrdID: 'first', ExecType: 'F' })).toMatchObject({
      LastQty: 0.2,
      LastPx: 60_000,
      CumQty: 0.2,
      AvgPx: 60_000,
    });
    session.send(MsgType.OrderCancelReplaceRequest, { ...order('second', 61_000), OrigClOrdID: 'first' });
    expect(await session.expect('8', { ClOrdID: 'second', ExecType: '5' })).toMatchObject({
      OrigClOrdID: 'first',
      LeavesQty: 0.3,
      Price: 61_000,
    });
    session.send(MsgType.OrderCancelRequest, { ...order('third', 0), OrigClOrdID: 'second' });
    await session.expect('8', { ClOrdID: 'third', ExecType: '4' });
    session.send(MsgType.OrderCancelRequest, { ...order('fourth', 0), OrigClOrdID: 'second' });
    await session.expect('9', { ClOrdID: 'fourth', CxlRejReason: 0 });
  });

  it('reads a book, and logs out', async () => {
    session.send(MsgType.MarketDataRequest, {
      MDReqID: 'book',
      SubscriptionRequestType: '0',
      MarketDepth: 0,
      MDReqGrp: { NoMDEntryTypes: [{ MDEntryType: '0' }, { MDEntryType: '1' }] },
      InstrmtMDReqGrp: { NoRelatedSym: [{ Instrument: { Symbol: 'BTC-USD' } }] },
    });
    await session.expect('W', { MDReqID: 'book' });
    session.done();
    await ended;
    expect(session.hasStopped).toBe(true);
  });
});
