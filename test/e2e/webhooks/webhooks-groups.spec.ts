import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CoreService } from '../../../src/core/core.service.js';
import { OrderAnnouncer } from '../../../src/modules/markets/webhook-events/order-announcer.js';
import { type TestApp } from '../../support/app.js';
import { lockProjection } from '../../support/core.js';
import { readOpenApi, schemaChecker } from '../../support/openapi.js';
import { approvedKyc, submitKyc } from '../../support/clients/kyc-client.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { createMarket, limit } from '../../support/clients/markets-client.js';
import { addIban, closeBatch, payOut, startBank } from '../../support/clients/payouts-client.js';
import { type Arrival, verified, WebhookReceiver } from '../../support/webhook-receiver.js';

const WAIT = { timeout: 30_000, interval: 20 } as const;

/** A webhook, and the events it received. */
class Listener {
  private readonly seen = new Map<Arrival, Json>();

  private constructor(
    private readonly receiver: WebhookReceiver,
    private readonly path: string,
    private readonly secret: string,
  ) {}

  static async of(owner: Caller, receiver: WebhookReceiver, ...eventTypes: string[]): Promise<Listener> {
    const path = `/${crypto.randomUUID()}`;
    const reply = await owner.post('/news/webhooks', { url: receiver.url(path), event_types: eventTypes });
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
    return new Listener(receiver, path, reply.body.secret as string);
  }

  /** All events, verified, in the order of their occurrence. */
  get events(): Json[] {
    for (const arrival of this.receiver.at(this.path)) {
      if (!this.seen.has(arrival)) this.seen.set(arrival, verified(arrival, this.secret));
    }
    return [...this.seen.values()].sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
  }

  /** Waits for exactly these event types, in any order; each as often as listed. */
  hears(...types: string[]): Promise<Json[]> {
    return vi.waitFor(() => {
      const { events } = this;
      expect(events.map(({ type }) => type as string).sort()).toEqual([...types].sort());
      return events;
    }, WAIT);
  }

  of(type: string): Json[] {
    return this.events.filter((event) => event.type === type).map(({ data }) => data);
  }
}

describe('webhooks of the groups', () => {
  let service: TestApp;
  let receiver: WebhookReceiver;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  beforeAll(async () => {
    service = await startBank({}, 'fatal', { webhookAllowPrivate: true });
    receiver = await WebhookReceiver.start();
    [demo, maker, operator] = await Promise.all([
      callerFor(service.url, 'demo'),
      callerFor(service.url, 'maker'),
      callerFor(service.url, 'admin'),
    ]);
  });
  afterAll(async () => {
    await service.close();
    await receiver.close();
  });

  describe('orders and fills', () => {
    const ORDERS = [
      'order.accepted',
      'order.updated',
      'order.filled',
      'order.cancelled',
      'order.expired',
      'order.rejected',
      'fill.created',
    ];

    it('are told to the owner of each, from the moment of registration on', async () => {
      const market = await createMarket(operator, 'HOOK-USD');
      const earlier = await demo.place(limit(market, 'buy', '100', '1'));
      const [ofDemo, ofMaker] = await Promise.all([
        Listener.of(demo, receiver, ...ORDERS),
        Listener.of(maker, receiver, ...ORDERS),
      ]);
      const resting = await demo.place(limit(market, 'buy', '101', '2'));
      await ofDemo.hears('order.accepted');
      await maker.place(limit(market, 'sell', '101', '1'));
      await ofDemo.hears('order.accepted', 'order.updated', 'fill.created');
      const taker = await maker.place(limit(market, 'sell', '100', '2'));
      await ofDemo.hears(
        ...['order.accepted', 'order.updated', 'order.filled', 'order.filled'],
        ...['fill.created', 'fill.created', 'fill.created'],
      );
      await ofMaker.hears(
        ...['order.filled', 'order.filled'],
        ...['fill.created', 'fill.created', 'fill.created'],
      );

      expect(
        ofDemo
          .of('order.filled')
          .map(({ order_id }) => order_id as string)
          .sort(),
      ).toEqual([earlier.order_id, resting.order_id].sort());
      const [filled] = ofMaker.of('order.filled').filter(({ order_id }) => order_id === taker.order_id);
      const { fills, ...read } = (await maker.get(`/orders/${taker.order_id}`)).body;
      expect(filled).toEqual(read);
      const told = ofMaker.of('fill.created').filter(({ order_id }) => order_id === taker.order_id);
      expect(told.sort((a, b) => (a.fill_id < b.fill_id ? -1 : 1))).toEqual(fills);
    });

    it('are told of every end that an order may come to', async () => {
      const market = await createMarket(operator, 'ENDS-USD');
      const listener = await Listener.of(demo, receiver, 'order.cancelled', 'order.expired');
      const { order_id } = await demo.place(limit(market, 'buy', '100', '1'));
      await demo.delete(`/orders/${order_id}`);
      await demo.place(limit(market, 'buy', '100', '1', { time_in_force: 'IOC' }));
      const expires_at = new Date(Date.now() + 1_000).toISOString();
      await demo.place(limit(market, 'buy', '100', '1', { time_in_force: 'GTD', expires_at }));
      await demo.place(limit(market, 'buy', '100', '1'));
      await listener.hears('order.cancelled', 'order.cancelled', 'order.expired');
      // No command names this order.
      await operator.patch(`/admin/markets/${market}`, { status: 'closed' });
      await listener.hears(...['order.cancelled', 'order.cancelled', 'order.cancelled'], 'order.expired');
    });

    it('are told of what is committed while the tables are waited for', async () => {
      const market = await createMarket(operator, 'LATE-USD');
      const listener = await Listener.of(demo, receiver, 'order.accepted');
      const announcer = service.app.nest.get(OrderAnnouncer);
      const core = service.app.nest.get(CoreService);
      const placed: string[] = [];
      const place = async (): Promise<void> => {
        const { order_id } = await demo.place(limit(market, 'buy', '100', '1'));
        placed.push(order_id);
      };
      await place();
      await listener.hears('order.accepted');
      let heldUp: { release(): Promise<void> } | undefined;
      // Its waiting for the tables, and nobody else's, returns before the third order is in them.
      const projected = async (): Promise<void> => {
        Reflect.set(announcer, 'core', core);
        await core.projected();
        heldUp = await lockProjection(service.config.databaseUrl!);
        await place();
      };
      Reflect.set(announcer, 'core', Object.create(core, { projected: { value: projected } }));
      await place();
      await listener.hears('order.accepted', 'order.accepted');
      await heldUp!.release();
      await listener.hears('order.accepted', 'order.accepted', 'order.accepted');
      expect(listener.of('order.accepted').map(({ order_id }) => order_id)).toEqual(placed);
    });

    it('are told once each, however many there are at once', async () => {
      const market = await createMarket(operator, 'MANY-USD');
      const listener = await Listener.of(demo, receiver, 'order.filled', 'fill.created');
      const orders = Array.from({ length: 100 }, () => limit(market, 'buy', '100', '1'));
      for (let round = 0; round < 3; round++) {
        const [{ body }, sold] = await Promise.all([
          demo.post('/orders/batch', { orders }),
          maker.post('/orders', limit(market, 'sell', '100', '100')),
        ]);
        expect(body.results).toHaveLength(100);
        expect(sold.status).toBe(201);
      }
      await vi.waitFor(() => expect(listener.of('fill.created').length).toBeGreaterThanOrEqual(300), WAIT);
      const filled = await demo.walk(`/orders?market_id=${market}&status=filled`, 200);
      await vi.waitFor(() => expect(listener.of('order.filled')).toHaveLength(filled.length), WAIT);
      expect(new Set(listener.of('order.filled').map(({ order_id }) => order_id)).size).toBe(filled.length);
      const fills = await demo.walk(`/markets/${market}/fills`, 200);
      expect(new Set(listener.of('fill.created').map(({ fill_id }) => fill_id))).toEqual(
        new Set(fills.map(({ fill_id }) => fill_id)),
      );
      expect(listener.of('fill.created')).toHaveLength(fills.length);
    });
  });

  it('tell both ends of a transfer, each what it sees', async () => {
    const [ofDemo, ofMaker] = await Promise.all([
      Listener.of(demo, receiver, 'transfer.completed'),
      Listener.of(maker, receiver, 'transfer.completed'),
    ]);
    const { wallet_id: own } = (await demo.post('/wallets', { name: 'Own' })).body;
    const { wallet_id: foreign } = (await maker.post('/wallets', { name: 'Foreign' })).body;
    const send = async (path: string, amount: string, wallet_id: string): Promise<Json> =>
      (
        await demo.post(path, {
          asset: 'USD',
          amount,
          destination: { type: 'wallet', wallet_id },
          client_transfer_id: `to-${wallet_id}`,
        })
      ).body;
    await send('/accounts/me/transfers', '100', own);
    const [, into] = await ofDemo.hears('transfer.completed', 'transfer.completed');
    expect(
      ofDemo
        .of('transfer.completed')
        .map(({ direction }) => direction as string)
        .sort(),
    ).toEqual(['in', 'out']);
    expect(into!.data).toMatchObject({ asset: 'USD', amount: '100', status: 'completed' });

    const sent = await send(`/wallets/${own}/transfers`, '30', foreign);
    const [arrived] = await ofMaker.hears('transfer.completed');
    const { states: _states, ...read } = (
      await maker.get(`/wallets/${foreign}/transfers/${sent.transfer_id}`)
    ).body;
    expect(arrived!.data).toEqual(read);
    // The sender's id is not shown to the receiver.
    expect(arrived!.data).toMatchObject({ direction: 'in', client_transfer_id: null });
    await vi.waitFor(() => expect(ofDemo.of('transfer.completed')).toContainEqual(sent), WAIT);
    // A refused transfer leaves no trace.
    expect(
      (
        await demo.post(`/wallets/${own}/transfers`, {
          asset: 'USD',
          amount: '1000000',
          destination: { type: 'wallet', wallet_id: foreign },
        })
      ).status,
    ).toBe(422);
    await ofMaker.hears('transfer.completed');
  });

  it('tell of KYC cases, but not of what they pass through at once', async () => {
    const listener = await Listener.of(
      maker,
      receiver,
      ...['kyc.pending', 'kyc.in_review', 'kyc.approved', 'kyc.rejected', 'kyc.expired'],
    );
    const { kyc_id } = await submitKyc(maker);
    const [first] = await listener.hears('kyc.in_review');
    expect(first!.data).toEqual((await maker.get(`/kyc/${kyc_id}`)).body);
    await operator.post(`/admin/kyc/${kyc_id}/decision`, { decision: 'approved', reason: 'All is well.' });
    const [, approved] = await listener.hears('kyc.in_review', 'kyc.approved');
    expect(approved!.data).toEqual((await maker.get(`/kyc/${kyc_id}`)).body);
  });

  it('tell of payouts, status by status', async () => {
    await approvedKyc(demo, operator);
    const [ofDemo, ofMaker] = await Promise.all(
      [demo, maker].map((owner) =>
        Listener.of(
          owner,
          receiver,
          ...['payout.pending', 'payout.processing', 'payout.in_transit', 'payout.paid', 'payout.cancelled'],
        ),
      ),
    );
    const account = await addIban(demo);
    const cancelled = await payOut(demo, account, '3');
    const paid = await payOut(demo, account, '2');
    await demo.delete(`/payouts/${cancelled.payout_id}`);
    await closeBatch(operator, 'sepa');
    await operator.post(`/admin/payouts/${paid.payout_id}/report`, { status: 'paid' });
    const events = await ofDemo!.hears(
      ...['payout.pending', 'payout.cancelled'],
      ...['payout.pending', 'payout.processing', 'payout.paid'],
    );
    for (const { type, data } of events) expect(type).toBe(`payout.${data.status}`);
    expect(ofDemo!.of('payout.pending')).toEqual(expect.arrayContaining([cancelled, paid]));
    expect(ofDemo!.of('payout.paid')).toEqual([(await demo.get(`/payouts/${paid.payout_id}`)).body]);
    expect(ofMaker!.events).toEqual([]);
  });

  it('tell of messages in the rooms that one is in, from then on', async () => {
    const [ofDemo, ofMaker] = await Promise.all([
      Listener.of(demo, receiver, 'message.new'),
      Listener.of(maker, receiver, 'message.new'),
    ]);
    const { room_id: room } = (await demo.post('/chat/rooms', { name: 'Hooks', type: 'public' })).body;
    const say = async (who: Caller, text: string): Promise<Json> => {
      const reply = await who.post(`/chat/rooms/${room}/messages`, { text });
      expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
      return reply.body;
    };
    const first = await say(demo, 'Is anybody there?');
    await ofDemo.hears('message.new');
    expect(ofDemo.of('message.new')).toEqual([first]);
    await maker.post(`/chat/rooms/${room}/members`, {});
    const second = await say(maker, 'I am');
    await ofDemo.hears('message.new', 'message.new');
    await ofMaker.hears('message.new');
    expect(ofMaker.of('message.new')).toEqual([second]);

    await demo.patch(`/chat/rooms/${room}/members/client:demo`, { notifications_muted: true });
    const third = await say(maker, 'You hear nothing of this');
    await ofMaker.hears('message.new', 'message.new');
    await demo.patch(`/chat/rooms/${room}/members/client:demo`, { notifications_muted: false });
    await maker.delete(`/chat/rooms/${room}/members/client:maker`);
    const fourth = await say(demo, 'Nor you of this');
    await ofDemo.hears('message.new', 'message.new', 'message.new');
    expect(ofDemo.of('message.new')).toEqual([first, second, fourth]);
    expect(ofMaker.of('message.new')).toEqual([second, third]);
  });

  it('have the shape that the document gives them', async () => {
    const document = await readOpenApi();
    const complaintAbout = schemaChecker(document);
    const events = receiver.arrivals.map(({ event }) => event);
    const types = new Set(events.map(({ type }) => type as string));
    expect(types.size).toBeGreaterThan(12);
    for (const type of types) {
      const ofType = events.filter((event) => event.type === type);
      const { schema } = document.webhooks[type]!.post.requestBody!.content['application/json']!;
      expect(complaintAbout({ type: 'array', items: schema }, ofType), type).toBeUndefined();
    }
  });
});
