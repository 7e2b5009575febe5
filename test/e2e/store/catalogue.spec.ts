import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { queryOnce } from '../../support/core.js';

const INT32_MAX = 2 ** 31 - 1;

describe('the store, with pets from a catalogue', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  beforeAll(async () => {
    app = await startTestApp();
    [demo, maker, operator] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
    ]);
  });
  afterAll(() => app.close());

  const query = (text: string, values: unknown[] = []): Promise<Json[]> =>
    queryOnce<Json>(app.config.databaseUrl!, text, values);
  const newPet = async (status = 'available'): Promise<number> => {
    const [pet] = await query(
      `INSERT INTO pets (pet_id, name, status) VALUES (nextval('pets_pet_id_seq'), 'Kit', $1) RETURNING pet_id`,
      [status],
    );
    return Number(pet.pet_id);
  };
  const statusOf = async (petId: number): Promise<string> =>
    (await query('SELECT status FROM pets WHERE pet_id = $1', [petId]))[0].status;
  const place = async (order: Json, caller = demo): Promise<Json> => {
    const reply = await caller.post('/store/order', order);
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
    return reply.body;
  };

  it('takes any quantity of a pet, from anybody, and leaves it as it is', async () => {
    const petId = await newPet();
    for (const [quantity, stored] of [
      [undefined, 1],
      [0, 1],
      [1, 1],
      [7, 7],
      [INT32_MAX, INT32_MAX],
    ]) {
      const order = await place({ petId, quantity });
      expect(order.quantity).toBe(stored);
      expect((await demo.get(`/store/order/${order.id}`)).body).toEqual(order);
    }
    await place({ petId, quantity: 2, status: 'delivered' }, maker);
    await place({ petId, quantity: 2, complete: true }, maker);
    expect(await statusOf(petId)).toBe('available');
  });

  it('leaves the pet alone when an order is advanced or deleted', async () => {
    const petId = await newPet();
    const [first, second] = [await place({ petId, quantity: 3 }), await place({ petId })];
    const advanced = await operator.patch(`/admin/store/orders/${first.id}`, { status: 'delivered' });
    expect(advanced.body).toMatchObject({ status: 'delivered', quantity: 3 });
    expect((await demo.delete(`/store/order/${second.id}`)).status).toBe(200);
    expect(await statusOf(petId)).toBe('available');
  });

  it('takes many orders at once', async () => {
    const petId = await newPet();
    const orders = await Promise.all(Array.from({ length: 20 }, (_, i) => place({ petId, quantity: i + 1 })));
    expect(new Set(orders.map(({ id }) => id)).size).toBe(20);
  });

  it.each(['pending', 'sold'])('takes no pet that is %s', async (status) => {
    const reply = await demo.post('/store/order', { petId: await newPet(status), quantity: 2 });
    expect([reply.status, reply.body.error.code]).toEqual([409, 'conflict']);
  });

  it.each([-1, 2 ** 31, 1.5, '7', [7]])('refuses the quantity %j', async (quantity) => {
    const reply = await demo.post('/store/order', { petId: await newPet(), quantity });
    expect([reply.status, reply.body.error.code]).toEqual([400, 'validation_failed']);
  });

  it('goes on to keep the pets of orders that were placed while they were unique', async () => {
    const petId = await newPet('pending');
    const [kept] = await query(
      `INSERT INTO purchase_orders (order_id, owner, pet_id, status, complete, keeps_pet)
       SELECT nextval('purchase_orders_order_id_seq'), owner, $1, 'placed', false, true
       FROM purchase_orders ORDER BY order_id LIMIT 1 RETURNING order_id`,
      [petId],
    );
    expect((await demo.delete(`/store/order/${kept.order_id}`)).status).toBe(200);
    expect(await statusOf(petId)).toBe('available');
  });
});
