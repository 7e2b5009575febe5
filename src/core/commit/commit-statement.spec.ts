import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deposit, EVENT, marketTerms, SPOT } from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { Engine } from '../../domain/engine/engine.js';
import { typeOrmOptions } from '../../kit/database/database.module.js';
import { MatchedBetEntity } from '../../modules/exchange/matched-bets/matched-bet.entity.js';
import { AccountChangeEntity } from '../../modules/markets/account-stream/account-change.entity.js';
import { BalanceEntity } from '../../modules/markets/holdings/balance.entity.js';
import { PositionEntity } from '../../modules/markets/holdings/position.entity.js';
import { TransferEntity } from '../../modules/markets/holdings/transfer.entity.js';
import { MarketBookEntity } from '../../modules/markets/market-data/market-book.entity.js';
import { MarketEntity } from '../../modules/markets/market-data/market.entity.js';
import { TradeEntity } from '../../modules/markets/market-data/trade.entity.js';
import { OrderEntity } from '../../modules/markets/orders/order.entity.js';
import { SettlementEntity } from '../../modules/markets/settlements/settlement.entity.js';
import { PG_TYPE } from '../projection/pg-array.js';
import { PROJECTED_COLUMNS } from '../projection/tables.js';
import { referenceStatements } from './reference-rows.js';

/** PostgreSQL's long names of the types that values have. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  int8: 'bigint',
  text: 'text',
  numeric: 'numeric',
  timestamptz: 'timestamp with time zone',
  bool: 'boolean',
};

const byName = (a: readonly string[], b: readonly string[]): number => (a[0]! < b[0]! ? -1 : 1);

describe('what a commit writes', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = new DataSource({
      ...typeOrmOptions(database.url),
      entities: [
        BalanceEntity,
        PositionEntity,
        TransferEntity,
        MarketBookEntity,
        MarketEntity,
        TradeEntity,
        OrderEntity,
        MatchedBetEntity,
        SettlementEntity,
        AccountChangeEntity,
      ],
    });
    await dataSource.initialize();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  /** `isGenerated`: those too that PostgreSQL works out by itself. */
  const columnsOf = async (table: string, isGenerated: boolean): Promise<[name: string, type: string][]> => {
    const rows = await dataSource.query<{ column_name: string; data_type: string }[]>(
      `SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1 AND (is_generated = 'NEVER' OR $2)`,
      [table, isGenerated],
    );
    return rows.map(({ column_name, data_type }): [string, string] => [column_name, data_type]).sort(byName);
  };

  it.each(Object.entries(PROJECTED_COLUMNS))(
    'fills every column of %s with its own type',
    async (table, columns) => {
      const written = columns.map(({ name, kind }) => [name, TYPE_NAMES[PG_TYPE[kind]]!]).sort(byName);
      expect(written).toEqual(await columnsOf(table, false));
    },
  );

  it('fills every column of the tables that few batches write', async () => {
    const engine = new Engine();
    const changes = engine.beginBatch(1_000);
    engine.apply({ type: 'create_asset', code: 'USD', scale: 2 });
    engine.apply({ type: 'create_asset', code: 'BTC', scale: 8 });
    engine.apply(marketTerms({ marketId: SPOT, kind: 'spot' }));
    const opened = engine.apply({ type: 'create_account', kind: 'trading', name: 'ann', owner: 'user:ann' });
    if (!opened.ok || opened.result.type !== 'account') throw new Error('no account was made');
    const { accountId } = opened.result;
    engine.apply(deposit(accountId, 'USD', '10'));
    engine.apply({
      type: 'place_hold',
      ownerKind: 'payout',
      ownerId: 'a',
      accountId,
      asset: 'USD',
      amount: '1',
    });
    engine.apply(marketTerms({ marketId: EVENT, kind: 'event' }));
    for (const status of ['closed', 'settled'] as const) {
      const settlementValue = status === 'settled' ? '1' : null;
      engine.apply({ type: 'set_market_status', marketId: EVENT, status, settlementValue });
    }

    const statements = referenceStatements(changes, []);
    expect(statements).toHaveLength(5);
    for (const { text, values } of statements) {
      const table = /^INSERT INTO (\w+)/.exec(text)![1]!;
      const names = (await columnsOf(table, true)).map(([name]) => name);
      for (const row of JSON.parse(values[0] as string) as object[])
        expect(Object.keys(row).sort()).toEqual(names);
    }
  });

  it('is what the entities of the groups read', async () => {
    for (const { tableName, columns } of dataSource.entityMetadatas) {
      const declared = columns.map(({ databaseName, type }): [string, string] => [
        databaseName,
        TYPE_NAMES[type as string] ?? (type as string),
      ]);
      expect([tableName, declared.sort(byName)]).toEqual([tableName, await columnsOf(tableName, true)]);
      for (const { isInsert, isUpdate } of columns)
        expect({ isInsert, isUpdate }).toEqual({ isInsert: false, isUpdate: false });
    }
  });
});
