import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import BinanceSpotPlugin from '../../../plugins/binance-spot/index.js';
import { callerFor, type Caller } from '../../support/caller.js';
import { fund, newUser } from '../../support/clients/accounts-client.js';
import { type ClientKey, keyOf, signedRequest } from '../../support/clients/binance-clients.js';
import { expectBalancedBooks, limit } from '../../support/clients/markets-client.js';
import { StreamClient } from '../../support/clients/stream-client.js';
import { eventually } from '../../support/eventually.js';
import { isRedisMissing } from '../../support/redis.js';
import { Replicas } from '../../support/replicas.js';

describe.skipIf(isRedisMissing('the dialect of Binance over several processes'))(
  'the dialect of Binance Spot at two processes',
  () => {
    let replicas: Replicas;
    let maker: Caller;
    let key: ClientKey;

    beforeAll(async () => {
      replicas = await Replicas.start({ plugins: [BinanceSpotPlugin] });
      maker = await callerFor(replicas.leader.url, 'maker');
      const trader = await newUser(replicas.leader, 'trader');
      await fund(replicas.leader, (await trader.get('/accounts')).body.data[0].account_id, '1000000');
      key = await keyOf(trader);
    });
    afterAll(async () => {
      await expectBalancedBooks(await callerFor(replicas.leader.url, 'admin'));
      await replicas.stop();
    });

    it('is the same at both: orders, books and streams without gaps', async () => {
      const { leader, other } = replicas;
      const streams = await Promise.all(
        [leader, other].map(({ url }) =>
          StreamClient.open(`${url.replace(/^http/, 'ws')}/binance/ws/btcusd@depth@100ms`),
        ),
      );
      const terms = { symbol: 'BTCUSD', side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: '0.1' };
      const placed: number[] = [];
      for (let i = 0; i < 10; i++) {
        const { url } = i % 2 === 0 ? leader : other;
        const order = { ...terms, price: String(50_000 + i) };
        const { status, body } = await signedRequest(url, 'POST', 'order', order, key);
        expect(status, JSON.stringify(body)).toBe(200);
        placed.push(body.orderId as number);
      }
      await maker.at(other.url).place(limit('BTC-USD', 'sell', '50009', '0.1'));
      for (const { url } of [leader, other]) {
        await eventually(async () => {
          const { body } = await signedRequest(url, 'GET', 'openOrders', { symbol: 'BTCUSD' }, key);
          expect(body.map(({ orderId }: { orderId: number }) => orderId)).toEqual(placed.slice(0, 9));
        });
      }
      const book = async (url: string): Promise<unknown> =>
        (await fetch(`${url}/binance/api/v3/depth?symbol=BTCUSD`)).json();
      await eventually(async () => expect(await book(other.url)).toEqual(await book(leader.url)));
      const { lastUpdateId } = (await book(leader.url)) as { lastUpdateId: number };
      for (const { received } of streams) {
        await eventually(() => expect(received.at(-1)?.u).toBe(lastUpdateId));
        for (let i = 1; i < received.length; i++) expect(received[i].U).toBe(received[i - 1].u + 1);
      }
      for (const stream of streams) stream.close();
    });
  },
);
