import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../support/app.js';
import { approvedKyc } from '../../support/clients/kyc-client.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { expectBalancedBooks } from '../../support/clients/markets-client.js';
import {
  addIban,
  closeBatch,
  pain002,
  payOut,
  readPain001,
  startBank,
  upload,
} from '../../support/clients/payouts-client.js';

interface Order {
  readonly file: Json;
  readonly messageId: string;
  /** As the bank calls the payments. */
  readonly ids: readonly string[];
  readonly payouts: readonly string[];
}

describe('reports of banks', () => {
  let app: TestApp;
  let demo: Caller;
  let operator: Caller;
  let account: string;

  beforeAll(async () => {
    app = await startBank();
    [demo, operator] = await Promise.all([callerFor(app.url, 'demo'), callerFor(app.url, 'admin')]);
    account = await addIban(demo);
    await approvedKyc(demo, operator);
  });
  afterEach(() => expectBalancedBooks(operator));
  afterAll(() => app.close());

  /** A file with as many payouts of one euro. */
  const order = async (count: number): Promise<Order> => {
    const payouts: string[] = [];
    for (let made = 0; made < count; made++) payouts.push((await payOut(demo, account, '1')).payout_id);
    const { file, content } = await closeBatch(operator, 'sepa');
    const { GrpHdr, PmtInf } = readPain001(content);
    return {
      file,
      messageId: GrpHdr.MsgId,
      ids: PmtInf.CdtTrfTxInf.map((each: Json) => each.PmtId.EndToEndId),
      payouts,
    };
  };
  const statusesOf = async ({ payouts }: Order): Promise<string[]> => {
    const replies = await Promise.all(payouts.map((id) => demo.get(`/payouts/${id}`)));
    return replies.map(({ body }) => body.status);
  };
  const report = async (...args: Parameters<typeof pain002>): Promise<Json> => {
    const { status, body } = await upload(operator, pain002(...args));
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };

  it('give a payment its own status before its file’s, whichever report has it', async () => {
    const sent = await order(3);
    const { messageId, ids } = sent;
    const { entries } = await report(messageId, [{ id: ids[0]!, status: 'ACSC' }], {
      status: 'RJCT',
      code: 'AM04',
    });
    expect(entries).toMatchObject([
      { bank_reference: ids[0], outcome: 'applied', status: 'paid', code: null },
      { bank_reference: ids[1], outcome: 'applied', status: 'failed', code: 'AM04' },
      { bank_reference: ids[2], outcome: 'applied', status: 'failed', code: 'AM04' },
    ]);
    const later = await report(messageId, [], { status: 'RJCT', code: 'NARR' });
    expect(later.entries).toMatchObject([
      { outcome: 'ignored', status: 'paid', reason: expect.stringContaining('confirmed') },
      { outcome: 'unchanged', status: 'failed' },
      { outcome: 'unchanged', status: 'failed' },
    ]);
    expect(await statusesOf(sent)).toEqual(['paid', 'failed', 'failed']);
  });
});
