import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { queryOnce } from '../../support/core.js';
import { Caller, callerFor, type Json, type Reply } from '../../support/caller.js';

interface KeyHeader extends Record<string, string> {
  readonly api_key: string;
}

const MAX = Number.MAX_SAFE_INTEGER;

describe('the store with unique pets', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  beforeAll(async () => {
    app = await startTestApp({ environment: { UNIQUE_PETS: 'true' } });
    [demo, maker, operator] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
    ]);
  });
  afterAll(() => app.close());

  const query = (text: string, values: unknown[] = []): Promise<Json[]> =>
    queryOnce<Json>(app.config.databaseUrl!, text, values);

  /** A pet of its own for each test. */
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
  const inventory = async (): Promise<Record<string, number>> => (await demo.get('/store/inventory')).body;
  const expectRefusal = (reply: Reply, status: number, code: string): void => {
    expect({ status: reply.status, code: reply.body?.error?.code }).toEqual({ status, code });
  };

  describe('inventory', () => {
    it('counts pets by status, for tokens and API keys alike', async () => {
      const before = await inventory();
      expect(before).toEqual({
        available: expect.any(Number),
        pending: expect.any(Number),
        sold: expect.any(Number),
      });
      await newPet('sold');
      await newPet('sold');
      await place({ petId: await newPet() });
      const after = { ...before, sold: before['sold']! + 2, pending: before['pending']! + 1 };
      expect(await inventory()).toEqual(after);
      const byKey = await fetch(`${app.url}/store/inventory`, { headers: { api_key: 'special-key' } });
      expect(await byKey.json()).toEqual(after);
    });

    it('is open to a key without scopes', async () => {
      await query(`UPDATE api_keys SET scopes = '{}' WHERE api_key_id = 'key_demo'`);
      const { status } = await fetch(`${app.url}/store/inventory`, { headers: { api_key: 'special-key' } });
      expect(status).toBe(200);
    });

    it('is closed to everyone else', async () => {
      expectRefusal(await new Caller(app.url).get('/store/inventory'), 401, 'authentication_required');
    });
  });

  describe('an order', () => {
    it('is answered as it is found later, and keeps its pet', async () => {
      const petId = await newPet();
      const order = await place({
        petId,
        quantity: 1,
        shipDate: '2026-12-24T18:00:00.5+01:00',
        status: 'approved',
        complete: false,
      });
      expect(order).toEqual({
        id: expect.any(Number),
        petId,
        quantity: 1,
        shipDate: '2026-12-24T17:00:00.500Z',
        status: 'approved',
        complete: false,
      });
      expect(await demo.get(`/store/order/${order.id}`)).toMatchObject({ status: 200, body: order });
      expect(await statusOf(petId)).toBe('pending');
    });

    it('needs no more than a pet', async () => {
      const petId = await newPet();
      const order = await place({ id: 0, petId, quantity: 0, shipDate: null });
      expect(order).toEqual({
        id: expect.any(Number),
        petId,
        quantity: 1,
        status: 'placed',
        complete: false,
      });
    });

    it.each([
      [{ status: 'delivered' }, 'sold'],
      [{ status: 'placed', complete: true }, 'sold'],
      [{ status: 'approved' }, 'pending'],
    ])('as %j has its pet %s', async (terms, status) => {
      const petId = await newPet();
      await place({ petId, ...terms });
      expect(await statusOf(petId)).toBe(status);
    });

    it('takes no pet that is not available', async () => {
      for (const status of ['pending', 'sold']) {
        const petId = await newPet(status);
        for (const terms of [{}, { status: 'delivered' }]) {
          expectRefusal(await demo.post('/store/order', { petId, ...terms }), 409, 'conflict');
        }
        expect(await statusOf(petId)).toBe(status);
        expect(await query('SELECT 1 FROM purchase_orders WHERE pet_id = $1', [petId])).toEqual([]);
      }
    });

    it('takes no pet that another open order has, whatever the pet says', async () => {
      const petId = await newPet();
      const { id } = await place({ petId });
      await query(`UPDATE pets SET status = 'available' WHERE pet_id = $1`, [petId]);
      expectRefusal(await maker.post('/store/order', { petId }), 409, 'conflict');
      expect(await statusOf(petId)).toBe('available');
      await demo.delete(`/store/order/${id}`);
      await place({ petId }, maker);
    });

    it('takes no pet that does not exist', async () => {
      expectRefusal(await demo.post('/store/order', { petId: MAX }), 404, 'not_found');
      expect(await query('SELECT 1 FROM purchase_orders WHERE pet_id = $1', [MAX])).toEqual([]);
    });

    it('is for one pet', async () => {
      const petId = await newPet();
      for (const quantity of [2, 7, 2 ** 31 - 1]) {
        expectRefusal(await demo.post('/store/order', { petId, quantity }), 422, 'unprocessable');
      }
      expect(await statusOf(petId)).toBe('available');
    });

    it.each<[string, Json]>([
      ['no pet', {}],
      ['a pet that cannot be', { petId: 0 }],
      ['a pet in words', { petId: '1' }],
      ['a pet past 2^53', { petId: 2 ** 53 }],
      ['half a pet', { petId: 1.5 }],
      ['a negative id', { petId: 1, id: -1 }],
      ['an id past 2^53', { petId: 1, id: 2 ** 53 + 2 }],
      ['an id in words', { petId: 1, id: '7' }],
      ['a negative quantity', { petId: 1, quantity: -1 }],
      ['a quantity past int32', { petId: 1, quantity: 2 ** 31 }],
      ['an unknown status', { petId: 1, status: 'sold' }],
      ['a status that is a list', { petId: 1, status: ['placed'] }],
      ['a day for a time', { petId: 1, shipDate: '2026-12-24' }],
      ['a day that does not exist', { petId: 1, shipDate: '2026-02-30T00:00:00Z' }],
      ['a number for a time', { petId: 1, shipDate: 0 }],
      ['a truth in words', { petId: 1, complete: 'true' }],
      ['an owner', { petId: 1, owner: 'client:maker' }],
      ['a time of creation', { petId: 1, createdAt: '2020-01-01T00:00:00Z' }],
      ['a prototype', JSON.parse('{"petId":1,"__proto__":{"status":"delivered"}}')],
      ['a list', [{ petId: 1 }]],
    ])('is refused with %s', async (_what, order) => {
      const before = await inventory();
      expect((await demo.post('/store/order', order)).status).toBe(400);
      expect(await inventory()).toEqual(before);
    });
  });

  describe('an id', () => {
    it('may be chosen, once', async () => {
      const id = 7_000_000;
      const [petId, other] = [await newPet(), await newPet()];
      expect(await place({ id, petId })).toMatchObject({ id });
      for (const caller of [demo, maker]) {
        expectRefusal(await caller.post('/store/order', { id, petId: other }), 409, 'conflict');
      }
      expect(await statusOf(other)).toBe('available');
      expect(await place({ id: MAX, petId: other })).toMatchObject({ id: MAX });
      expect((await demo.get(`/store/order/${MAX}`)).body).toMatchObject({ id: MAX, petId: other });
    });

    it('is the next free one otherwise', async () => {
      const { id: first } = await place({ petId: await newPet() });
      for (let taken = first + 1; taken <= first + 12; taken++)
        await place({ id: taken, petId: await newPet() });
      const { id: next } = await place({ petId: await newPet() });
      expect(next).toBe(first + 13);
      expect((await place({ petId: await newPet() })).id).toBe(first + 14);
    });

    it('is given once, also to many at a time that meet chosen ones', async () => {
      const { id: first } = await place({ petId: await newPet() });
      const petIds = await Promise.all(Array.from({ length: 24 }, () => newPet()));
      const orders = await Promise.all(
        petIds.map((petId, i) =>
          demo.post('/store/order', i % 2 === 0 ? { petId } : { id: first + i, petId }),
        ),
      );
      const placed = orders.filter(({ status }) => status === 200);
      expect(new Set(placed.map(({ body }) => body.id)).size).toBe(placed.length);
      // A chosen number that the counter reached first is refused; orders numbered by the counter never are.
      for (const [i, reply] of orders.entries()) {
        if (i % 2 === 0) expect(reply.status).toBe(200);
        else expect([200, 409]).toContain(reply.status);
      }
    });

    it.each([
      '0',
      '-1',
      '01',
      '+1',
      '1.0',
      '0x10',
      '1e3',
      '%20',
      '9007199254740992',
      '9007199254740993',
      'order',
      '１',
    ])('cannot be %s', async (id) => {
      const path = `/store/order/${id}`;
      expectRefusal(await demo.get(path), 400, 'validation_failed');
      expectRefusal(await demo.delete(path), 400, 'validation_failed');
      expectRefusal(await operator.patch(`/admin/store/orders/${id}`, {}), 400, 'validation_failed');
    });

    it.each(['%E0%A4%A', '%', '%00'])('cannot be %s', async (id) => {
      expectRefusal(await demo.get(`/store/order/${id}`), 400, 'malformed_request');
      expectRefusal(await demo.delete(`/store/order/${id}`), 400, 'malformed_request');
    });
  });

  describe('of several who want one pet', () => {
    it.each<[string, Json]>([
      ['keep it', {}],
      ['have it at once', { status: 'delivered' }],
    ])('one gets it, where all would %s', async (_what, terms) => {
      const petId = await newPet();
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          (i % 2 ? demo : maker).post('/store/order', { petId, ...terms }),
        ),
      );
      const winners = replies.filter(({ status }) => status === 200);
      expect(winners).toHaveLength(1);
      for (const reply of replies) {
        if (reply.status !== 200) expectRefusal(reply, 409, 'conflict');
      }
      const rows = await query('SELECT order_id FROM purchase_orders WHERE pet_id = $1', [petId]);
      expect(rows).toEqual([{ order_id: String(winners[0]!.body.id) }]);
      expect(await statusOf(petId)).toBe(terms.status === 'delivered' ? 'sold' : 'pending');
    });

    it('nobody is left waiting when orders come and go', async () => {
      const petId = await newPet();
      const buy = async (caller: Caller): Promise<void> => {
        for (let i = 0; i < 10; i++) {
          const { status, body } = await caller.post('/store/order', { petId });
          expect([200, 409]).toContain(status);
          if (status === 200) expect((await caller.delete(`/store/order/${body.id}`)).status).toBe(200);
        }
      };
      await Promise.all([buy(demo), buy(maker), buy(demo), buy(maker), buy(operator)]);
      expect(await statusOf(petId)).toBe('available');
      expect(await query('SELECT 1 FROM purchase_orders WHERE pet_id = $1', [petId])).toEqual([]);
    });
  });

  describe('deleting an order', () => {
    it('gives its pet back', async () => {
      const petId = await newPet();
      const { id } = await place({ petId });
      const reply = await demo.delete(`/store/order/${id}`);
      expect({ status: reply.status, body: reply.body }).toEqual({ status: 200, body: undefined });
      expect(await statusOf(petId)).toBe('available');
      expectRefusal(await demo.get(`/store/order/${id}`), 404, 'not_found');
      expectRefusal(await demo.delete(`/store/order/${id}`), 404, 'not_found');
    });

    it.each<Json>([{ status: 'delivered' }, { complete: true }])('leaves a pet sold by %j', async (terms) => {
      const petId = await newPet();
      const { id } = await place({ petId, ...terms });
      expect((await demo.delete(`/store/order/${id}`)).status).toBe(200);
      expect(await statusOf(petId)).toBe('sold');
    });

    it('leaves a pet that is gone, or is no longer kept, as it is', async () => {
      const [gone, sold] = [await newPet(), await newPet()];
      const orders = [await place({ petId: gone }), await place({ petId: sold })];
      await query('DELETE FROM pets WHERE pet_id = $1', [gone]);
      await query(`UPDATE pets SET status = 'sold' WHERE pet_id = $1`, [sold]);
      for (const { id } of orders) expect((await demo.delete(`/store/order/${id}`)).status).toBe(200);
      expect(await statusOf(sold)).toBe('sold');
    });

    it('happens once, however many try', async () => {
      const { id } = await place({ petId: await newPet() });
      const replies = await Promise.all(Array.from({ length: 10 }, () => demo.delete(`/store/order/${id}`)));
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(replies.filter(({ status }) => status === 404)).toHaveLength(9);
    });
  });

  describe('orders of others', () => {
    it('do not exist', async () => {
      const petId = await newPet();
      const order = await place({ petId });
      const nowhere = await maker.get(`/store/order/${MAX - 1}`);
      for (const reply of [
        await maker.get(`/store/order/${order.id}`),
        await maker.delete(`/store/order/${order.id}`),
      ]) {
        expectRefusal(reply, 404, 'not_found');
        expect(reply.body.error.message).toBe(nowhere.body.error.message);
      }
      expect(await statusOf(petId)).toBe('pending');
      expect((await demo.get(`/store/order/${order.id}`)).body).toEqual(order);
    });

    it('are there for operators', async () => {
      const petId = await newPet();
      const order = await place({ petId });
      expect((await operator.get(`/store/order/${order.id}`)).body).toEqual(order);
      expect((await operator.delete(`/store/order/${order.id}`)).status).toBe(200);
      expect(await statusOf(petId)).toBe('available');
    });

    const sessionOf = async (name: string): Promise<Caller> => {
      const query = new URLSearchParams({ username: name, password: `${name}-password` }).toString();
      const response = await fetch(`${app.url}/user/login?${query}`);
      return new Caller(app.url, (await response.json()) as string);
    };
    const aliceWithKey = async (scopes: readonly string[]): Promise<{ alice: Caller; byKey: KeyHeader }> => {
      const alice = await sessionOf('alice');
      const made = await alice.post('/auth/api-keys', { name: 'Shopping', scopes });
      expect(made.status).toBe(201);
      return { alice, byKey: { api_key: made.body.api_key } };
    };

    it('are one’s own where one’s API key placed them', async () => {
      const { alice, byKey } = await aliceWithKey(['store:write']);
      const bob = await sessionOf('bob');
      const placed = await new Caller(app.url).post('/store/order', { petId: await newPet() }, byKey);
      expect(placed.status).toBe(200);
      const path = `/store/order/${placed.body.id}`;
      expect((await alice.get(path)).body).toEqual(placed.body);
      expectRefusal(await bob.get(path), 404, 'not_found');
      expect((await new Caller(app.url).send('GET', path, undefined, byKey)).body).toEqual(placed.body);
    });

    it.each([
      ['without scopes', []],
      ['that reads and writes pets', ['read:pets', 'write:pets']],
    ])('are out of reach of an API key %s', async (_which, scopes) => {
      const { alice, byKey } = await aliceWithKey(scopes);
      const petId = await newPet();
      const order = await place({ petId: await newPet() }, alice);
      const key = new Caller(app.url);
      const path = `/store/order/${order.id}`;
      const [placed, read, deleted] = [
        await key.post('/store/order', { petId }, byKey),
        await key.send('GET', path, undefined, byKey),
        await key.send('DELETE', path, undefined, byKey),
      ];
      for (const reply of [placed, read, deleted]) {
        expectRefusal(reply, 403, 'insufficient_scope');
        expect(reply.headers.get('www-authenticate')).toContain('scope="store:write"');
      }
      expect(await statusOf(petId)).toBe('available');
      expect((await alice.get(path)).body).toEqual(order);
      expect((await key.send('GET', '/store/inventory', undefined, byKey)).status).toBe(200);
    });

    it('are nobody’s without a credential', async () => {
      const { id } = await place({ petId: await newPet() });
      const anyone = new Caller(app.url);
      expectRefusal(await anyone.get(`/store/order/${id}`), 401, 'authentication_required');
      expectRefusal(await anyone.delete(`/store/order/${id}`), 401, 'authentication_required');
      expectRefusal(await anyone.post('/store/order', { petId: 1 }), 401, 'authentication_required');
    });
  });

  describe('an operator', () => {
    const advance = (id: number, change: Json, caller = operator): Promise<Reply> =>
      caller.patch(`/admin/store/orders/${id}`, change);

    it('carries a purchase out, step by step', async () => {
      const petId = await newPet();
      const order = await place({ petId });
      expect((await advance(order.id, { status: 'approved' })).body).toEqual({
        ...order,
        status: 'approved',
      });
      expect(await statusOf(petId)).toBe('pending');
      expect((await advance(order.id, { status: 'delivered' })).body).toEqual({
        ...order,
        status: 'delivered',
      });
      expect(await statusOf(petId)).toBe('sold');
      const done = await advance(order.id, { complete: true });
      expect(done.body).toEqual({ ...order, status: 'delivered', complete: true });
      expect((await demo.get(`/store/order/${order.id}`)).body).toEqual(done.body);
      expect((await advance(order.id, {})).body).toEqual(done.body);
    });

    it('never goes back', async () => {
      const { id } = await place({ petId: await newPet(), status: 'approved', complete: true });
      for (const change of [
        { status: 'placed' },
        { complete: false },
        { status: 'delivered', complete: false },
      ]) {
        expectRefusal(await advance(id, change), 409, 'invalid_status_change');
      }
      expect((await demo.get(`/store/order/${id}`)).body).toMatchObject({
        status: 'approved',
        complete: true,
      });
    });

    it('decides at the same time as the owner, one after the other', async () => {
      const pets = await Promise.all(Array.from({ length: 10 }, () => newPet()));
      for (const petId of pets) {
        const { id } = await place({ petId });
        const [sold, deleted] = await Promise.all([
          advance(id, { status: 'delivered' }),
          demo.delete(`/store/order/${id}`),
        ]);
        expect(deleted.status).toBe(200);
        expect(await statusOf(petId)).toBe(sold.status === 200 ? 'sold' : 'available');
      }
    });

    it('alone may, and only what there is', async () => {
      const { id } = await place({ petId: await newPet() });
      expectRefusal(await advance(id, { status: 'approved' }, demo), 403, 'insufficient_scope');
      expectRefusal(await advance(MAX - 1, { status: 'approved' }), 404, 'not_found');
      expect((await advance(id, { status: 'gone' })).status).toBe(400);
      expect((await advance(id, { owner: 'client:maker' })).status).toBe(400);
    });
  });

  it('places an order once for one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const order = { petId: await newPet(), quantity: 1 };
    const first = await demo.post('/store/order', order, headers);
    const again = await demo.post('/store/order', order, headers);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expectRefusal(
      await demo.post('/store/order', { ...order, quantity: 0 }, headers),
      422,
      'idempotency_key_reused',
    );
    expectRefusal(await maker.post('/store/order', order, headers), 409, 'conflict');

    const petId = await newPet();
    const key = { 'idempotency-key': randomUUID() };
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => demo.post('/store/order', { petId }, key)),
    );
    const done = replies.filter(({ status }) => status === 200);
    expect(new Set(done.map(({ body }) => body.id)).size).toBe(1);
    for (const reply of replies) {
      if (reply.status !== 200) expectRefusal(reply, 409, 'idempotency_in_progress');
    }
  });
});
