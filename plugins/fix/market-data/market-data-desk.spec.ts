import { describe, expect, it, vi } from 'vitest';
import type { MarketData } from '../../../src/index.js';
import type { Client } from '../client.js';
import { encodeBody, encodeMessage } from '../codec/encode.js';
import type { Field } from '../codec/fields.js';
import { FixMessage } from '../codec/fix-message.js';
import { MSG_TYPE, TAG } from '../codec/tags.js';
import { MarketDataDesk } from './market-data-desk.js';

const HEADER = { sequence: 1, senderCompId: 'THEM', targetCompId: 'US', sendingTimeMs: 0 };

function request(id: string, symbols: readonly string[]): FixMessage {
  const fields: Field[] = [
    [TAG.MDReqID, id],
    [TAG.SubscriptionRequestType, '1'],
    [TAG.MarketDepth, '0'],
    [TAG.MDUpdateType, '1'],
    [TAG.NoMDEntryTypes, '1'],
    [TAG.MDEntryType, '0'],
    [TAG.NoRelatedSym, String(symbols.length)],
    ...symbols.map((symbol) => [TAG.Symbol, symbol] as const),
  ];
  const header = { ...HEADER, msgType: MSG_TYPE.MarketDataRequest };
  return FixMessage.read(encodeMessage(header, encodeBody(fields)));
}

describe('market data of a session', () => {
  const followed = new Set<object>();
  const sent: string[] = [];
  const data = {
    market: () => Promise.resolve({}),
    orderbook: () => Promise.resolve({ bids: [], asks: [] }),
    follow: () => {
      const follower = {};
      followed.add(follower);
      return () => void followed.delete(follower);
    },
  } as unknown as MarketData;
  const client = {
    sendUnkept: (msgType: string) => void sent.push(msgType),
    caughtUp: () => Promise.resolve(),
    pace: () => Promise.resolve(),
  } as unknown as Client;

  it('follows nothing for a client that is gone, however far its request was', async () => {
    const ticks = 30;
    for (let endAfter = 0; endAfter < ticks; endAfter++) {
      const desk = new MarketDataDesk(data, client);
      const taken = desk.take(request('book', ['A', 'B', 'C']));
      for (let tick = 0; tick < endAfter; tick++) await Promise.resolve();
      desk.end();
      await taken;
      expect(followed.size, `ended after ${endAfter} steps`).toBe(0);
    }
  });

  it('waits for the client between two markets', async () => {
    const waited = vi.spyOn(client, 'caughtUp');
    sent.length = 0;
    await new MarketDataDesk(data, client).take(request('book', ['A', 'B', 'C']));
    expect(sent).toEqual(Array(3).fill(MSG_TYPE.MarketDataSnapshotFullRefresh));
    expect(waited).toHaveBeenCalledTimes(3);
  });

  it('refuses a request that names no market, and keeps nothing of it', async () => {
    const desk = new MarketDataDesk(data, client);
    sent.length = 0;
    await desk.take(request('none', []));
    await desk.take(request('none', []));
    expect(sent).toEqual(Array(2).fill(MSG_TYPE.MarketDataRequestReject));
  });
});
