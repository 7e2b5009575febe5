import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  PayoutRail,
  UnreadableReport,
  type PayoutBatch,
  TradepostPlugin,
  type RailFile,
  type RailReport,
  type RailTerms,
} from '../../../src/index.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { approvedKyc } from '../../support/clients/kyc-client.js';
import { type Caller, callerFor } from '../../support/caller.js';
import { expectBalancedBooks } from '../../support/clients/markets-client.js';
import { addIban, closeBatch, payOut, upload } from '../../support/clients/payouts-client.js';

/** Pays at once, by orders in JSON, at any hour of a business day. */
class InstantRail extends PayoutRail {
  override rails(): readonly RailTerms[] {
    return [
      {
        name: 'instant',
        accountType: 'iban',
        currency: 'EUR',
        calendar: 'target2',
        timeZone: 'UTC',
        cutOffMinutes: 24 * 60,
        leadDays: 0,
        paidAfterDays: 1,
        paymentsMax: 2,
        filesPerDayMax: 4,
      },
    ];
  }

  override missingSettings(): readonly string[] {
    return [];
  }

  override refusalOfName(_rail: string, holderName: string): string | undefined {
    return holderName === 'Nobody' ? 'Somebody must be paid.' : undefined;
  }

  override refusalOf(): undefined {
    return undefined;
  }

  override write({ fileNumber, payments }: PayoutBatch): RailFile {
    const orders = payments.map(({ paymentId, amountCents }) => ({ paymentId, cents: Number(amountCents) }));
    return {
      name: `instant-${fileNumber}.json`,
      mediaType: 'application/json',
      content: Buffer.from(JSON.stringify(orders)),
      bankReferences: payments.map(({ paymentId }) => `I-${paymentId}`),
    };
  }

  override read(content: Buffer): RailReport {
    const references = content.toString('utf8').split('\n');
    if (!references[0]?.startsWith('I-')) throw new UnreadableReport('It is no list of references.');
    return {
      rail: 'instant',
      format: 'lines',
      entries: references.map((bankReference) => ({
        subject: { bankReference },
        status: 'paid',
        code: null,
        message: null,
        amountCents: null,
      })),
      remarks: ['All is well.'],
    };
  }
}

@TradepostPlugin({ name: 'instant', compatibility: '*', implementations: [InstantRail] })
class InstantPlugin {}

describe('a rail of a plugin', () => {
  let app: TestApp;
  let demo: Caller;
  let operator: Caller;

  beforeAll(async () => {
    app = await startTestApp({ plugins: [InstantPlugin] });
    [demo, operator] = await Promise.all([callerFor(app.url, 'demo'), callerFor(app.url, 'admin')]);
  });
  afterAll(() => app.close());

  it('carries payouts instead of files of the house', async () => {
    const nobody = { type: 'iban', holder_name: 'Nobody', iban: 'NL91ABNA0417164300', currency: 'EUR' };
    expect((await demo.post('/payout-accounts', nobody)).status).toBe(400);
    // The rail does not support dollars.
    const dollars = {
      type: 'ach',
      holder_name: 'Anna',
      routing_number: '021000021',
      account_number: '12345',
    };
    const us = { ...dollars, account_type: 'checking', currency: 'USD' };
    expect((await demo.post('/payout-accounts', us)).status).toBe(400);

    await approvedKyc(demo, operator);
    const account = await addIban(demo);
    const first = await payOut(demo, account, '1.5');
    const { file, content } = await closeBatch(operator, 'instant');
    expect(file).toMatchObject({ name: 'instant-1.json', rail: 'instant', number: 1 });
    const paymentId = first.payout_id.replace('_', '-');
    expect(JSON.parse(content)).toEqual([{ paymentId, cents: 150 }]);

    expect((await upload(operator, 'nothing')).status).toBe(422);
    expect((await upload(operator, `I-${paymentId}\nI-else`)).body).toMatchObject({
      rail: 'instant',
      remarks: ['All is well.'],
      entries: [
        { payout_id: first.payout_id, outcome: 'applied', status: 'paid' },
        { payout_id: null, outcome: 'ignored' },
      ],
    });
    expect(await demo.balance('EUR')).toMatchObject({ held: '0', total: '999998.5' });
    await expectBalancedBooks(operator);
  });

  it('has as many files as it takes, each with no more than it may have', async () => {
    const [account] = (await demo.get('/payout-accounts')).body.data;
    for (let count = 0; count < 5; count++) await payOut(demo, account.payout_account_id, '1');
    const { body } = await operator.post('/admin/payout-files', { rail: 'instant' });
    expect(
      body.data.map(({ number, payments }: { number: number; payments: number }) => [number, payments]),
    ).toEqual([
      [2, 2],
      [3, 2],
      [4, 1],
    ]);
    await payOut(demo, account.payout_account_id, '1');
    const { status, body: refusal } = await operator.post('/admin/payout-files', { rail: 'instant' });
    expect({ status, code: refusal.error.code }).toEqual({ status: 409, code: 'conflict' });
  });
});
