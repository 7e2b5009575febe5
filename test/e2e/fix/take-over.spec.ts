import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FixListener } from '../../../plugins/fix/connection/fix-listener.js';
import FixPlugin from '../../../plugins/fix/index.js';
import type { TestApp } from '../../support/app.js';
import { fund, newUser } from '../../support/clients/accounts-client.js';
import { FixClient, type FixKey, fixKeyOf, utcTime } from '../../support/clients/fix-client.js';
import type { UserCaller } from '../../support/clients/users-client.js';
import { Replicas } from '../../support/replicas.js';

describe('a session of FIX on two processes', () => {
  let replicas: Replicas;
  let trader: UserCaller;
  let key: FixKey;

  beforeAll(async () => {
    replicas = await Replicas.start({ plugins: [FixPlugin], environment: { FIX_PORT: '0' } });
    trader = await newUser(replicas.leader, 'trader');
    await fund(replicas.leader, (await trader.get('/accounts')).body.data[0].account_id, '1000000');
    key = await fixKeyOf(trader);
  });
  afterAll(async () => {
    await replicas.stop();
  });

  const at = ({ app }: TestApp): Promise<FixClient> =>
    FixClient.connect(app.nest.get(FixListener, { strict: false }).port!, 'DESK', key);
  const order = (clOrdId: string): Record<number, string | number> => ({
    11: clOrdId,
    55: 'BTC-USD',
    54: 1,
    40: 2,
    38: '0.1',
    44: '100',
    60: utcTime(),
  });

  it('is of the latest log-on, goes on with its numbers, and tells each report once', async () => {
    const first = await at(replicas.leader);
    await first.logOn({ heartBeatS: 1 });
    first.send('D', order('one'));
    const told = await first.expect({ 35: 8, 11: 'one', 150: 0 });

    const second = await at(replicas.other);
    second.next = first.next;
    expect(Number((await second.logOn())[34])).toBeGreaterThan(Number(told[34]));
    // With its next message it finds that the session is no longer its own.
    await first.disconnected();

    second.send('D', order('two'));
    await second.expect({ 35: 8, 11: 'two', 150: 0 });
    second.send('2', { 7: 1, 16: 0 });
    await second.expect({ 35: 8, 43: 'Y', 11: 'one', 17: told[17]! });
    await second.expect({ 35: 8, 43: 'Y', 11: 'two' });
    const reports = [...first.received, ...second.received].filter(
      (message) => message[35] === '8' && message[43] !== 'Y',
    );
    expect(reports.map((message) => message[11])).toEqual(['one', 'two']);
    second.close();
  });
});
