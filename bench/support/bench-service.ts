import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { type Answer, ApiClient } from '../../scripts/support/api-client.js';
import { ServiceProcess } from '../../src/testing/service-process.js';
import { digestOf, newSecret } from '../../src/modules/auth/secrets/secrets.js';
import { DEPOSITS, type OpenAccountsDto } from '../server/crowd.controller.js';
import type { MakeOrdersDto } from '../server/history.controller.js';
import { REAL, type Workload } from './workload.js';

const SERVER = fileURLToPath(new URL('../server.js', import.meta.url));
const POLL_MS = 50;
const LAG_OF_TABLES = /^tradepost_core_projection_lag_seconds (\S+)$/m;
const LAG_OF_FOLLOWER = /^tradepost_follower_lag_seconds\{.*?follower="(.*?)".*?\} (\S+)$/gm;

/** Somebody who places orders: an account, and what may use it. */
export interface Trader {
  readonly accountId: string;
  readonly token: string;
  /** The header that its orders come with: an API key of its own, or the token. */
  readonly credential: string;
}

/** A trader whose key also signs in dialects of plugins. */
export interface SigningTrader extends Trader {
  readonly apiKey: string;
  readonly secret: string;
}

interface BenchServiceOptions {
  readonly workload?: Workload;
  /** For profilers. */
  readonly nodeArgs?: readonly string[];
  /** Lets other processes serve beside it. */
  readonly redisUrl?: string;
  /** On top of the bench's own settings, until it is restarted. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The service under test, in a process of its own, with accounts that have money to trade with. */
export class BenchService {
  private constructor(
    private process: ServiceProcess,
    private client: ApiClient,
    readonly databaseUrl: string,
    readonly workload: Workload,
    private readonly operatorToken: string,
    readonly buyers: readonly Trader[],
    readonly sellers: readonly Trader[],
  ) {}

  static async start(
    databaseUrl: string,
    { workload = REAL, nodeArgs = [], redisUrl, env }: BenchServiceOptions = {},
  ): Promise<BenchService> {
    const process = await startBench(databaseUrl, nodeArgs, redisUrl, env);
    const client = new ApiClient(process.url);
    const operator = await client.authorize('admin:admin-secret');
    const openAccounts = async (owner: OpenAccountsDto['owner']): Promise<Trader[]> => {
      const token = await client.authorize(`${owner}:${owner}-secret`);
      const { body } = await client.expect<{ account_ids: string[] }>(200, 'POST', '/bench/accounts', {
        token: operator,
        json: { owner, accounts: workload.accountsPerSide },
      });
      const accountIds = body.account_ids;
      const keys = workload.apiKeys ? await makeApiKeys(databaseUrl, owner, accountIds.length) : [];
      return accountIds.map((accountId, i) => {
        const key = keys[i];
        return { accountId, token, credential: key === undefined ? bearer(token) : `api_key: ${key}` };
      });
    };
    return new BenchService(
      process,
      client,
      databaseUrl,
      workload,
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

  /** A spot market with the fees of the workload, unless `terms` say otherwise. */
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
        ...this.workload.fees,
        ...terms,
      },
    });
  }

  /** A new user with that many accounts, which have money, and a key for each. */
  async openSigningTraders(username: string, accounts: number): Promise<SigningTrader[]> {
    const password = `${username}-password`;
    const operator = { token: this.operatorToken };
    await this.client.expect(200, 'POST', '/user', { ...operator, json: { username, password } });
    const { body: token } = await this.client.expect<string>(200, 'GET', '/user/login', {
      basic: `${username}:${password}`,
    });
    const traders: SigningTrader[] = [];
    while (traders.length < accounts) {
      const name = `bot ${traders.length}`;
      const { body: account } = await this.client.expect<{ account_id: string }>(201, 'POST', '/accounts', {
        token,
        json: { name },
      });
      const accountId = account.account_id;
      for (const deposit of DEPOSITS) {
        const json = { ...deposit, reference: 'bench' };
        const path = `/admin/accounts/${accountId}/deposits`;
        await this.client.expect(201, 'POST', path, { ...operator, json });
      }
      const key = {
        name,
        account_id: accountId,
        scopes: ['markets:trade', 'account:read'],
        signing: 'hmac-sha256',
      };
      const { body: made } = await this.client.expect<{ api_key: string; secret: string }>(
        201,
        'POST',
        '/auth/api-keys',
        { token, json: key },
      );
      traders.push({
        accountId,
        token,
        credential: bearer(token),
        apiKey: made.api_key,
        secret: made.secret,
      });
    }
    return traders;
  }

  /** Answers the order, with its fills. */
  async placeOrder<T>({ token, accountId }: Trader, order: object): Promise<T> {
    const json = { ...order, account_id: accountId };
    return (await this.client.expect<T>(201, 'POST', '/orders', { token, json })).body;
  }

  /** Whatever a trader is answered: also that it should come again. */
  look<T>({ token }: Trader, path: string): Promise<Answer<T>> {
    return this.client.call<T>('GET', path, { token });
  }

  /** A call of the operator, which has to succeed: also to the bench's own routes. */
  async operate<T>(method: string, path: string, json?: object, status = 200): Promise<T> {
    const { body } = await this.client.expect<T>(status, method, path, { token: this.operatorToken, json });
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

  /** Makes orders inside the service, without HTTP for each; by all traders unless some are named. */
  async makeOrders(
    what: Omit<MakeOrdersDto, 'buyers' | 'sellers' | 'key_every'>,
    traders?: { buyers: readonly Trader[]; sellers: readonly Trader[] },
  ): Promise<void> {
    const idsOf = (some?: readonly Trader[]) => some?.map(({ accountId }) => accountId);
    await this.operate('POST', '/bench/orders', {
      ...what,
      buyers: idsOf(traders?.buyers),
      sellers: idsOf(traders?.sellers),
      key_every: this.workload.keyEvery ?? undefined,
    });
  }

  /** Of lines of `/metrics` at one moment, such as `tradepost_core_rows_written_total`; undefined for one that it has not. */
  async metrics(names: readonly string[]): Promise<(number | undefined)[]> {
    const lines = (await this.metricsText()).split('\n');
    return names.map((name) => {
      const line = lines.find((candidate) => candidate.startsWith(`${name} `));
      return line === undefined ? undefined : Number(line.slice(name.length + 1));
    });
  }

  /** How many seconds each of those that follow the journal is behind, by what the service says. */
  async followerLags(): Promise<ReadonlyMap<string, number>> {
    return followerLagsIn(await this.metricsText());
  }

  /** What its process has used since it began, all threads together. */
  async cpuSeconds(): Promise<number> {
    const stat = await readFile(`/proc/${this.process.pid}/stat`, 'utf8');
    // Behind the name, which may hold spaces, from the third field on; a tick is a hundredth of a second.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }

  /**
   * Waits until all that follow the journal have caught up with it, as long as is given them: a service that keeps its
   * promises needs a second. Answers whether they have.
   */
  async caughtUp(msMax: number): Promise<boolean> {
    const deadlineMs = performance.now() + msMax;
    do {
      const lags = await this.followerLags();
      if ([...lags.values()].every((seconds) => seconds === 0)) return true;
      await delay(POLL_MS);
    } while (performance.now() < deadlineMs);
    return false;
  }

  private async metricsText(): Promise<string> {
    const headers = { Authorization: `Bearer ${this.operatorToken}` };
    return (await fetch(`${this.url}/metrics`, { headers })).text();
  }

  /** A question to its database, past the service. */
  ask<T extends pg.QueryResultRow>(statement: string, parameters: unknown[] = []): Promise<T[]> {
    return askOnce<T>(this.databaseUrl, statement, parameters);
  }

  /**
   * Kills it as a power cut would, starts the service as it is shipped, without the bench's own routes, and answers
   * how long the first order took from the start; then the bench's service has its place again.
   */
  async restartAfterKill(marketId: string): Promise<{ seconds: number; residentMb: number }> {
    await this.process.end('SIGKILL');
    await this.process.stop();
    this.client.close();
    const startedAt = performance.now();
    this.become(await ServiceProcess.start({ env: environmentOf(this.databaseUrl) }));
    const [trader] = this.buyers as [Trader];
    await this.placeOrder(trader, {
      market_id: marketId,
      side: 'buy',
      type: 'limit',
      price: '1',
      size: '0.001',
    });
    const seconds = (performance.now() - startedAt) / 1_000;
    const residentMb = await residentMbOf(this.process.pid);
    await this.stop();
    this.become(await startBench(this.databaseUrl, []));
    return { seconds, residentMb };
  }

  async stop(): Promise<void> {
    this.client.close();
    await this.process.stop();
  }

  private become(process: ServiceProcess): void {
    this.process = process;
    this.client = new ApiClient(process.url);
  }
}

/** A question to a database, on a connection of its own. */
export async function askOnce<T extends pg.QueryResultRow>(
  databaseUrl: string,
  statement: string,
  parameters: unknown[] = [],
): Promise<T[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<T>(statement, parameters);
    return rows;
  } finally {
    await client.end();
  }
}

/** By the names of the followers: the tables first. */
export function followerLagsIn(metrics: string): ReadonlyMap<string, number> {
  const ofTables = LAG_OF_TABLES.exec(metrics)?.[1];
  const lags = new Map(ofTables === undefined ? [] : [['tables', Number(ofTables)]]);
  for (const [, follower, seconds] of metrics.matchAll(LAG_OF_FOLLOWER)) lags.set(follower!, Number(seconds));
  return lags;
}

/** Keys that reach all accounts of a client, as the programs of customers have them; made without a user for each. */
async function makeApiKeys(databaseUrl: string, client: string, count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, () => newSecret('tpk'));
  await askOnce(
    databaseUrl,
    `INSERT INTO api_keys (api_key_id, key_hash, prefix, name, scopes, account_owner)
     SELECT 'key_' || $1 || place, digest, 'tpk_benc', 'Bench', '{markets:trade,account:read}', 'client:' || $1
     FROM unnest($2::text[]) WITH ORDINALITY AS made (digest, place)`,
    [client, keys.map(digestOf)],
  );
  return keys;
}

function bearer(token: string): string {
  return `Authorization: Bearer ${token}`;
}

/** The bench's service in a process of its own, beside others where there is a Redis. */
export function startBench(
  databaseUrl: string,
  nodeArgs: readonly string[],
  redisUrl?: string,
  more: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  const shared = redisUrl !== undefined && { REDIS_URL: redisUrl };
  const env = { ...environmentOf(databaseUrl), ...shared, ...more };
  return ServiceProcess.start({ entry: SERVER, nodeArgs, env });
}

function environmentOf(databaseUrl: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    SEED_DEMO: 'true',
    FIX_PORT: '0',
    // What is measured is no limit; all accounts of a side are one person's.
    OWNER_OPEN_ORDERS_MAX: '1000000',
    OWNER_OPEN_STOPS_MAX: '1000000',
    FIX_CONNECTIONS_PER_ADDRESS: '1000',
    FIX_MESSAGES_PER_SECOND: '100000',
  };
}

async function residentMbOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)![1]) / 1_024;
}
