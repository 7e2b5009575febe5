import pg from 'pg';
import type {
  AcceptQuote,
  Command,
  CommandResult,
  CreateMarket,
  MoveMoney,
  Outcome,
  PlaceOrder,
} from '../../src/domain/engine/commands.js';
import type { OrderSnapshot, Side, Trade } from '../../src/domain/engine/types.js';
import type { CoreService } from '../../src/core/core.service.js';
import type { CoreRequest } from '../../src/core/core.types.js';
import { type Verification, verifyJournal } from '../../src/core/journal/journal-verifier.js';
import { connectTo } from '../../src/core/leadership/leadership.js';
import { Sequencer } from '../../src/core/sequencer/sequencer.js';
import type { SequencerOptions } from '../../src/core/sequencer/sequencer-options.js';

export { eventually } from './eventually.js';

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly details: object;
}

/** The single writer on a test database, without HTTP and Nest. */
export class TestCore {
  readonly log: LogLine[] = [];
  readonly sequencer: Sequencer;

  constructor(
    readonly url: string,
    options: SequencerOptions = {},
  ) {
    const write = (level: LogLine['level']) => (details: object, message: string) => {
      this.log.push({ level, message, details });
    };
    this.sequencer = new Sequencer(
      connectTo(url),
      { info: write('info'), warn: write('warn'), error: write('error') },
      options,
    );
  }

  static async start(url: string, options: SequencerOptions = {}): Promise<TestCore> {
    const core = new TestCore(url, options);
    await core.sequencer.start();
    return core;
  }

  stop(): Promise<void> {
    return this.sequencer.stop();
  }

  /** Submits these commands as one request; returns their outcomes. */
  async submit(
    commands: readonly Command[],
    idempotency?: CoreRequest['idempotency'],
  ): Promise<readonly Outcome[]> {
    const request = idempotency === undefined ? { commands } : { commands, idempotency };
    return (await this.sequencer.submit(request)).outcomes;
  }

  /** Runs one command, which must not be refused. */
  async run(command: Command): Promise<CommandResult> {
    const [outcome] = await this.submit([command]);
    if (!outcome!.ok) throw new Error(`${command.type} was refused: ${outcome!.refusal.code}`);
    return outcome!.result;
  }

  /** Places one order or accepts one quote; it must not be refused. */
  async place(command: PlaceOrder | AcceptQuote): Promise<{ order: OrderSnapshot; fills: readonly Trade[] }> {
    const result = await this.run(command);
    if (result.type !== 'order') throw new Error(`the answer is ${result.type}, not a new order`);
    return result;
  }

  /** The code with which one command is refused; undefined if it is accepted. */
  async refusalOf(command: Command): Promise<string | undefined> {
    const [outcome] = await this.submit([command]);
    return outcome!.ok ? undefined : outcome!.refusal.code;
  }

  stateHash(): string {
    return this.sequencer.freshTerm().stateHash();
  }

  /** The part of the core that services need to follow its commits and read its tables. */
  get followed(): CoreService {
    const { sequencer } = this;
    const followed: Pick<
      CoreService,
      'leads' | 'hasNotifiedAll' | 'recentRows' | 'followers' | 'onCommitted' | 'projected'
    > = {
      get leads() {
        return sequencer.currentTerm?.isFresh() === true;
      },
      get hasNotifiedAll() {
        return sequencer.hasNotifiedAll;
      },
      get recentRows() {
        return sequencer.currentTerm?.recentRows ?? null;
      },
      followers: sequencer.followers,
      onCommitted: (listener, interest) => sequencer.onCommitted(listener, interest),
      projected: () => sequencer.currentTerm?.projected() ?? Promise.resolve(),
    };
    return followed as CoreService;
  }

  /** Queries the tables once they contain everything acknowledged, if there is a leader. */
  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    await this.projected();
    return queryOnce<Row>(this.url, text, values);
  }

  /** If a term ends meanwhile, the next one reports how far the tables are. */
  private async projected(): Promise<void> {
    const term = this.sequencer.currentTerm;
    try {
      await term?.projected();
    } catch (error) {
      if (this.sequencer.currentTerm === term) throw error;
      await this.projected();
    }
  }

  verify(options: Parameters<typeof verifyJournal>[1] = {}): Promise<Verification> {
    return onClient(this.url, (client) => verifyJournal(client, options));
  }

  /** Ends the writer's connections from the server's side; returns how many there were. */
  async cutWriter(): Promise<number> {
    const rows = await this.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'tradepost-writer' AND datname = current_database()`,
    );
    return rows.length;
  }
}

export async function onClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'tradepost-test' });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Locks the rows that a query selects `FOR UPDATE`: writers wait until they are released. */
export async function lockRows(url: string, query: string): Promise<{ release(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url, application_name: 'tradepost-test' });
  // A test may kill the server meanwhile, and with it the lock.
  client.on('error', () => undefined);
  await client.connect();
  await client.query('BEGIN');
  await client.query(query);
  return { release: () => client.end().catch(() => undefined) };
}

/** From now on no lease expires within a test, so a take-over cannot have waited for that. */
export async function prolongLeases(url: string): Promise<void> {
  await queryOnce(
    url,
    `CREATE FUNCTION prolong_lease() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN NEW.lease_until = clock_timestamp() + interval '1 hour'; RETURN NEW; END $$;
     CREATE TRIGGER prolong_lease BEFORE UPDATE ON core_leader FOR EACH ROW EXECUTE FUNCTION prolong_lease();
     UPDATE core_leader SET lease_until = clock_timestamp()`,
  );
}

/** Locks the row with the tables' position, so that the projector hangs within its statement while commits go on. */
export function lockProjection(url: string): Promise<{ release(): Promise<void> }> {
  return lockRows(url, 'SELECT 1 FROM core_projection FOR UPDATE');
}

export function queryOnce<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return onClient(url, async (client) => (await client.query<Row>(text, values)).rows);
}

/** Accounts of three funded traders, a spot market and an event market, all on one core. */
export interface Floor {
  readonly ann: number;
  readonly bob: number;
  readonly cat: number;
}

export const SPOT = 'BTC-USD';
export const EVENT = 'RAIN';

export async function openFloor(core: TestCore): Promise<Floor> {
  await core.run({ type: 'create_asset', code: 'USD', scale: 2 });
  await core.run({ type: 'create_asset', code: 'BTC', scale: 8 });
  await core.run(marketTerms({ marketId: SPOT, kind: 'spot' }));
  await core.run(marketTerms({ marketId: EVENT, kind: 'event' }));
  return {
    ann: await openTrader(core, 'ann'),
    bob: await openTrader(core, 'bob'),
    cat: await openTrader(core, 'cat'),
  };
}

/** An account with 1,000,000 USD and 1,000 BTC. */
export async function openTrader(core: TestCore, name: string): Promise<number> {
  const account = await core.run({ type: 'create_account', kind: 'trading', name, owner: `user:${name}` });
  if (account.type !== 'account') throw new Error('no account was made');
  await core.submit([
    deposit(account.accountId, 'USD', '1000000'),
    deposit(account.accountId, 'BTC', '1000'),
  ]);
  return account.accountId;
}

/** Spot in BTC (tick 0.01, lot 0.001), events in contracts (tick 0.01, lot 1), maker fee 0.001, taker fee 0.002. */
export function marketTerms(
  terms: Pick<CreateMarket, 'marketId' | 'kind'> & Partial<CreateMarket>,
): CreateMarket {
  return {
    type: 'create_market',
    title: terms.marketId,
    description: '',
    category: 'test',
    baseAsset: terms.kind === 'spot' ? 'BTC' : null,
    quoteAsset: 'USD',
    tickSize: '0.01',
    lotSize: terms.kind === 'spot' ? '0.001' : '1',
    minSize: null,
    maxSize: null,
    minNotional: null,
    priceMin: null,
    priceMax: null,
    makerFeeRate: '0.001',
    takerFeeRate: '0.002',
    feeBase: null,
    opensAtMs: null,
    closesAtMs: null,
    ...terms,
  };
}

export function deposit(accountId: number, asset: string, amount: string): MoveMoney {
  return {
    type: 'move_money',
    debit: { rail: 'demo' },
    credit: { accountId },
    asset,
    amount,
    reason: 'deposit',
    reference: 'test',
  };
}

/** A limit order, good till cancelled, by default on the spot market. */
export function limit(
  accountId: number,
  side: Side,
  priceTicks: number,
  sizeLots: number,
  terms: Partial<PlaceOrder> = {},
): PlaceOrder {
  return {
    type: 'place_order',
    accountId,
    marketId: SPOT,
    side,
    orderType: 'limit',
    timeInForce: 'GTC',
    priceTicks,
    stopPriceTicks: null,
    sizeLots,
    expiresAtMs: null,
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: 'cancel_newest',
    clientOrderId: null,
    feeRates: null,
    ...terms,
  };
}
