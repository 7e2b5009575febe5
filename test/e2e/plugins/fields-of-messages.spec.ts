import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { integer, text, TradepostPlugin, type FieldDeclaration } from '../../../src/index.js';
import { createDemoDatabase, startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, type Json, loggedIn } from '../../support/caller.js';
import { queryOnce } from '../../support/core.js';
import type { TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';

const FIELDS: readonly FieldDeclaration[] = [
  { on: 'messages', name: 'acme_topic', type: text(20) },
  { on: 'messages', name: 'acme_weight', type: integer },
];

@TradepostPlugin({ name: 'acme', compatibility: '>=0.1.0', fields: FIELDS })
class AcmePlugin {}

describe('fields of a plugin on messages', () => {
  let database: TestDatabase;
  let service: TestApp;
  let receiver: WebhookReceiver;
  let alice: Caller;
  let bob: Caller;
  let messages: string;
  const start = async (
    plugins: NonNullable<Parameters<typeof startTestApp>[0]>['plugins'],
  ): Promise<void> => {
    service = await startTestApp({ databaseUrl: database.url, plugins, webhookAllowPrivate: true });
    alice = await loggedIn(service.url, 'alice');
    bob = await loggedIn(service.url, 'bob');
  };
  beforeAll(async () => {
    database = await createDemoDatabase();
    receiver = await WebhookReceiver.start();
    await start([AcmePlugin]);
    const { body: room } = await alice.post('/chat/rooms', {
      type: 'private',
      name: 'Desk',
      members: ['bob'],
    });
    messages = `/chat/rooms/${room.room_id}/messages`;
    const webhook = { url: receiver.url('/chat'), event_types: ['message.new'] };
    expect((await alice.post('/news/webhooks', webhook)).status).toBe(201);
  });
  afterAll(async () => {
    await service.close();
    await receiver.close();
    await database.drop();
  });

  const send = async (body: object): Promise<Json> => {
    const reply = await alice.post(messages, body);
    expect(reply.status, JSON.stringify(reply.body)).toBe(201);
    return reply.body;
  };

  it('are told with the message, to all who read it', async () => {
    expect(await send({ text: 'Plain' })).toMatchObject({
      acme_topic: null,
      acme_weight: null,
    });
    const sent = await send({ text: 'Fees', acme_topic: 'fees “1”', acme_weight: -5 });
    expect(sent).toMatchObject({ acme_topic: 'fees “1”', acme_weight: -5 });
    expect((await bob.get(`${messages}/${sent.message_id}`)).body).toMatchObject({ acme_weight: -5 });
    expect((await bob.get(messages)).body.data[0]).toMatchObject({ acme_topic: 'fees “1”' });
    expect((await bob.get('/chat/messages?q=fees')).body.data[0]).toMatchObject({ acme_weight: -5 });
    await eventually(() =>
      expect(receiver.at('/chat').map(({ event }) => event.data)).toContainEqual(
        expect.objectContaining({ message_id: sent.message_id, acme_weight: -5 }),
      ),
    );
    const [event] = await queryOnce<{ data: Json }>(
      database.url,
      `SELECT data FROM chat_events WHERE type = 'message.new' AND data ->> 'message_id' = '${sent.message_id}'`,
    );
    expect(event!.data).toMatchObject({ acme_topic: 'fees “1”' });
  });

  it.each([
    ['acme_topic', 'x'.repeat(21)],
    ['acme_weight', 1.5],
    ['acme_none', 'x'],
    ['fields', {}],
  ])('are refused with their path: %s', async (field, value) => {
    expect(await alice.post(messages, { text: 'x', [field]: value })).toMatchObject({
      status: 400,
      body: { error: { code: 'validation_failed', details: [{ field }] } },
    });
  });

  it('are a part of what a repeat repeats', async () => {
    const message = { text: 'Once', client_message_id: 'once', acme_topic: 'a' };
    const { message_id: id } = await send(message);
    expect(await alice.post(messages, message)).toMatchObject({
      status: 200,
      body: { message_id: id, acme_topic: 'a' },
    });
    expect((await alice.post(messages, { ...message, acme_topic: 'b' })).status).toBe(409);
  });

  it('change with the text, stay where they are not named, and go with a deletion', async () => {
    const { message_id: id } = await send({ text: 'First', acme_topic: 'secret topic', acme_weight: 1 });
    const path = `${messages}/${id}`;
    expect((await alice.patch(path, { text: 'Second' })).body).toMatchObject({ acme_topic: 'secret topic' });
    expect(
      (await alice.patch(path, { text: 'Second', acme_topic: null, acme_weight: 2 })).body,
    ).toMatchObject({
      acme_topic: null,
      acme_weight: 2,
    });
    expect((await bob.patch(path, { text: 'Mine', acme_weight: 3 })).status).toBe(403);
    await service.close();
    await start([]);
    const shown = (await alice.get(path)).body;
    expect(shown).toMatchObject({ text: 'Second' });
    expect(shown).not.toHaveProperty('acme_weight');
    expect((await alice.patch(path, { text: 'Third' })).status).toBe(200);
    await service.close();
    await start([AcmePlugin]);
    expect((await alice.get(path)).body).toMatchObject({ text: 'Third', acme_weight: 2 });
    expect((await alice.delete(path)).status).toBe(204);
    expect((await bob.get(path)).body).toMatchObject({ text: null, acme_topic: null, acme_weight: null });
    for (const table of ['chat_events', 'chat_messages'])
      expect(JSON.stringify(await queryOnce(database.url, `SELECT * FROM ${table}`))).not.toContain(
        'secret topic',
      );
  });

  it('are in the document', async () => {
    const { schemas } = (await alice.get('/openapi.json')).body.components;
    expect(schemas.MessageDto.properties.acme_weight).toMatchObject({ type: ['integer', 'null'] });
    expect(schemas.SendMessageDto.properties).toHaveProperty('acme_topic');
  });
});
