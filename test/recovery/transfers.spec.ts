import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../scripts/support/api-client.js';
import { eventually } from '../support/core.js';
import { rounds } from '../support/rounds.js';
import { checkBooks } from './order-load.js';
import { type ServiceProcess, Site } from './service-under-fire.js';

const ROUNDS = rounds('CRASH_ROUNDS', 2, 20);
const AT_ONCE = 8;
const AMOUNT = 3;

/** Sends transfers into a wallet throughout, each with an id under which it can be repeated. */
class TransferLoad {
  readonly sent = new Set<string>();
  readonly acknowledged = new Set<string>();
  private readonly runs: Promise<void>[] = [];
  private running = true;

  constructor(
    private api: ApiClient,
    private readonly token: string,
    private readonly walletId: string,
  ) {
    for (let run = 0; run < AT_ONCE; run++) this.runs.push(this.run(run));
  }

  turnTo(api: ApiClient): void {
    this.api = api;
  }

  async finish(): Promise<void> {
    this.running = false;
    await Promise.all(this.runs);
  }

  private async run(run: number): Promise<void> {
    for (let number = 0; this.running; number++) {
      const id = `${run}-${number}`;
      this.sent.add(id);
      // An unanswered transfer is sent again until it is answered, as every caller should.
      while (this.running && !(await this.send(id))) await delay(20);
    }
  }

  async send(id: string): Promise<boolean> {
    const json = {
      asset: 'USD',
      amount: String(AMOUNT),
      destination: { type: 'wallet', wallet_id: this.walletId },
      client_transfer_id: id,
    };
    try {
      const { status } = await this.api.call('POST', '/accounts/me/transfers', { token: this.token, json });
      if (status !== 201) return false;
      this.acknowledged.add(id);
      return true;
    } catch {
      return false;
    }
  }
}

describe('kill -9 while money is transferred', () => {
  let site: Site;
  beforeEach(async () => {
    site = await Site.open();
  });
  afterEach(async () => {
    await site.close();
  }, 180_000);

  it(
    'moves each amount once, whether it was answered or not',
    async () => {
      let service: ServiceProcess = await site.start();
      await site.slowCommits(10);
      const token = await service.client().authorize('demo:demo-secret');
      const { body: wallet } = await service
        .client()
        .expect<{ wallet_id: string }>(201, 'POST', '/wallets', { token, json: { name: 'Load' } });
      const load = new TransferLoad(service.client(), token, wallet.wallet_id);
      for (let round = 0; round < ROUNDS; round++) {
        await delay(700 + Math.random() * 500);
        const before = load.acknowledged.size;
        await service.kill();
        service = await site.start();
        load.turnTo(service.client());
        await eventually(() => load.acknowledged.size > before + AT_ONCE, 'transfers are answered again');
      }
      // Some stay unanswered: the next start completes them all the same.
      const striking = load.finish();
      await service.kill();
      await striking;
      service = await site.start();
      load.turnTo(service.client());
      await eventually(async () => {
        const due = await site.query('SELECT 1 FROM wallet_transfers WHERE due_command IS NOT NULL');
        return due.length === 0;
      }, 'nothing is half done');

      const done = await site.query<{ id: string; status: string }>(
        'SELECT client_transfer_id AS id, status FROM wallet_transfers',
      );
      const ids = new Set(done.map(({ id }) => id));
      expect(ids.size).toBe(done.length);
      expect(done.every(({ status }) => status === 'completed')).toBe(true);
      expect([...load.acknowledged].filter((id) => !ids.has(id))).toEqual([]);
      expect([...ids].filter((id) => !load.sent.has(id))).toEqual([]);

      const balance = async (): Promise<string> => {
        const { body } = await service
          .client()
          .expect<{ balances: { total: string }[] }>(200, 'GET', `/wallets/${wallet.wallet_id}`, { token });
        return body.balances[0]!.total;
      };
      expect(await balance()).toBe(String(done.length * AMOUNT));
      for (const id of [...ids].slice(-20)) expect(await load.send(id)).toBe(true);
      expect(await balance()).toBe(String(done.length * AMOUNT));
      await checkBooks(service.client());
      expect(await service.stop()).toBe(0);
      expect((await site.verify()).code).toBe(0);
      process.stderr.write(
        `transfers: ${ROUNDS + 1} kills, ${load.acknowledged.size} acknowledged of ${done.length} done\n`,
      );
    },
    180_000 + ROUNDS * 20_000,
  );
});
