import { fileURLToPath } from 'node:url';
import { ApiClient } from '../../scripts/support/api-client.js';
import { ServiceProcess } from '../../scripts/support/service-process.js';
import type { MakeOrdersDto } from '../server/history.controller.js';

const SERVER = fileURLToPath(new URL('../server.js', import.meta.url));
const ACCOUNTS_PER_SIDE = 16;
const DEPOSITS = [
  { asset: 'USD', amount: '10000000000' },
  { asset: 'BTC', amount: '10000000' },
] as const;

/** Somebody who places orders: an account, and the token that may use it. */
export interface Trader {
  readonly accountId: string;
  readonly token: string;
}

/** The service under test, in a process of its own, with accounts that have money to trade with. */
export class BenchService {
  private constructor(
    private process: ServiceProcess,
    private client: ApiClient,
    readonly databaseUrl: string,
    private readonly operatorToken: string,
    readonly buyers: readonly Trader[],
    readonly sellers: readonly Trader[],
  ) {}

  /** `nodeArgs` are for profilers. */
  static async start(databaseUrl: string, nodeArgs: readonly string[] = []): Promise<BenchService> {
    const process = await startProcess(databaseUrl, nodeArgs);
    const client = new ApiClient(process.url);
    const operator = await client.authorize('admin:admin-secret');
    const openAccounts = async (owner: string): Promise<Trader[]> => {
      const token = await client.authorize(`${owner}:${owner}-secret`);
      const traders: Trader[] = [];
      for (let i = 1; i <= ACCOUNTS_PER_SIDE; i++) {
        const { body } = await client.expect<{ account_id: string }>(201, 'POST', '/admin/accounts', {
          token: operator,
          json: { name: `Bench ${i}`, owner: `client:${owner}` },
        });
        for (const deposit of DEPOSITS) {
          await client.expect(201, 'POST', `/admin/accounts/${body.account_id}/deposits`, {
            token: operator,
            json: { ...deposit, reference: 'bench' },
          });
        }
        traders.push({ accountId: body.account_id, token });
      }
      return traders;
    };
    return new BenchService(
      process,
      client,
      databaseUrl,
      operator,
      await openAccounts('demo'),
      await openAccounts('maker'),
    );
  }

  get url(): string {
    return this.process.url;
  }

  get pid(): number {
    return this.process.pid;
  }

  /** A spot market unless `terms` say otherwise. */
  /** With fees, as real markets have them: what they cost is in every figure. */
  async createMarket(marketId: string, terms: object = {}): Promise<void> {
    await this.client.expect(201, 'POST', '/admin/markets', {
      token: this.operatorToken,
      json: {
        market_id: marketId,
        kind: 'spot',
        base_asset: 'BTC',
        quote_asset: 'USD',
        tick_size: '0.01',
        lot_size: '0.00000001',
        maker_fee_rate: '0.0005',
        taker_fee_rate: '0.001',
        ...terms,
      },
    });
  }

  async placeOrder({ token, accountId }: Trader, order: object): Promise<void> {
    await this.client.expect(201, 'POST', '/orders', { token, json: { ...order, account_id: accountId } });
  }

  /** A call of the operator, which has to succeed: also to the bench's own routes. */
  async operate<T>(method: string, path: string, json?: object): Promise<T> {
    const { body } = await this.client.expect<T>(200, method, path, { token: this.operatorToken, json });
    return body;
  }

  /** A public room of the chat; answers its id. */
  async createRoom(token: string): Promise<string> {
    const { body } = await this.client.expect<{ room_id: string }>(201, 'POST', '/chat/rooms', {
      token,
      json: { name: 'Bench', type: 'public' },
    });
    return body.room_id;
  }

  /** Makes orders inside the service, without HTTP for each; by all accounts unless some are named. */
  async makeOrders(
    what: Omit<MakeOrdersDto, 'buyers' | 'sellers'>,
    { buyers, sellers }: { buyers: readonly Trader[]; sellers: readonly Trader[] } = this,
  ): Promise<void> {
    await this.client.expect(200, 'POST', '/bench/orders', {
      token: this.operatorToken,
      json: {
        ...what,
        buyers: buyers.map(({ accountId }) => accountId),
        sellers: sellers.map(({ accountId }) => accountId),
      },
    });
  }

  /** The value of one line of `/metrics`, such as `tradepost_core_rows_written_total`. */
  async metric(name: string): Promise<number> {
    const text = await fetch(`${this.url}/metrics`, {
      headers: { Authorization: `Bearer ${this.operatorToken}` },
    }).then((response) => response.text());
    const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
    if (line === undefined) throw new Error(`There is no metric ${name}.`);
    return Number(line.slice(name.length + 1));
  }

  /** Kills it as a power cut would, starts it again, and answers how long the first order took from the start. */
  async restartAfterKill(marketId: string): Promise<{ seconds: number }> {
    await this.process.end('SIGKILL');
    await this.process.stop();
    this.client.close();
    const startedAt = performance.now();
    this.process = await startProcess(this.databaseUrl, []);
    this.client = new ApiClient(this.process.url);
    const [trader] = this.buyers as [Trader];
    await this.placeOrder(trader, {
      market_id: marketId,
      side: 'buy',
      type: 'limit',
      price: '1',
      size: '0.001',
    });
    return { seconds: (performance.now() - startedAt) / 1_000 };
  }

  async stop(): Promise<void> {
    this.client.close();
    await this.process.stop();
  }
}

function startProcess(databaseUrl: string, nodeArgs: readonly string[]): Promise<ServiceProcess> {
  return ServiceProcess.start({
    entry: SERVER,
    nodeArgs,
    env: { DATABASE_URL: databaseUrl, SEED_DEMO: 'true' },
  });
}
