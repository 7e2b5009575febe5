/** Which tables have grown, and what bounds each: a retention, the number of things in use, or a decision to keep it. */
import type { BenchService } from './bench-service.js';

const LEDGER = 'kept: the ledger';
const PROOF = 'kept: what proves the ledger';
const CONTENT = 'kept: what people and operators have published';
const THINGS = 'bounded: a row for each thing in use';

/** Why a table may grow; any other that does is a fault. */
const BOUNDS: Readonly<Record<string, string>> = {
  journal: 'kept: npm run journal:archive moves it to files',
  account_changes: LEDGER,
  balance_marks: LEDGER,
  fills: LEDGER,
  fill_days: LEDGER,
  matched_bets: LEDGER,
  orders: LEDGER,
  trades: LEDGER,
  transfers: LEDGER,
  journal_leaves: PROOF,
  journal_nodes: PROOF,
  journal_public: PROOF,
  journal_heads: 'retention: 30 days, and one an hour for good',
  candles: 'bounded: one for each market, interval and time with trades',
  audit_log: 'kept: the chain of operators’ acts',
  audit_seals: 'kept: the chain of operators’ acts',
  audit_unsealed: 'bounded: sealed a moment later',
  account_volumes: 'retention: 31 days',
  command_keys: 'retention: a day; those of orders as long as the ledger',
  idempotency_keys: 'retention: a day',
  quotes: 'retention: until they have expired',
  sessions: 'retention: until they have expired',
  login_sessions: 'retention: until they have expired',
  oauth_tokens: 'retention: until they have expired',
  refresh_tokens: 'retention: until they have expired',
  stream_tickets: 'retention: until they have expired',
  signature_nonces: 'retention: minutes',
  chat_messages: 'retention: RETENTION_IDLE_ROOMS_DAYS',
  chat_events: 'retention: RETENTION_IDLE_ROOMS_DAYS',
  webhook_events: 'retention: RETENTION_DELIVERIES_DAYS',
  webhook_deliveries: 'retention: RETENTION_DELIVERIES_DAYS',
  webhook_attempts: 'retention: RETENTION_DELIVERIES_DAYS',
  news_items: 'retention: RETENTION_NEWS_DAYS',
  news_item_symbols: 'retention: RETENTION_NEWS_DAYS',
  blog_entries: CONTENT,
  pets: CONTENT,
  accounts: THINGS,
  journal_cursors: THINGS,
  journal_public_state: THINGS,
  balances: THINGS,
  positions: THINGS,
};

/** How many rows each table has; partitions count as their table. */
export async function tableRows(service: BenchService): Promise<ReadonlyMap<string, number>> {
  const tables = await service.ask<{ name: string }>(
    `SELECT relname AS name FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
     WHERE nspname = 'public' AND relkind IN ('r', 'p') AND NOT relispartition`,
  );
  const counts = new Map<string, number>();
  for (const { name } of tables) {
    const [row] = await service.ask<{ count: string }>(`SELECT count(*) FROM "${name}"`);
    counts.set(name, Number(row!.count));
  }
  return counts;
}

export interface TableGrowth {
  readonly table: string;
  readonly rows: number;
  /** Null where nothing is known to bound it. */
  readonly bound: string | null;
}

/** Those that have grown, the most first. */
export function growthOf(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): TableGrowth[] {
  return [...after]
    .map(([table, rows]) => ({
      table,
      rows: rows - (before.get(table) ?? 0),
      bound: BOUNDS[table] ?? null,
    }))
    .filter(({ rows }) => rows > 0)
    .sort((a, b) => b.rows - a.rows);
}
