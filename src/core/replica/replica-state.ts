/**
 * What a process that does not lead knows of the exchange: markets and books as of a commit, kept up by the effects
 * of the journal's entries, one after the other. It is never ahead of what is durable.
 */
import type pg from 'pg';
import type { Allowance, Command } from '../../domain/engine/commands.js';
import type { FieldValues } from '../../domain/fields.js';
import type { Asset, EventGroup, Market, Order } from '../../domain/engine/state.js';
import { orderText, StateHash } from '../../domain/engine/state-hash.js';
import type { Audience } from '../view/commit-listeners.js';
import { CommittedView } from '../view/committed-view.js';
import type { CommittedBatch } from '../view/views.js';
import { decodeCommands } from '../journal/journal.js';
import type { JournalEntry } from '../journal/journal-reader.js';
import { decodeEffects, type EffectRow } from '../projection/effects.js';
import { type Effect, ORDER_FIELDS } from '../projection/tables.js';
import type { HeldOrders } from '../state/held-orders.js';
import { WHOLE_TABLES } from '../state/state-loader.js';
import { readPages, type StatePage, type StatePart } from '../state/state-pages.js';
import { tablesPlace } from '../state/state-queries.js';
import {
  assetFrom,
  type AssetRow,
  groupFrom,
  type GroupRow,
  type MarketRow,
  marketFrom,
  fieldsFrom,
  marketOf,
  orderFromRow,
  type OrderRow,
  setOrderFields,
  setProgress,
  setStatus,
} from '../state/state-rows.js';
import type { LeftState } from '../term/left-state.js';
import { AppliedCommit, rowOf } from './applied-commit.js';

const ROWS_PER_PAGE = 2_000;

/**
 * Commands that change state outside the effects: assets, markets, their definitions and their status. Quotes in callers' text are
 * escaped.
 */
const CHANGES_MARKETS =
  /"type":"(?:create_asset|create_market|create_event_group|settle_event_group|correct_event_group|change_market|set_market_status|continue_settlement|correct_settlement|advance_time)"/;
/** Commands that change what is remembered of accounts. */
const CHANGES_ACCOUNTS = /"type":"(?:set_kyc_level|set_account_frozen|renew_self_limits)"|"allowance":/;

type LeftPart = 'assets' | 'markets' | 'groups' | 'orders' | 'ordersSum';

export class ReplicaState {
  readonly assets: Map<string, Asset>;
  readonly markets: Map<string, Market>;
  readonly groups: Map<string, EventGroup>;
  readonly view: CommittedView;
  /** Live ones. */
  private readonly orders: Map<number, Order>;
  /** Kept up for the orders alone. */
  private readonly sums: StateHash;
  /** Those that the view does not know yet. */
  private newAssets: Asset[] = [];
  private newGroups: EventGroup[] = [];
  /** Whether the leading term owns, and changes, the orders now. */
  private isGiven = false;
  /** The orders have no places in the queues of an earlier term, where another one could trip over them. */
  private readonly isFresh: boolean;

  private constructor(
    private place: number,
    /** Of that journal entry; null if there is none, or no longer one. */
    private hash: string | null,
    state: Pick<LeftState, LeftPart>,
    view?: CommittedView,
  ) {
    this.assets = new Map(state.assets);
    this.markets = new Map(state.markets);
    this.groups = new Map(state.groups);
    this.orders = new Map(state.orders);
    this.sums = new StateHash({ ...new StateHash().parts(), orders: state.ordersSum });
    this.view = view ?? new CommittedView(this);
    this.isFresh = view === undefined;
  }

  /** As of where the tables are, in a snapshot of its own. */
  static async load(client: pg.ClientBase): Promise<ReplicaState> {
    return inSnapshot(client, async () => {
      const { sequence } = await tablesPlace(client);
      const hash = await hashAt(client, sequence);
      return new ReplicaState(
        sequence,
        hash,
        stateOf(await gather(client, ['assets', 'markets', 'groups', 'orders', 'orderFields'])),
      );
    });
  }

  /** Goes on where a term has ended, which is enough to be read, and not to lead from. */
  static of(left: LeftState): ReplicaState {
    return new ReplicaState(left.sequence, left.journalHash, left, left.view);
  }

  /**
   * Gives the orders away, for this process to lead with them; what is left here can still be shown, and not moved on.
   * Null where they are not as of the sequence.
   */
  give(sequence: number): HeldOrders | null {
    const { place, hash, markets, orders } = this;
    if (this.isGiven || !this.isFresh || hash === null || place !== sequence) return null;
    this.isGiven = true;
    return { sequence, journalHash: hash, markets, orders, ordersSum: this.sums.part('orders') };
  }

  /**
   * Whether the journal still has the last entry that was applied: a standby that was promoted without having been
   * synchronous may never have had it.
   */
  async isOf(client: pg.ClientBase): Promise<boolean> {
    return this.hash === null || this.hash === (await hashAt(client, this.place));
  }

  /** The last sequence that it holds. */
  get sequence(): number {
    return this.place;
  }

  /** Whether `refresh` must come before the entry is applied. */
  static needsRefresh(entry: JournalEntry): boolean {
    return CHANGES_MARKETS.test(entry.commands);
  }

  /**
   * Takes over assets, and the definitions and status of markets from the tables, which hold at least the entry that is applied
   * next: such commits bring the tables along. Answers the markets that are new, or that have another definition or status.
   */
  async refresh(client: pg.ClientBase): Promise<readonly Market[]> {
    const pages = await inSnapshot(client, () => gather(client, ['assets', 'markets', 'groups']));
    const changed: Market[] = [];
    for (const { part, rows } of pages) {
      if (part === 'assets') this.addAssets(rows);
      if (part === 'groups') changed.push(...rows.flatMap((row) => this.addGroup(row)));
      if (part === 'markets') changed.push(...rows.flatMap((row) => this.refreshMarket(row) ?? []));
    }
    return changed;
  }

  /**
   * Moves on by one entry, which must be the next one; `refreshed` are the markets that `refresh` has answered for it.
   * @throws where the entry keeps no effects, or is not the next one
   */
  apply(entry: JournalEntry, refreshed: readonly Market[], isFollowed: Audience): CommittedBatch {
    const { firstSequence, lastSequence, timeMs, effects } = entry;
    if (this.isGiven) throw new Error('this view does not go on: its orders were given away');
    if (firstSequence !== this.place + 1)
      throw new Error(`the journal goes on at ${firstSequence}, the view is at ${this.place}`);
    if (this.hash !== null && entry.previousHash !== this.hash)
      throw new Error(`the journal's entry ${lastSequence} follows another one than was applied`);
    if (effects === null) throw new Error(`the journal's entry ${lastSequence} has no effects to apply`);
    const commit = new AppliedCommit(this.markets, isFollowed ?? (() => false));
    const fields = new Map<number, FieldValues>();
    for (const { effect, rows } of decodeEffects(effects, timeMs)) {
      for (const values of rows) {
        if (effect.table === 'orders') this.changeOrder(commit, effect, values, fields);
        else if (effect === ORDER_FIELDS) fields.set(values[1] as number, fieldsFrom(values[2] as string));
        else commit.apply(effect.table, values);
      }
    }
    this.place = lastSequence;
    this.hash = entry.hash;
    const markets = [...new Set([...refreshed, ...commit.markets])];
    const books = commit.books();
    this.view.apply(
      CommittedView.changeOf({ newAssets: this.newAssets, markets, books, newGroups: this.newGroups }),
    );
    this.newAssets = [];
    this.newGroups = [];
    return {
      firstSequence,
      lastSequence,
      timeMs,
      ...commit.notification,
      books,
      changedAccountIds: changedAccountsIn(entry),
      marketIds: refreshed.map(({ definition }) => definition.marketId),
    };
  }

  /** `fields` are those that the same commit has given to orders. */
  private changeOrder(
    commit: AppliedCommit,
    effect: Effect,
    values: EffectRow,
    fields: ReadonlyMap<number, FieldValues>,
  ): void {
    const row = rowOf(effect, values) as unknown as OrderRow;
    let order: Order;
    let isSeen = true;
    if (effect.kind === 'insert') order = orderFromRow(row, commit.marketOf(row.market_id));
    else {
      order = this.liveOrder(Number(row.order_id));
      if (order.level !== null) {
        commit.touch(order);
        order.market.book.sideOf(order.side).remove(order);
      }
      this.orders.delete(order.orderId);
      const { bookSequence } = order;
      setProgress(order, row);
      // A trailing stop that keeps a better price is no news to its owner; see `Changes.trailed`.
      isSeen = !order.isTrailing || order.bookSequence !== bookSequence;
    }
    order.fields = fields.get(order.orderId) ?? order.fields;
    this.sums.renew('orders', order, orderText(order));
    this.put(order);
    if (order.level !== null) commit.touch(order);
    if (isSeen) commit.noteOrder(order);
  }

  private liveOrder(orderId: number): Order {
    const order = this.orders.get(orderId);
    if (order === undefined) throw new Error(`order ${orderId} was changed and is not live`);
    return order;
  }

  /** Keeps a live order, and puts it into its book where it stands in one: into the right level, at whatever place there. */
  private put(order: Order): void {
    if (!order.isLive) return;
    this.orders.set(order.orderId, order);
    if (order.status !== 'untriggered') order.market.book.sideOf(order.side).add(order);
  }

  private addAssets(rows: readonly AssetRow[]): void {
    for (const row of rows) {
      if (this.assets.has(row.code)) continue;
      const asset = assetFrom(row);
      this.assets.set(asset.code, asset);
      this.newAssets.push(asset);
    }
  }

  /** Answers the markets of a group that is new. */
  private addGroup(row: GroupRow): Market[] {
    if (this.groups.has(row.event_group_id)) return [];
    const group = groupFrom(row);
    this.groups.set(group.groupId, group);
    this.newGroups.push(group);
    return join(group, this.markets);
  }

  private refreshMarket(row: MarketRow): Market | null {
    const known = this.markets.get(row.market_id);
    if (known === undefined) {
      const market = marketFrom(row);
      this.markets.set(row.market_id, market);
      return market;
    }
    const { definition, status, settlementValue } = known;
    setStatus(known, row);
    const isSame =
      definition === known.definition && status === known.status && settlementValue === known.settlementValue;
    return isSame ? null : known;
  }
}

/** With all orders in their books. */
function stateOf(pages: readonly StatePage[]): Pick<LeftState, LeftPart> {
  const assets = new Map<string, Asset>();
  const markets = new Map<string, Market>();
  const groups = new Map<string, EventGroup>();
  const orders = new Map<number, Order>();
  const sums = new StateHash();
  for (const page of pages) {
    if (page.part === 'assets') for (const row of page.rows) assets.set(row.code, assetFrom(row));
    if (page.part === 'markets') for (const row of page.rows) markets.set(row.market_id, marketFrom(row));
    if (page.part === 'groups') {
      for (const group of page.rows.map(groupFrom)) {
        groups.set(group.groupId, group);
        join(group, markets);
      }
    }
    if (page.part === 'orderFields') setOrderFields(page.rows, orders);
    if (page.part === 'orders') {
      for (const row of page.rows) {
        const order = orderFromRow(row, marketOf({ markets }, row.market_id));
        orders.set(order.orderId, order);
        sums.renew('orders', order, orderText(order));
        if (order.status !== 'untriggered') order.market.book.sideOf(order.side).add(order);
      }
    }
  }
  return { assets, markets, groups, orders, ordersSum: sums.part('orders') };
}

function join(group: EventGroup, markets: ReadonlyMap<string, Market>): Market[] {
  const joined = group.marketIds.map((marketId) =>
    marketOf({ markets: markets as Map<string, Market> }, marketId),
  );
  for (const market of joined) market.group = group;
  return joined;
}

/** Tables that are read one after the other are all of one moment. */
async function inSnapshot<T>(client: pg.ClientBase, read: () => Promise<T>): Promise<T> {
  await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    await client.query(WHOLE_TABLES);
    return await read();
  } finally {
    await client.query('ROLLBACK');
  }
}

async function hashAt(client: pg.ClientBase, sequence: number): Promise<string | null> {
  const { rows } = await client.query<{ hash: string }>('SELECT hash FROM journal WHERE last_sequence = $1', [
    sequence,
  ]);
  return rows[0]?.hash ?? null;
}

async function gather(client: pg.ClientBase, parts: readonly StatePart[]): Promise<StatePage[]> {
  const pages: StatePage[] = [];
  for await (const page of readPages(client, { parts, rowsPerPage: ROWS_PER_PAGE, readsAhead: true })) {
    pages.push(page);
  }
  return pages;
}

function changedAccountsIn({ commands }: JournalEntry): number[] {
  if (!CHANGES_ACCOUNTS.test(commands)) return [];
  return decodeCommands(commands).flatMap((command) => changedAccountOf(command));
}

function changedAccountOf(command: Command): number[] {
  switch (command.type) {
    case 'set_kyc_level':
    case 'set_account_frozen':
    case 'renew_self_limits':
      return [command.accountId];
    case 'place_order':
    case 'replace_order':
    case 'place_order_list':
    case 'mass_quote':
    case 'amend_order':
    case 'accept_quote':
    case 'split_event_group':
      return limitedAccounts(command.accountId, command.allowance);
    case 'move_money':
      return 'accountId' in command.credit
        ? limitedAccounts(command.credit.accountId, command.allowance)
        : [];
    default:
      return [];
  }
}

function limitedAccounts(accountId: number, allowance: Allowance | undefined): number[] {
  return allowance === undefined ? [] : [accountId, ...(allowance.sharedWith ?? [])];
}
