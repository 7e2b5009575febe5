import { once } from 'node:events';
import { io, type Socket } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rebuildTables } from '../../../src/core/journal/rebuild.js';
import {
  bool,
  decimal,
  integer,
  oneOf,
  text,
  timestamp,
  TradepostPlugin,
  type FieldDeclaration,
} from '../../../src/index.js';
import { createDemoDatabase, startTestApp, type TestApp } from '../../support/app.js';
import { callerFor, type Caller, type Json, tokenFor } from '../../support/caller.js';
import { onClient, queryOnce } from '../../support/core.js';
import type { TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';

const FIELDS: readonly FieldDeclaration[] = [
  { on: 'orders', name: 'acme_desk', type: text(20), filterable: true, description: 'Which desk trades.' },
  { on: 'orders', name: 'acme_ticket', type: integer, filterable: true },
  { on: 'orders', name: 'acme_limit', type: decimal },
  { on: 'orders', name: 'acme_style', type: oneOf('patient', 'hasty') },
  { on: 'orders', name: 'acme_hedge', type: bool, filterable: true },
  { on: 'orders', name: 'acme_until', type: timestamp },
  { on: 'orders', name: 'acme_score', type: integer, writableBy: 'plugin', readableBy: 'operators' },
  { on: 'orders', name: 'acme_secret', type: text(9), writableBy: 'plugin', readableBy: 'plugin' },
];

@TradepostPlugin({ name: 'acme', compatibility: '>=0.1.0', fields: FIELDS })
class AcmePlugin {}

const ORDER = { market_id: 'BTC-USD', side: 'buy', type: 'limit', price: '40000', size: '0.01' };
const NOTHING = {
  acme_desk: null,
  acme_ticket: null,
  acme_limit: null,
  acme_style: null,
  acme_hedge: null,
  acme_until: null,
};
const ALL = {
  acme_desk: 'fx “1” \u{1f600}',
  acme_ticket: -Number.MAX_SAFE_INTEGER,
  acme_limit: '-0.10',
  acme_style: 'hasty',
  acme_hedge: false,
  acme_until: '2026-11-01T12:00:00Z',
};
const SHOWN = { ...ALL, acme_limit: '-0.1', acme_until: '2026-11-01T12:00:00.000Z' };

describe('fields of a plugin on orders', () => {
  let database: TestDatabase;
  let service: TestApp;
  let demo: Caller;
  let receiver: WebhookReceiver;
  const start = async (plugins: AppPlugins = [AcmePlugin]): Promise<TestApp> => {
    const app = await startTestApp({ databaseUrl: database.url, plugins, webhookAllowPrivate: true });
    demo = await callerFor(app.url, 'demo');
    return app;
  };
  const restart = async (plugins?: AppPlugins): Promise<void> => {
    await service.close();
    service = await start(plugins);
  };
  beforeAll(async () => {
    database = await createDemoDatabase();
    receiver = await WebhookReceiver.start();
    service = await start();
  });
  afterAll(async () => {
    await service.close();
    await receiver.close();
    await database.drop();
  });

  const refused = async (body: object, field: string): Promise<void> => {
    expect(await demo.post('/orders', { ...ORDER, ...body })).toMatchObject({
      status: 400,
      body: { error: { code: 'validation_failed', details: [{ field }] } },
    });
  };

  it('are null where nothing is given, and as they were given where something is', async () => {
    expect(await demo.place(ORDER)).toMatchObject(NOTHING);
    const placed = await demo.place({ ...ORDER, ...ALL });
    expect(placed).toMatchObject(SHOWN);
    expect(placed).not.toHaveProperty('acme_score');
    expect(placed).not.toHaveProperty('acme_secret');
    expect((await demo.get(`/orders/${placed.order_id}`)).body).toMatchObject(SHOWN);
    expect((await demo.get('/orders')).body.data[0]).toMatchObject(SHOWN);
    expect(await demo.place({ ...ORDER, acme_desk: null, acme_ticket: 0 })).toMatchObject({
      ...NOTHING,
      acme_ticket: 0,
    });
  });

  it.each([
    ['acme_desk', ''],
    ['acme_desk', 'x'.repeat(21)],
    ['acme_desk', 7],
    ['acme_desk', ['fx']],
    ['acme_ticket', 2 ** 53],
    ['acme_ticket', 1.5],
    ['acme_ticket', '1'],
    ['acme_ticket', 'NaN'],
    ['acme_limit', 1],
    ['acme_limit', '1e5'],
    ['acme_limit', 'Infinity'],
    ['acme_limit', '0.0000000000000000001'],
    ['acme_style', 'Hasty'],
    ['acme_hedge', 'true'],
    ['acme_until', '2026-02-31T00:00:00Z'],
    ['acme_until', 1_790_000_000_000],
    // Nobody but the plugin writes these, and nobody has ever heard of those.
    ['acme_score', 1],
    ['acme_secret', 'x'],
    ['acme_other', 'x'],
    ['fields', { acme_secret: 'x' }],
  ])('are refused with their path: %s %j', async (field, value) => {
    await refused({ [field]: value }, field);
    const { body } = await demo.post('/orders/batch', { orders: [ORDER, { ...ORDER, [field]: value }] });
    expect(body.results).toMatchObject([
      { status: 201, order: NOTHING },
      { status: 400, error: { code: 'validation_failed', details: [{ field }] } },
    ]);
  });

  it.each(['a\0b', 'half \ud800', { toString: 'fx' }])('are refused as every body is: %j', async (value) => {
    expect(await demo.post('/orders', { ...ORDER, acme_desk: value })).toMatchObject({
      status: 400,
      body: { error: { code: 'malformed_request' } },
    });
  });

  it('cannot be numbers that JSON does not have', async () => {
    for (const value of ['NaN', 'Infinity', '-Infinity']) {
      const body = JSON.stringify({ ...ORDER, acme_ticket: 0 }).replace(':0}', `:${value}}`);
      expect((await demo.send('POST', '/orders', body)).status).toBe(400);
    }
    const beyond = JSON.stringify({ ...ORDER, acme_ticket: 0 }).replace(':0}', ':1e400}');
    expect((await demo.send('POST', '/orders', beyond)).body.error.details).toMatchObject([
      { field: 'acme_ticket' },
    ]);
  });

  it('stay when an order is amended, but for those that the amendment names', async () => {
    const { order_id: id } = await demo.place({ ...ORDER, ...ALL });
    expect((await demo.patch(`/orders/${id}`, { size: '0.009' })).body).toMatchObject({
      ...SHOWN,
      size: '0.009',
    });
    const amended = await demo.patch(`/orders/${id}`, { acme_desk: null, acme_ticket: 5 });
    const expected = { ...SHOWN, acme_desk: null, acme_ticket: 5, size: '0.009' };
    expect(amended).toMatchObject({ status: 200, body: expected });
    expect((await demo.get(`/orders/${id}`)).body).toMatchObject(expected);
    expect((await demo.patch(`/orders/${id}`, { acme_score: 1 })).status).toBe(400);
    const replaced = await demo.post(`/orders/${id}/replace`, {
      side: 'buy',
      type: 'limit',
      price: '39000',
      size: '0.01',
      acme_desk: 'new',
    });
    expect(replaced.body).toMatchObject({
      replaced: { ...expected, status: 'cancelled' },
      order: { ...NOTHING, acme_desk: 'new' },
    });
    const foreign = await callerFor(service.url, 'maker');
    expect((await foreign.patch(`/orders/${replaced.body.order.order_id}`, { acme_desk: 'x' })).status).toBe(
      404,
    );
  });

  it('are a part of what a repeat repeats', async () => {
    const order = { ...ORDER, client_order_id: 'fields-1', acme_desk: 'fx' };
    const { order_id: id } = await demo.place(order);
    expect(await demo.post('/orders', order)).toMatchObject({
      status: 200,
      body: { order_id: id, acme_desk: 'fx' },
    });
    expect(await demo.post('/orders', { ...order, acme_desk: 'fy' })).toMatchObject({
      status: 409,
      body: { error: { code: 'duplicate_client_order_id' } },
    });
  });

  it('select in lists, by an index, and are the last columns of CSV', async () => {
    const { order_id: one } = await demo.place({
      ...ORDER,
      acme_desk: "o'neil; --",
      acme_ticket: -3,
      acme_hedge: true,
    });
    const { order_id: two } = await demo.place({ ...ORDER, acme_desk: "o'neil; --", acme_ticket: 4 });
    const idsOf = async (caller: Caller, path: string): Promise<string[]> =>
      (await caller.walk(path, 1)).map(({ order_id: id }) => id);
    const desk = `acme_desk=${encodeURIComponent("o'neil; --")}`;
    expect(await idsOf(demo, `/orders?${desk}`)).toEqual([two, one]);
    expect(await idsOf(demo, `/orders?${desk}&acme_ticket=-3`)).toEqual([one]);
    expect(await idsOf(demo, `/orders?${desk}&status=open&acme_hedge=true`)).toEqual([one]);
    expect(await idsOf(demo, `/orders?${desk}&status=filled`)).toEqual([]);
    const operator = await callerFor(service.url, 'admin');
    expect(await idsOf(operator, `/admin/orders?${desk}`)).toEqual([two, one]);
    expect(await idsOf(operator, `/admin/orders?${desk}&status=open`)).toEqual([two, one]);
    for (const query of [
      'acme_limit=1',
      'acme_ticket=x',
      'acme_ticket=1.5',
      'acme_score=1',
      `${desk}&${desk}`,
    ])
      expect((await demo.get(`/orders?${query}`)).status, query).toBe(400);
    await eventually(async () => {
      const indexes = await queryOnce(
        database.url,
        `SELECT relname FROM pg_class WHERE relname LIKE 'field\\_%' AND relkind = 'i' ORDER BY 1`,
      );
      expect(indexes.map(({ relname }: Json) => relname)).toEqual([
        'field_orders_acme_desk',
        'field_orders_acme_hedge',
        'field_orders_acme_ticket',
      ]);
    });
    const plan = await onClient(database.url, async (client) => {
      await client.query('SET enable_seqscan = off; SET enable_bitmapscan = off');
      return client.query(`EXPLAIN SELECT order_id FROM order_fields
        WHERE account_id = 7 AND (fields::jsonb ->> 'acme_desk') = 'fx'`);
    });
    expect(JSON.stringify(plan.rows)).toContain('field_orders_acme_desk');
    const csv = await fetch(`${service.url}/orders?${desk}`, {
      headers: { accept: 'text/csv', authorization: `Bearer ${await tokenFor(service.url, 'demo')}` },
    });
    const lines = (await csv.text()).split('\r\n');
    expect(lines[0]).toMatch(/,acme_desk,acme_ticket,acme_limit,acme_style,acme_hedge,acme_until$/);
    expect(lines[1]).toMatch(/,o'neil; --,4,,,,$/);
    expect(lines[2]).toMatch(/,o'neil; --,-3,,,true,$/);
  });

  it('are in the document, with their types', async () => {
    const { body: document } = await demo.get('/openapi.json');
    const { schemas } = document.components;
    expect(schemas.PlaceOrderDto.properties).toMatchObject({
      acme_desk: { type: ['string', 'null'], maxLength: 20, description: 'Which desk trades.' },
      acme_ticket: { type: ['integer', 'null'] },
      acme_style: { oneOf: [{ $ref: '#/components/schemas/AcmeStyle' }, { type: 'null' }] },
      acme_until: { format: 'date-time' },
    });
    expect(schemas.AcmeStyle).toMatchObject({ enum: ['patient', 'hasty'] });
    expect(schemas.PlaceOrderDto.properties).not.toHaveProperty('acme_score');
    expect(schemas.PlaceOrderDto.required).not.toContain('acme_desk');
    const { OrderDto } = schemas;
    expect(OrderDto.properties.acme_limit).toMatchObject({ type: ['string', 'null'], format: 'decimal' });
    expect(OrderDto.properties.acme_score.description).toContain('operators alone');
    expect(OrderDto.required).toContain('acme_desk');
    expect(OrderDto.required).not.toContain('acme_score');
    expect(OrderDto.properties).not.toHaveProperty('acme_secret');
    const { parameters, responses } = document.paths['/orders'].get;
    expect(parameters).toContainEqual({ $ref: '#/components/parameters/AcmeTicket' });
    const shared = document.components.parameters;
    expect(shared.AcmeTicket).toMatchObject({ name: 'acme_ticket', in: 'query', required: false });
    expect(JSON.stringify([parameters, shared])).not.toContain('acme_limit');
    expect(responses['200'].content['text/csv'].schema.description).toContain('best_price,acme_desk,');
  });

  it('are told over sockets and by webhooks', async () => {
    const webhook = { url: receiver.url('/orders'), event_types: ['order.accepted'] };
    expect((await demo.post('/news/webhooks', webhook)).status).toBe(201);
    const token = await tokenFor(service.url, 'demo');
    const socket: Socket = io(`${service.url}/account`, { auth: { token }, transports: ['websocket'] });
    await once(socket as never, 'connect');
    const updates: Json[] = [];
    socket.onAny((_event, update) => updates.push(update));
    await socket.emitWithAck('subscribe', {});
    const placed = await socket.emitWithAck('orders.place', {
      ...ORDER,
      acme_desk: 'socket',
      acme_ticket: 8,
    });
    expect(placed.data ?? placed).toMatchObject({ acme_desk: 'socket' });
    const id = (placed.data ?? placed).order_id as string;
    const amended = await socket.emitWithAck('orders.amend', { order_id: id, acme_desk: 'amended' });
    expect(amended.data ?? amended).toMatchObject({ acme_desk: 'amended', acme_ticket: 8 });
    await eventually(() => {
      const told = updates.flatMap(({ data }) => (data?.orders ?? []) as Json[]);
      expect(told).toContainEqual(expect.objectContaining({ acme_desk: 'socket', acme_ticket: 8 }));
      expect(told).toContainEqual(expect.objectContaining({ order_id: id, acme_desk: 'amended' }));
    });
    socket.disconnect();
    expect((await demo.post('/orders', { ...ORDER, acme_desk: 'hook' })).status).toBe(201);
    await eventually(() =>
      expect(receiver.at('/orders').map(({ event }) => event.data)).toContainEqual(
        expect.objectContaining({ acme_desk: 'hook', acme_ticket: null }),
      ),
    );
  });

  it('are the same after a restart, a rebuild of the tables, and without the plugin for a while', async () => {
    const { order_id: id } = await demo.place({ ...ORDER, ...ALL });
    await restart();
    expect((await demo.get(`/orders/${id}`)).body).toMatchObject(SHOWN);
    // What the engine holds is told here, not the table.
    expect((await demo.patch(`/orders/${id}`, { size: '0.008' })).body).toMatchObject(SHOWN);

    await restart([]);
    const without = await demo.patch(`/orders/${id}`, { size: '0.007' });
    expect(without.status).toBe(200);
    expect(without.body).not.toHaveProperty('acme_desk');
    expect((await demo.post('/orders', { ...ORDER, acme_desk: 'fx' })).body.error.details).toMatchObject([
      { field: 'acme_desk' },
    ]);
    expect((await demo.get('/orders?acme_desk=fx')).status).toBe(400);

    await restart();
    expect((await demo.get(`/orders/${id}`)).body).toMatchObject({ ...SHOWN, size: '0.007' });
    await service.close();
    const rebuilt = await onClient(database.url, (client) => rebuildTables(client));
    expect(rebuilt).toMatchObject({ differences: [], hashFault: null });
    await queryOnce(database.url, `UPDATE order_fields SET fields = '{}' WHERE fields LIKE '%hasty%'`);
    const damaged = await onClient(database.url, (client) => rebuildTables(client, { repair: true }));
    expect(damaged).toMatchObject({ differences: [{ table: 'order_fields' }], isRepaired: true });
    service = await start();
    expect((await demo.get(`/orders/${id}`)).body).toMatchObject({ ...SHOWN, size: '0.007' });
  });
});

type AppPlugins = NonNullable<Parameters<typeof startTestApp>[0]>['plugins'];
