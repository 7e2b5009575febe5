/**
 * The state in pages: read from the tables through cursors, or taken from memory. So a task that works page by page
 * neither holds all of it nor blocks the process for long.
 */
import type pg from 'pg';
import {
  accountText,
  balanceText,
  groupText,
  holdText,
  limitsText,
  protectionText,
  marketText,
  orderText,
  positionText,
  StateHash,
} from '../../domain/engine/state-hash.js';
import { EngineState, type Market, type Order, Position } from '../../domain/engine/state.js';
import { type PackedOrderRow, unpackOrder } from '../tables/packed-order.js';
import type { HeldOrders } from './held-orders.js';
import { rowsIn } from './rows-of-state.js';
import { type AccountScope, LIVE, readPart, tablesPlace } from './state-queries.js';
import {
  accountFrom,
  addAccounts,
  addGroup,
  addHold,
  addMarket,
  assetFrom,
  balanceFrom,
  DamagedState,
  fillPosition,
  groupFrom,
  finishState,
  holdFrom,
  limitsFrom,
  marketFrom,
  marketOf,
  orderFromRow,
  protectionFrom,
  setLimits,
  setOrderFields,
  type StateRows,
} from './state-rows.js';

/** In an order in which each can refer to those before. */
export const STATE_PARTS = [
  'assets',
  'markets',
  'groups',
  'accounts',
  'balances',
  'positions',
  'holds',
  'limits',
  'protections',
  'orders',
  'orderFields',
] as const;
export type StatePart = (typeof STATE_PARTS)[number];

export type StatePage = {
  readonly [P in StatePart]: { readonly part: P; readonly rows: StateRows[P] };
}[StatePart];

/** A few milliseconds of work each. */
const ROWS_PER_PAGE = 100;

export function statePageOf(part: StatePart, rows: readonly unknown[]): StatePage {
  return { part, rows } as unknown as StatePage;
}

export interface ReadOptions {
  readonly parts?: readonly StatePart[];
  readonly scope?: AccountScope;
  readonly rowsPerPage?: number;
  /** PostgreSQL reads the next page while one is worked on; that work must not use the connection. */
  readonly readsAhead?: boolean;
}

/** What the tables hold. Call inside a REPEATABLE READ transaction: all pages must be of one moment. */
export async function* readPages(
  client: pg.ClientBase,
  { parts = STATE_PARTS, scope = 'all', rowsPerPage = ROWS_PER_PAGE, readsAhead = false }: ReadOptions = {},
): AsyncGenerator<StatePage> {
  const fetchText = `FETCH ${rowsPerPage} FROM state_rows`;
  const fetch = (): Promise<pg.QueryResult> => client.query(fetchText);
  let isOpen = false;
  for (const part of parts) {
    // In one message, since most parts are small: their answers are what takes time.
    const text = `DECLARE state_rows NO SCROLL CURSOR FOR ${readPart(part, scope)}; ${fetchText}`;
    const opened = await client.query(isOpen ? `CLOSE state_rows; ${text}` : text);
    isOpen = true;
    let first = (opened as unknown as pg.QueryResult[]).at(-1);
    let ahead: Promise<pg.QueryResult> | null = null;
    try {
      for (let isLast = false; !isLast;) {
        const result: pg.QueryResult = first ?? (await (ahead ?? fetch()));
        first = undefined;
        const rows: readonly unknown[] = result.rows;
        isLast = rows.length < rowsPerPage;
        ahead = readsAhead && !isLast ? fetch() : null;
        if (rows.length > 0) {
          yield statePageOf(part, part === 'orders' ? (rows as PackedOrderRow[]).map(unpackOrder) : rows);
        }
      }
    } finally {
      await ahead?.catch(() => undefined);
    }
  }
  if (isOpen) await client.query('CLOSE state_rows');
}

/** The same from memory; every account must be loaded. */
export function* pagesOf(state: EngineState, rowsPerPage = ROWS_PER_PAGE): Generator<StatePage> {
  for (const part of STATE_PARTS) {
    let rows: unknown[] = [];
    for (const row of rowsIn[part](state)) {
      rows.push(row);
      if (rows.length < rowsPerPage) continue;
      yield statePageOf(part, rows);
      rows = [];
    }
    if (rows.length > 0) yield statePageOf(part, rows);
  }
}

/** Hashes pages without building a state of them. */
export class PageHash {
  readonly hash = new StateHash();
  readonly markets = new Map<string, Market>();

  add(page: StatePage): void {
    const { hash } = this;
    switch (page.part) {
      case 'assets':
        return;
      case 'limits':
        for (const row of page.rows) hash.add('markets', limitsText(limitsFrom(row)));
        return;
      case 'protections':
        for (const row of page.rows) hash.add('markets', protectionText(protectionFrom(row)));
        return;
      case 'markets':
        for (const row of page.rows) {
          const market = marketFrom(row);
          this.markets.set(row.market_id, market);
          hash.add('markets', marketText(market));
        }
        return;
      case 'groups':
        for (const row of page.rows) hash.add('markets', groupText(groupFrom(row)));
        return;
      case 'accounts':
        for (const row of page.rows) hash.add('accounts', accountText(accountFrom(row)));
        return;
      case 'balances':
        for (const row of page.rows) hash.add('balances', balanceText(balanceFrom(row)));
        return;
      case 'positions':
        for (const row of page.rows) {
          const position = new Position(Number(row.account_id), marketOf(this, row.market_id));
          fillPosition(position, row);
          hash.add('positions', positionText(position));
        }
        return;
      case 'holds':
        for (const row of page.rows) hash.add('holds', holdText(holdFrom(row)));
        return;
      case 'orders':
        for (const row of page.rows)
          hash.add('orders', orderText(orderFromRow(row, marketOf(this, row.market_id))));
        return;
      case 'orderFields':
        return;
    }
  }
}

/** Builds a state of pages that come in their order. */
export class StateBuilder {
  private readonly state = new EngineState();
  private readonly orders: Order[] = [];
  /** Once fields are met, which come after all orders. */
  private byId: Map<number, Order> | null = null;

  /** With `held`, whose sequence it must be, there are no pages of orders. */
  constructor(
    sequence: number,
    timeMs: number,
    private readonly held: HeldOrders | null = null,
  ) {
    this.state.sequence = sequence;
    this.state.timeMs = timeMs;
  }

  /** @throws DamagedState where a row refers to one that is missing */
  add(page: StatePage): void {
    const { state } = this;
    const none = { accounts: [], balances: [], positions: [] };
    switch (page.part) {
      case 'assets':
        for (const row of page.rows) state.assets.set(row.code, assetFrom(row));
        return;
      case 'markets':
        for (const row of page.rows) addMarket(state, row, this.held?.markets.get(row.market_id));
        return;
      case 'groups':
        for (const row of page.rows) addGroup(state, row);
        return;
      case 'accounts':
      case 'balances':
      case 'positions':
        addAccounts(state, { ...none, [page.part]: page.rows });
        return;
      case 'holds':
        for (const row of page.rows) addHold(state, row);
        return;
      case 'limits':
        for (const row of page.rows) setLimits(state, row);
        return;
      case 'protections':
        for (const row of page.rows) state.protections.set(Number(row.account_id), protectionFrom(row));
        return;
      case 'orders':
        for (const row of page.rows)
          this.orders.push(orderFromRow(row, marketOf(state, row.market_id), state));
        return;
      case 'orderFields':
        setOrderFields(
          page.rows,
          (this.byId ??= new Map(this.orders.map((order) => [order.orderId, order]))),
        );
    }
  }

  /** @throws DamagedState if the account or market of an order in memory is missing */
  finish(): EngineState {
    for (const order of this.held?.orders.values() ?? []) {
      if (
        !this.state.accounts.has(order.accountId) ||
        this.state.markets.get(order.market.definition.marketId) !== order.market
      )
        throw new DamagedState(`the account or the market of order ${order.orderId} is missing`);
      this.orders.push(order);
    }
    return finishState(this.state, this.orders);
  }
}

export interface HashedTables {
  /** Up to where they are. */
  readonly sequence: number;
  /** The sums that the running state had there; null where they are not known. */
  readonly stateParts: string | null;
  readonly hash: StateHash;
  /** The first reference to a row that is missing, in words; null in tables that are whole. */
  readonly torn: string | null;
}

/** What the tables hold, in a few numbers. Call inside a REPEATABLE READ transaction. */
export async function hashTables(client: pg.ClientBase): Promise<HashedTables> {
  const { sequence, stateParts } = await tablesPlace(client);
  const pages = new PageHash();
  const torn = await findTorn(client);
  if (torn === null) for await (const page of readPages(client)) pages.add(page);
  return { sequence, stateParts, hash: pages.hash, torn };
}

async function findTorn(client: pg.ClientBase): Promise<string | null> {
  const { rows } = await client.query<{ what: string }>(`
    SELECT 'account ' || account_id AS what FROM (
      SELECT account_id FROM balances UNION ALL SELECT account_id FROM positions
      UNION ALL SELECT account_id FROM orders WHERE ${LIVE}) r
    WHERE NOT EXISTS (SELECT 1 FROM accounts a WHERE a.account_id = r.account_id)
    UNION ALL
    SELECT 'market ' || market_id FROM (
      SELECT market_id FROM positions UNION ALL SELECT market_id FROM orders WHERE ${LIVE}) r
    WHERE NOT EXISTS (SELECT 1 FROM markets m JOIN market_books b USING (market_id) WHERE m.market_id = r.market_id)
    LIMIT 1`);
  return rows[0] === undefined ? null : `${rows[0].what} is referred to, but its row is missing`;
}
