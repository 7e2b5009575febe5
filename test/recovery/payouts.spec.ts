import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { approvedKyc } from '../support/clients/kyc-client.js';
import { type Caller, callerFor, type Json } from '../support/caller.js';
import { addIban, contentOf, readPain001 } from '../support/clients/payouts-client.js';
import { eventually } from '../support/core.js';
import { rounds } from '../support/rounds.js';
import { checkBooks } from './order-load.js';
import { type ServiceProcess, Site } from './service-under-fire.js';

const ROUNDS = rounds('CRASH_ROUNDS', 2, 20);
const PAYOUTS_A_ROUND = 12;
const SETTINGS = {
  PAYOUT_COMPANY_NAME: 'Tradepost Example',
  PAYOUT_SEPA_IBAN: 'FR1420041010050500013M02606',
};

describe('kill -9 while payouts are made and their files are written', () => {
  let site: Site;
  const before = Object.keys(SETTINGS).map((name) => [name, process.env[name]] as const);
  beforeAll(() => Object.assign(process.env, SETTINGS));
  afterAll(() => {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
  });
  beforeEach(async () => {
    site = await Site.open();
  });
  afterEach(() => site.close(), 180_000);

  it(
    'pays each once: in one file, numbered without gaps, or in none',
    async () => {
      let service = await site.start();
      let [demo, operator] = await callers(service);
      await approvedKyc(demo, operator);
      const account = await addIban(demo);
      // Every file and every commit of the core is delayed before it is durable, so that a kill meets one in flight.
      await site.slowCommits(5);
      await site.query(`
        CREATE FUNCTION linger_file() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN PERFORM pg_sleep(0.2); RETURN NULL; END';
        CREATE CONSTRAINT TRIGGER linger_file AFTER INSERT ON payout_files
          DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION linger_file()`);

      const keys: string[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const sent = Array.from({ length: PAYOUTS_A_ROUND }, (_, place) => `${round}-${place}`);
        keys.push(...sent);
        const hammering = Promise.allSettled([
          ...sent.map((key) => send(demo, account, key)),
          ...Array.from({ length: 6 }, async (_, turn) => {
            await delay(turn * 60);
            return operator.post('/admin/payout-files', { rail: 'sepa' });
          }),
        ]);
        await delay(150 + Math.random() * 400);
        await service.kill();
        await hammering;
        service = await site.start();
        [demo, operator] = await callers(service);
        // Unanswered requests are sent again under their keys, as every caller should.
        for (const key of sent) expect((await send(demo, account, key)).status).toBe(201);
      }
      await operator.post('/admin/payout-files', { rail: 'sepa' });
      await eventually(
        async () => (await site.query('SELECT FROM payouts WHERE due_command IS NOT NULL')).length === 0,
        'nothing is left half done',
      );

      const payouts = await demo.walk('/payouts', 200);
      expect(payouts).toHaveLength(keys.length);
      expect(payouts.map(({ reference }: Json) => reference).sort()).toEqual([...keys].sort());
      expect(new Set(payouts.map(({ status }: Json) => status))).toEqual(new Set(['processing']));

      const files = (await operator.walk('/admin/payout-files', 200)).reverse();
      expect(files.map(({ number }: Json) => number)).toEqual(files.map((_file, place) => place + 1));
      const inFiles: string[] = [];
      for (const file of files) {
        const order = readPain001(await contentOf(operator, file.file_id));
        expect(order.GrpHdr.MsgId).toBe(`TRADEPOST-SEPA-${String(file.number).padStart(6, '0')}`);
        const ids = order.PmtInf.CdtTrfTxInf.map((each: Json) => each.PmtId.EndToEndId.replace('-', '_'));
        expect(ids).toHaveLength(file.payments);
        inFiles.push(...ids);
      }
      expect(inFiles.sort()).toEqual(payouts.map(({ payout_id }: Json) => payout_id).sort());

      expect(await demo.balance('EUR')).toMatchObject({ held: String(2 * keys.length), total: '1000000' });
      const api = service.client();
      const books = await checkBooks(api);
      api.close();
      expect(await service.stop()).toBe(0);
      const { code, said } = await site.verify();
      expect({ code, said }).toMatchObject({
        code: 0,
        said: expect.stringContaining(books.state_hash) as string,
      });
    },
    180_000 + ROUNDS * 30_000,
  );

  function callers(service: ServiceProcess): Promise<[demo: Caller, operator: Caller]> {
    return Promise.all([callerFor(service.url, 'demo'), callerFor(service.url, 'admin')]);
  }

  function send(demo: Caller, account: string, key: string): ReturnType<Caller['post']> {
    return demo.post(
      '/payouts',
      { payout_account_id: account, amount: '2', currency: 'EUR', reference: key },
      { 'Idempotency-Key': key },
    );
  }
});
