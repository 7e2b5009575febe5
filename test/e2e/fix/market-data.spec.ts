import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FixListener } from '../../../plugins/fix/connection/fix-listener.js';
import FixPlugin from '../../../plugins/fix/index.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { Caller, callerFor, type Json } from '../../support/caller.js';
import { newUser } from '../../support/clients/accounts-client.js';
import {
  FixClient,
  type FixFields,
  fixKeyOf,
  type ReceivedMessage,
} from '../../support/clients/fix-client.js';
import { limit, tradeAtRandom } from '../../support/clients/markets-client.js';
import { eventually } from '../../support/eventually.js';

const MARKET = '146=1|55=BTC-USD|';
const ALL_TYPES = '267=3|269=0|269=1|269=2|';

describe('market data by FIX', () => {
  let app: TestApp;
  let anyone: Caller;
  let maker: Caller;
  let demo: Caller;
  let client: FixClient;

  beforeAll(async () => {
    app = await startTestApp({ plugins: [FixPlugin], environment: { FIX_PORT: '0' } });
    const port = app.app.nest.get(FixListener, { strict: false }).port!;
    anyone = new Caller(app.url);
    maker = await callerFor(app.url, 'maker');
    demo = await callerFor(app.url, 'demo');
    client = await FixClient.connect(port, 'WATCH', await fixKeyOf(await newUser(app, 'watcher')));
    await client.logOn();
  });
  afterAll(async () => {
    client.close();
    await app.close();
  });

  /** The entries of a W or X, each with its tags. */
  const entriesOf = ({ text }: ReceivedMessage, firstTag: 269 | 279): Record<string, string>[] => {
    const entries: Record<string, string>[] = [];
    for (const field of text
      .slice(text.indexOf('|268=') + 1)
      .split('|')
      .slice(1)) {
      const [tag, value] = field.split('=');
      if (tag === String(firstTag)) entries.push({});
      if (tag !== '10' && tag !== '') entries.at(-1)![tag!] = value!;
    }
    return entries;
  };
  const sideOf = (entries: Record<string, string>[], type: string): string[][] =>
    entries.filter((entry) => entry[269] === type).map((entry) => [entry[270]!, entry[271]!]);
  const ours = async (depth: number): Promise<{ bids: string[][]; asks: string[][] }> => {
    const { body } = await anyone.get(`/markets/BTC-USD/orderbook?depth=${depth}`);
    const levels = (side: Json[]): string[][] => side.map(([price, size]) => [price, size]);
    return { bids: levels(body.bids), asks: levels(body.asks) };
  };

  it('tells the book and the last trades as our own API does', async () => {
    await maker.place(limit('BTC-USD', 'sell', '101', '1'));
    await maker.place(limit('BTC-USD', 'sell', '102', '1'));
    await maker.place(limit('BTC-USD', 'buy', '99', '2'));
    await demo.place(limit('BTC-USD', 'buy', '101', '0.4'));
    for (const [depth, levels] of [
      [1, 1],
      [0, 1_000],
      [2, 2],
    ] as const) {
      client.send('V', { 262: `snapshot-${depth}`, 263: 0, 264: depth }, `${ALL_TYPES}${MARKET}`);
      const entries = entriesOf(
        await client.expect({ 35: 'W', 262: `snapshot-${depth}`, 55: 'BTC-USD' }),
        269,
      );
      expect({ bids: sideOf(entries, '0'), asks: sideOf(entries, '1') }).toEqual(await ours(levels));
      expect(sideOf(entries, '2')).toEqual([['101', '0.4']]);
    }
  });

  it.each([0, 1, 3])('tells every change of a book of depth %s, and every trade once', async (depth) => {
    const id = `follow-${depth}`;
    client.send('V', { 262: id, 263: 1, 264: depth, 265: 1 }, `${ALL_TYPES}${MARKET}`);
    const snapshot = entriesOf(await client.expect({ 35: 'W', 262: id }), 269);
    const before = (await anyone.walk('/markets/BTC-USD/trades', 200)).length;
    await tradeAtRandom([maker, demo], 'BTC-USD', 60);
    const book = (): { bids: string[][]; asks: string[][] } => {
      const sides = [new Map(sideOf(snapshot, '0') as never), new Map(sideOf(snapshot, '1') as never)];
      for (const message of client.received.filter((each) => each[35] === 'X' && each[262] === id)) {
        for (const entry of entriesOf(message, 279).filter((each) => each[269] !== '2')) {
          const side = sides[Number(entry[269])]! as Map<string, string>;
          expect(side.has(entry[270]!), JSON.stringify(entry)).toBe(entry[279] !== '0');
          if (entry[279] === '2') side.delete(entry[270]!);
          else side.set(entry[270]!, entry[271]!);
        }
      }
      const [bids, asks] = sides.map((side) => [...(side as Map<string, string>)]);
      return {
        bids: bids!.sort(([a], [b]) => Number(b) - Number(a)),
        asks: asks!.sort(([a], [b]) => Number(a) - Number(b)),
      };
    };
    const expected = await ours(depth === 0 ? 1_000 : depth);
    await eventually(() => expect(book()).toEqual(expected));
    const trades = (await anyone.walk('/markets/BTC-USD/trades', 200)).reverse().slice(before);
    const told = client.received
      .filter((each) => each[35] === 'X' && each[262] === id)
      .flatMap((message) => sideOf(entriesOf(message, 279), '2'));
    expect(told).toEqual(trades.map(({ price, size }: Json) => [price, size]));
    client.send('V', { 262: id, 263: 2 });
  });

  it.each<[string, FixFields, string, string]>([
    ['an unknown market', { 263: 0, 264: 1 }, `${ALL_TYPES}146=1|55=NOPE|`, '0'],
    ['a depth that is not told', { 263: 0, 264: 5_000 }, `${ALL_TYPES}${MARKET}`, '5'],
    ['full refreshes', { 263: 1, 264: 1, 265: 0 }, `${ALL_TYPES}${MARKET}`, '6'],
    ['an entry that is not told', { 263: 0, 264: 1 }, `267=1|269=B|${MARKET}`, '8'],
    ['the end of what never began', { 263: 2 }, '', '4'],
  ])('refuses %s', async (what, fields, tail, reason) => {
    client.send('V', { 262: what, ...fields }, tail);
    await client.expect({ 35: 'Y', 262: what, 281: reason });
  });

  it('lists all markets, or one', async () => {
    client.send('x', { 320: 'all', 559: 4 });
    const list = await client.expect({ 35: 'y', 320: 'all', 560: 0, 893: 'Y' });
    const markets = await anyone.walk('/markets', 200);
    expect([...list.text.matchAll(/\|55=([^|]+)/g)].map(([, id]) => id)).toEqual(
      markets.map(({ market_id: id }: Json) => id),
    );
    client.send('x', { 320: 'one', 559: 0, 55: 'BTC-USD' });
    await client.expect({ 35: 'y', 320: 'one', 560: 0, 146: 1, 55: 'BTC-USD', 15: 'USD' });
    client.send('x', { 320: 'none', 559: 0, 55: 'NOPE' });
    await client.expect({ 35: 'y', 320: 'none', 560: 2 });
  });
});
