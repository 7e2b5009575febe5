import { readdirSync, readFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FixListener } from '../../../plugins/fix/connection/fix-listener.js';
import FixPlugin from '../../../plugins/fix/index.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import type { Json } from '../../support/caller.js';
import { answered, fund, newUser } from '../../support/clients/accounts-client.js';
import {
  ed25519FixKeyOf,
  FixClient,
  type FixFields,
  type FixKey,
  fixKeyOf,
  utcTime,
} from '../../support/clients/fix-client.js';
import type { UserCaller } from '../../support/clients/users-client.js';

const SCENARIOS = fileURLToPath(new URL('./scenarios/', import.meta.url));

describe('sessions of FIX', () => {
  let app: TestApp;
  let port: number;
  let trader: UserCaller;
  let key: FixKey & { id: string };

  beforeAll(async () => {
    app = await startTestApp({ plugins: [FixPlugin], environment: { FIX_PORT: '0' } });
    port = app.app.nest.get(FixListener, { strict: false }).port!;
    trader = await newUser(app, 'trader');
    await fund(app, (await trader.get('/accounts')).body.data[0].account_id, '1000000');
    key = await fixKeyOf(trader);
  });
  afterAll(async () => {
    await app.close();
  });

  const order = (clOrdId: string): FixFields => ({
    11: clOrdId,
    55: 'BTC-USD',
    54: 1,
    60: utcTime(),
    40: 2,
    38: '0.1',
    44: '100',
  });

  describe('replays', () => {
    it.each(readdirSync(SCENARIOS).filter((name) => name.endsWith('.def')))('%s', async (name) => {
      await replay(readFileSync(`${SCENARIOS}${name}`, 'utf8'), name.replace('.def', ''));
    });
  });

  /** `I` lines are sent, `E` lines expected next; `|` stands for SOH, `<TIME+n>` for the time in n seconds. */
  async function replay(log: string, senderCompId: string): Promise<void> {
    let client: FixClient | undefined;
    for (const line of log.split('\n').filter((each) => each !== '' && !each.startsWith('#'))) {
      if (line === 'iCONNECT') {
        client?.close();
        client = await FixClient.connect(port, senderCompId, key);
      } else if (line === 'eDISCONNECT') {
        await client!.disconnected();
      } else {
        const text = line
          .slice(1)
          .replace(/<TIME([+-]\d+)>/g, (_, inS: string) => utcTime(Number(inS) * 1_000));
        const fields = fieldsOf(text);
        if (line.startsWith('I')) client!.sendBytes(client!.encode(fields));
        else expect(await client!.nextMessage(), line).toMatchObject(fields);
      }
    }
    client?.close();
  }

  const fieldsOf = (text: string): Record<number, string> =>
    Object.fromEntries(text.split('|').map((field) => field.split(/=(.*)/s).slice(0, 2)));

  it.each<[string, FixFields]>([
    ['a wrong signature', { 96: Buffer.alloc(32).toString('base64'), 95: 44 }],
    ['a signature of another shape', { 96: 'nonsense', 95: 8 }],
    ['an unknown key', { 553: 'tpk_unknown' }],
    ['a time that is past', { 52: utcTime(-60_000) }],
    ['a time to come', { 52: utcTime(60_000) }],
  ])('refuses %s, and does not say what was wrong', async (_what, more) => {
    const client = await FixClient.connect(port, 'BAD', key);
    client.sendLogOn({ more });
    expect((await client.expect({ 35: 5 }))[58]).toBe('The log-on is refused.');
    await client.disconnected();
    expect(client.received).toHaveLength(1);
  });

  it('refuses a Logon that was used before, whoever sends it', async () => {
    const first = await FixClient.connect(port, 'REPLAYED', key);
    const bytes = first.encode({ 35: 'A', 98: 0, 108: 30, 141: 'Y' });
    first.sendBytes(bytes);
    await first.expect({ 35: 'A' });
    const second = await FixClient.connect(port, 'REPLAYED', key);
    second.sendBytes(bytes);
    expect((await second.expect({ 35: 5 }))[58]).toBe('The log-on is refused.');
    expect(first.isClosed).toBe(false);
    first.close();
  });

  it('takes a Logon that is signed by Ed25519, and none by another key', async () => {
    const own = await ed25519FixKeyOf(trader);
    const client = await FixClient.connect(port, 'ED25519', own);
    await client.logOn();
    client.send('D', order('ed25519'));
    await client.expect({ 35: 8, 11: 'ed25519', 150: 0 });
    client.close();
    const { secret } = await ed25519FixKeyOf(trader);
    const forger = await FixClient.connect(port, 'ED25519', { ...own, secret });
    forger.sendLogOn();
    await forger.expect({ 35: 5, 58: 'The log-on is refused.' });
    await forger.disconnected();
  });

  it('gives a session to its latest log-on', async () => {
    const first = await FixClient.connect(port, 'TAKEN', key);
    await first.logOn();
    const second = await FixClient.connect(port, 'TAKEN', key);
    second.next = 2;
    await second.logOn();
    await first.disconnected();
    second.send('1', { 112: 'here' });
    await second.expect({ 35: 0, 112: 'here' });
    second.close();
  });

  it('keeps users apart who have the same SenderCompID', async () => {
    const other = await newUser(app, 'other');
    const mine = await FixClient.connect(port, 'SAME', key);
    await mine.logOn();
    mine.send('D', order('mine'));
    await mine.expect({ 35: 8, 11: 'mine', 150: 0 });
    const theirs = await FixClient.connect(port, 'SAME', await fixKeyOf(other));
    await theirs.logOn();
    theirs.send('2', { 7: 1, 16: 0 });
    await theirs.expect({ 35: 4, 123: 'Y', 36: 2 });
    expect(theirs.received).toHaveLength(2);
    mine.close();
    theirs.close();
  });

  it('ends a session with its key', async () => {
    const doomed = await fixKeyOf(trader);
    const client = await FixClient.connect(port, 'DOOMED', doomed);
    await client.logOn();
    await answered(trader.delete(`/auth/api-keys/${doomed.id}`), 204);
    await client.expect({ 35: 5 });
    await client.disconnected();
  });

  it('sends again what a client has missed: reports as they were, and a gap fill for the rest', async () => {
    let client = await FixClient.connect(port, 'RESUME', key);
    await client.logOn();
    client.send('D', order('resume-1'));
    const first = await client.expect({ 35: 8, 11: 'resume-1', 150: 0 });
    client.send('1', { 112: 'x' });
    await client.expect({ 35: 0, 112: 'x' });
    client.close();
    // Something happens while it is away.
    const { body } = await trader.get('/orders?client_order_id=resume-1');
    await answered(trader.delete(`/orders/${body.data[0].order_id}`), 200);

    const { next } = client;
    client = await FixClient.connect(port, 'RESUME', key);
    client.next = next;
    await client.logOn();
    const missed = await client.expect({ 35: 8, 11: 'resume-1', 150: 4 });
    client.send('2', { 7: 1, 16: 0 });
    await client.expect({ 35: 4, 43: 'Y', 34: 1, 123: 'Y', 36: first[34]! });
    const again = await client.expect({ 35: 8, 43: 'Y', 34: first[34]! });
    expect(again).toMatchObject({ 17: first[17], 122: first[52] });
    await client.expect({ 35: 4, 43: 'Y', 34: Number(first[34]) + 1, 36: missed[34]! });
    await client.expect({ 35: 8, 43: 'Y', 34: missed[34]!, 17: missed[17]! });
    client.close();
  });

  describe('under hostile bytes', () => {
    const stillServes = async (): Promise<void> => {
      const client = await FixClient.connect(port, 'PROBE', key);
      await client.logOn({ isReset: true });
      client.close();
    };

    it.each<[string, () => string | Buffer]>([
      ['noise', () => randomBytes(10_000)],
      ['a request of HTTP', () => 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
      ['a length beyond all', () => '8=FIX.4.4\x019=999999\x0135=A\x01'],
      ['a length that is no number', () => '8=FIX.4.4\x019=-1\x0135=A\x01'.padEnd(64, 'x')],
      ['a message that is too long', () => `8=FIX.4.4\x019=70000\x01${'x'.repeat(70_000)}`],
      ['a wrong checksum', () => '8=FIX.4.4\x019=5\x0135=A\x0110=000\x01'],
      ['an order before the log-on', () => '8=FIX.4.4\x019=5\x0135=D\x0110=183\x01'],
    ])('hangs up on %s before a log-on', async (_what, bytes) => {
      const client = await FixClient.connect(port, 'HOSTILE', key);
      client.sendBytes(bytes());
      await client.disconnected();
      expect(client.received).toEqual([]);
      await stillServes();
    });

    it('ignores what is garbled in a session, and hangs up on too much of it', async () => {
      const client = await FixClient.connect(port, 'GARBLED', key);
      await client.logOn();
      client.sendBytes('8=FIX.4.4\x019=9999\x01garbage');
      client.sendBytes(client.encode({ 35: 1, 112: 'lost', 10: '999' }));
      client.send('1', { 112: 'still here' });
      await client.expect({ 35: 0, 112: 'still here' });
      client.sendBytes('8=FIX'.repeat(50) + 'x'.repeat(64));
      await client.disconnected();
      await stillServes();
    });

    it('survives random fields of every message', async () => {
      const client = await FixClient.connect(port, 'FUZZ', key);
      await client.logOn();
      const values = [
        '',
        '0',
        'Y',
        '-1',
        '1e9',
        '9'.repeat(40),
        '\xff\x00',
        'BTC-USD',
        '20300101-00:00:00',
        '=',
      ];
      const random = (below: number): number => Math.floor(Math.random() * below);
      const sent = 300;
      for (let count = 0; count < sent; count++) {
        const type = ['D', 'F', 'G', 'H', 'q', 'V', 'x', 'j', 'AE', 'R'][random(10)]!;
        const tags = [
          1, 11, 18, 37, 38, 40, 41, 44, 54, 55, 59, 60, 99, 111, 126, 146, 262, 263, 264, 267, 269, 320, 530,
          559,
        ];
        const fields = Object.fromEntries(
          Array.from(
            { length: random(12) },
            () => [tags[random(tags.length)], values[random(values.length)]] as Json,
          ),
        ) as Record<number, string>;
        client.send(type, fields);
      }
      client.send('1', { 112: 'end' });
      await client.expect({ 35: 0, 112: 'end' });
      await stillServes();
      client.close();
    });
  });
});
