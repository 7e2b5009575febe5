import type pg from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deposit,
  EVENT,
  type Floor,
  limit,
  marketTerms,
  onClient,
  openFloor,
  SPOT,
  TestCore,
} from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { seedFromEnvironment } from '../../../test/support/domain/property.js';
import { randomsFrom } from '../../../test/support/hostile-values.js';
import { openPool } from '../../../test/support/pool.js';
import { settleEvent, tradeAtRandom } from '../../../test/support/trading-run.js';
import { BalanceHistory } from '../../modules/markets/holdings/balance-history.js';
import type { LedgerTransfer } from '../../domain/engine/types.js';
import { typeOrmOptions } from '../../kit/database/database.module.js';
import { MetricsRegistry } from '../../kit/metrics/metrics-registry.js';
import { Followers } from '../followers/followers.js';
import { readEffects } from '../journal/journal-reader.js';
import { rebuildTables } from '../journal/rebuild.js';
import { LedgerCheck } from '../ledger-check.js';
import { decodeEffects } from '../projection/effects.js';
import { readTransfers } from '../reads/transfer-pages.js';
import { TRANSFER_COLUMNS } from './core-tables.js';
import { entriesOf, movedBetween, transfersBetween } from './ledger-transfers.js';
import { fieldReader, type RowOf, valueReader } from './table-row.js';

const seed = seedFromEnvironment();
const HISTORIES = 3;
const SPAN = { after: '$1::int8', until: '$2::int8' };
const TRADE_REASONS = ['trade', 'fee', 'rebate', 'event_open', 'event_close'];

const fieldsOfEffect = valueReader(TRANSFER_COLUMNS);
const fieldsOfRow = fieldReader(TRANSFER_COLUMNS);

/** What the engine has transferred, as the journal keeps it. */
function transfersInJournal(url: string): Promise<LedgerTransfer[]> {
  return onClient(url, async (client) => {
    const entries = await readEffects(client, 0, 1_000_000);
    return entries.flatMap(({ effects, timeMs }) =>
      decodeEffects(effects!, timeMs)
        .filter(({ effect }) => effect.table === 'transfers')
        .flatMap(({ rows }) => rows.map((row) => fieldsOfEffect(row) as LedgerTransfer)),
    );
  });
}

/** Trades with fees and with rebates, sets, settlements and corrections, and money that moves beside all that. */
async function liveAtRandom(core: TestCore, floor: Floor, historySeed: number): Promise<void> {
  await tradeAtRandom(core, floor, historySeed);
  const randoms = randomsFrom(historySeed);
  const random = (bound: number): number => Math.floor(randoms() * bound);
  const traders = [floor.ann, floor.bob, floor.cat];
  const feeRates = { maker: '-0.0005', taker: '0.001' };
  for (let round = 0; round < 80; round++) {
    const [accountId, other] = [traders[random(3)]!, traders[random(3)]!];
    const marketId = random(3) === 0 ? SPOT : EVENT;
    const ticks = marketId === EVENT ? 45 + random(10) : 10_000 + random(10);
    const order = limit(accountId, random(2) === 0 ? 'buy' : 'sell', ticks, 1 + random(9), {
      marketId,
      feeRates: random(3) === 0 ? null : feeRates,
    });
    const moves = [
      deposit(accountId, 'USD', '5'),
      {
        type: 'move_money',
        debit: { accountId },
        credit: { accountId: other },
        asset: 'BTC',
        amount: '0.5',
        reason: 'transfer',
        reference: 'between',
      } as const,
    ];
    // Several in one commit, so that trades and other transfers of it alternate.
    await core.submit([
      order,
      moves[0]!,
      ...(other === accountId ? [] : [moves[1]!]),
      { ...order, accountId: other },
    ]);
  }
  await turnPositions(core, floor, random);
  await settleEvent(core, historySeed);
}

/** Trades of which one side or both close what they have and open the opposite. */
async function turnPositions(
  core: TestCore,
  { ann, bob, cat }: Floor,
  random: (bound: number) => number,
): Promise<void> {
  const marketId = 'TURN';
  await core.run(marketTerms({ marketId, kind: 'event' }));
  for (let lots = 3; lots < 60; lots += 4) {
    const other = random(3) === 0 ? cat : bob;
    const [side, opposite] = lots % 8 === 3 ? (['buy', 'sell'] as const) : (['sell', 'buy'] as const);
    const ticks = 40 + random(20);
    await core.submit([
      limit(ann, side, ticks, lots, { marketId }),
      limit(other, opposite, ticks, lots, { marketId }),
    ]);
  }
}

describe(`transfers, most of which trades carry, SEED=${seed}`, () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let dataSource: DataSource;
  let core: TestCore;
  /** All there are, oldest first. */
  let all: LedgerTransfer[];
  let accounts: number[];

  async function openHistory(historySeed: number): Promise<void> {
    database = await createTestDatabase();
    core = await TestCore.start(database.url);
    await liveAtRandom(core, await openFloor(core), historySeed);
    await core.query('SELECT 1');
    pool = openPool(database.url);
    dataSource = await new DataSource({ ...typeOrmOptions(database.url), entities: [] }).initialize();
    all = await transfersInJournal(database.url);
    const { rows } = await pool.query<{ id: number }>(
      'SELECT account_id::int AS id FROM accounts WHERE owner IS NOT NULL ORDER BY 1',
    );
    accounts = rows.map(({ id }) => id);
  }

  async function closeHistory(): Promise<void> {
    await core.stop();
    await pool.end();
    await dataSource.destroy();
    await database.drop();
  }

  const within = (after: number, until: number) =>
    all.filter(({ transferId }) => transferId > after && transferId <= until);
  const isOf = (accountId: number) => (transfer: LedgerTransfer) =>
    transfer.debitAccountId === accountId || transfer.creditAccountId === accountId;
  /** In an event market: the trade, and the account that trades with the pool. */
  const sideOf = ({ reference, reason, debitAccountId, creditAccountId }: LedgerTransfer): string =>
    `${reference} ${reason === 'event_open' ? debitAccountId : creditAccountId}`;
  const balanceOf = (transfer: LedgerTransfer, accountId: number): bigint =>
    transfer.debitAccountId === accountId ? transfer.debitBalanceAfter : transfer.creditBalanceAfter;

  type Told = Omit<RowOf<typeof TRANSFER_COLUMNS>, 'created_at'> & { readonly created_at: Date };
  const sorted = (rows: readonly Told[]) =>
    rows
      .map((row) => fieldsOfRow({ ...row, created_at: row.created_at.getTime() }))
      .toSorted((a, b) => a.transferId - b.transferId);

  /** Ends of spans that lie within trades, between them, and beyond everything. */
  function spansAtRandom(count: number): [after: number, until: number][] {
    const randoms = randomsFrom(seed);
    const last = all.at(-1)!.transferId;
    const place = (): number => Math.floor(randoms() * (last + 2));
    return Array.from({ length: count }, () => {
      const [a, b] = [place(), place()];
      return [Math.min(a, b), Math.max(a, b)];
    });
  }

  /** Everything that readers take from the tables is what the journal says. */
  async function expectAllTold(): Promise<void> {
    const spans: [number, number][] = [[0, Number.MAX_SAFE_INTEGER], ...spansAtRandom(12)];
    for (const [after, until] of spans) {
      const { rows } = await pool.query<Told>(transfersBetween(SPAN), [after, until]);
      expect(sorted(rows)).toEqual(within(after, until));
      const moved = await pool.query<{ account_id: string; asset: string; units: string }>(
        `${movedBetween(SPAN)} HAVING sum(units) <> 0`,
        [after, until],
      );
      const expected = new Map<string, bigint>();
      for (const { debitAccountId, creditAccountId, asset, amount } of within(after, until))
        for (const [id, units] of [
          [debitAccountId, -amount],
          [creditAccountId, amount],
        ] as const)
          expected.set(`${id} ${asset}`, (expected.get(`${id} ${asset}`) ?? 0n) + units);
      expect(new Map(moved.rows.map((row) => [`${row.account_id} ${row.asset}`, BigInt(row.units)]))).toEqual(
        new Map([...expected].filter(([, units]) => units !== 0n)),
      );
      for (const accountId of accounts) {
        const own = within(after, until).filter(isOf(accountId));
        const entries = await pool.query<Told>(entriesOf('= ANY ($3)', SPAN), [after, until, [accountId]]);
        expect(sorted(entries.rows)).toEqual(own);
        for (const limit of [1, 2, 7, 500]) {
          const page = (order: 'ASC' | 'DESC') =>
            readTransfers(dataSource.manager, accountId, { after, until }, { order, limit });
          expect(await page('ASC')).toEqual(own.slice(0, limit));
          expect(await page('DESC')).toEqual(own.toReversed().slice(0, limit));
        }
      }
    }
    const ofAll = await pool.query(entriesOf('= ANY ($3)', SPAN), [0, Number.MAX_SAFE_INTEGER, accounts]);
    expect(ofAll.rows).toHaveLength(accounts.flatMap((accountId) => all.filter(isOf(accountId))).length);
    const history = new BalanceHistory(core.followed, pool, new Followers());
    for (const [, sequence] of spans.slice(1)) {
      for (const accountId of accounts) {
        const last = (asset: string) =>
          within(0, sequence).findLast((each) => each.asset === asset && isOf(accountId)(each));
        const balances = await history.balancesAt(accountId, ['BTC', 'USD'], sequence);
        for (const asset of ['BTC', 'USD']) {
          const found = last(asset);
          expect(balances.get(asset)).toBe(found === undefined ? 0n : balanceOf(found, accountId));
        }
      }
    }
    const check = new LedgerCheck(core.followed, pool, new MetricsRegistry());
    await expect
      .poll(() => check.checkAll(), { timeout: 60_000 })
      .toMatchObject({ status: 'done', balanced: true, problems: [] });
  }

  const stored = async (): Promise<string[]> => {
    const { rows } = await pool.query<{ reason: string }>(
      'SELECT reason FROM transfers ORDER BY transfer_id',
    );
    return rows.map(({ reason }) => reason);
  };

  describe.each(Array.from({ length: HISTORIES }, (_, index) => seed + index))(
    'history %i',
    (historySeed) => {
      beforeAll(() => openHistory(historySeed));
      afterAll(closeHistory);

      it('are told as the journal has them, by every reader', async () => {
        const reasons = new Set(all.map(({ reason }) => reason));
        for (const reason of [...TRADE_REASONS, 'event_split', 'settlement', 'reversal', 'transfer'])
          expect(reasons, reason).toContain(reason);
        const sides = all.filter(({ reason }) => reason === 'event_close').map(sideOf);
        const turned = all.filter(({ reason }) => reason === 'event_open').map(sideOf);
        expect(turned.filter((side) => sides.includes(side)).length).toBeGreaterThan(5);
        await expectAllTold();
      });

      it('have rows of their own beside trades, and where a trade made the account of fees', async () => {
        const made = all.filter(({ reason }) => TRADE_REASONS.includes(reason));
        const [firstFee] = all.filter(({ reason }) => reason === 'fee');
        const ofFirst = made.filter(({ reference }) => reference === firstFee!.reference);
        expect((await stored()).filter((reason) => TRADE_REASONS.includes(reason))).toEqual(
          ofFirst.map(({ reason }) => reason),
        );
        expect(made.length).toBeGreaterThan(ofFirst.length);
      });

      it('are missed by the full check of the ledger where a trade has lost some', async () => {
        await pool.query(`UPDATE trades SET maker_paid = maker_paid + 1
        WHERE trade_id = (SELECT max(trade_id) FROM trades WHERE maker_paid IS NOT NULL)`);
        const check = new LedgerCheck(core.followed, pool, new MetricsRegistry());
        await expect
          .poll(() => check.checkAll(), { timeout: 60_000 })
          .toMatchObject({ status: 'done', balanced: false });
        expect(check.checkAll().problems.join()).toMatch(/Account \d+ has .* its entries sum to/);
        const [differing] = (await onClient(database.url, (client) => rebuildTables(client))).differences;
        expect(differing).toMatchObject({ table: 'trades', changed: 1 });
      });

      it('of trades from before stay where they are, and are told once', async () => {
        const middle = all[Math.floor(all.length / 2)]!.transferId;
        await core.stop();
        await pool.query('UPDATE core_projection SET carried_after = $1', [middle]);
        const before = (await stored()).length;
        const { isRepaired } = await onClient(database.url, (client) =>
          rebuildTables(client, { repair: true }),
        );
        expect(isRepaired).toBe(true);
        expect((await stored()).length).toBeGreaterThan(before);
        await expectAllTold();
      });

      it('are carried from where a leader takes up a database of the version before', async () => {
        await pool.query('UPDATE core_projection SET carried_after = $1', [Number.MAX_SAFE_INTEGER]);
        await onClient(database.url, (client) => rebuildTables(client, { repair: true }));
        const before = all.length;
        expect(await stored()).toHaveLength(before);
        await pool.query('UPDATE core_projection SET carried_after = NULL');
        core = await TestCore.start(database.url);
        const [ann, bob] = accounts as [number, number];
        const marketId = 'LATER';
        await core.run(marketTerms({ marketId, kind: 'spot' }));
        for (let lots = 1; lots < 5; lots++) {
          await core.place(limit(ann, 'buy', 100, lots, { marketId }));
          await core.place(limit(bob, 'sell', 100, lots, { marketId }));
        }
        await core.query('SELECT 1');
        expect(await stored()).toHaveLength(before);
        all = await transfersInJournal(database.url);
        expect(all.length).toBeGreaterThan(before);
        await expectAllTold();
        const { differences } = await onClient(database.url, (client) => rebuildTables(client));
        expect(differences).toEqual([]);
      });
    },
  );
});
