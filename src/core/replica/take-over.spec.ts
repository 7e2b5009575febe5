import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { onClient } from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import type { JournalEntry } from '../../../test/support/domain/differential.js';
import {
  randomJournal,
  randomJournalWithOpenOrders,
  seedFromEnvironment,
} from '../../../test/support/domain/property.js';
import { BOUNDS } from '../../domain/engine/bounds.js';
import type { Command } from '../../domain/engine/commands.js';
import type { EngineState, Market, Order } from '../../domain/engine/state.js';
import type { Level } from '../../domain/matching/order-book.js';
import { CommitListeners, EVERYBODY } from '../view/commit-listeners.js';
import { verifyJournal } from '../journal/journal-verifier.js';
import { connectCore, newHolder, tryTakeOver } from '../leadership/leadership.js';
import type { HeldOrders } from '../state/held-orders.js';
import { stateRowsOf } from '../state/rows-of-state.js';
import { type LoadedState, loadState } from '../state/state-loader.js';
import { DamagedState } from '../state/state-rows.js';
import { Term, type TermOptions } from '../term/term.js';
import { Replica } from './replica.js';

const COMMANDS = 220;
const seed = seedFromEnvironment();
const seeds = [seed, seed + 1, seed + 2];
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
/** A settlement continues in the commits after the one that begins it. */
const options: TermOptions = { accountsInMemoryMax: 1_000, settledPerCommandMax: 1 };

describe('a state of which the orders were held in memory', () => {
  let database: TestDatabase;
  const replicas: Replica[] = [];
  const terms: Term[] = [];
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    for (const replica of replicas.splice(0)) await replica.stop();
    for (const term of terms.splice(0)) await term.end();
    await database.drop();
  });

  const follow = async (): Promise<Replica> => {
    const listeners = new CommitListeners((error) => {
      throw error;
    });
    listeners.add(() => undefined, EVERYBODY);
    const replica = new Replica(database.url, listeners, silent);
    replicas.push(replica);
    replica.start();
    await replica.current();
    return replica;
  };

  /** Leads from what is held at the end of the journal, if anything is. */
  const lead = async (
    hold: (sequence: number) => Promise<HeldOrders | null> = () => Promise.resolve(null),
  ): Promise<Term> => {
    const [writer, reader] = [
      await connectCore(database.url, 'writer'),
      await connectCore(database.url, 'reader'),
    ];
    const connectProjector = (): Promise<pg.Client> => connectCore(database.url, 'projector');
    const leader = (await tryTakeOver(writer, newHolder()))!;
    const held = await hold(leader.lastSequence);
    const connections = { writer, reader, connectProjector, log: silent };
    const term = await Term.begin(connections, leader, options, held);
    terms.push(term);
    return term;
  };

  it.each(seeds)('is the one that the tables hold (SEED=%d)', async (seed) => {
    const journal = randomJournal(seed, COMMANDS, BOUNDS);
    const half = journal.length >> 1;
    const first = await lead();
    const fromTheFirst = await follow();
    await runAll(first, journal.slice(0, half));
    await first.projected();
    const fromTheTables = await follow();
    await runAll(first, journal.slice(half, half + 40));
    await settle(first);
    await first.projected();
    for (const replica of [fromTheFirst, fromTheTables, await follow()]) {
      await replica.reached(first.sequence);
      await expectSame(database.url, replica.give(first.sequence)!);
    }
    const heir = await follow();
    await first.end();

    // Holds must be equal too: later commands depend on them.
    const second = await lead(async (sequence) => {
      await heir.reached(sequence);
      return heir.give(sequence)!;
    });
    expect(second.stateHash()).toBe(first.stateHash());
    const later = await follow();
    await runAll(second, journal.slice(half + 40));
    await second.projected();
    await later.reached(second.sequence);
    await expectSame(database.url, later.give(second.sequence)!);
    expect(await onClient(database.url, (client) => verifyJournal(client))).toMatchObject({ ok: true });
  });

  it('is refused where the orders are not those of the commit', async () => {
    const term = await lead();
    const replica = await follow();
    await runAll(term, randomJournalWithOpenOrders(seed, COMMANDS, BOUNDS));
    await term.projected();
    await replica.reached(term.sequence);
    expect(replica.give(term.sequence - 1)).toBeNull();
    const held = replica.give(term.sequence)!;
    expect(held.orders.size).toBeGreaterThan(0);
    const ordersSum = held.ordersSum.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
    await expect(load(database.url, { ...held, ordersSum })).rejects.toThrow(DamagedState);
    // They are given once.
    expect(replica.give(term.sequence)).toBeNull();

    const stateHash = term.stateHash();
    await term.end();
    const next = await lead(() => Promise.resolve({ ...held, ordersSum }));
    expect(next.stateHash()).toBe(stateHash);
  });

  it('is shown on by a process whose term is over, and is not led from again', async () => {
    const term = await lead();
    const journal = randomJournal(seed, COMMANDS, BOUNDS);
    await runAll(term, journal.slice(0, 120));
    await term.projected();
    const left = term.leave()!;
    const listeners = new CommitListeners((error) => {
      throw error;
    });
    const replica = new Replica(database.url, listeners, silent);
    replicas.push(replica);
    replica.start(left);
    expect(replica.sequence).toBe(term.sequence);
    expect(replica.view).toBe(term.view);
    await term.end();

    const next = await lead();
    await runAll(next, journal.slice(120));
    await next.projected();
    await replica.current();
    expect(replica.sequence).toBe(next.sequence);
    expect(replica.view!.markets()).toEqual(next.view.markets());
    for (const { definition } of next.view.markets()) {
      expect(replica.view!.book(definition.marketId, 1_000)).toEqual(
        next.view.book(definition.marketId, 1_000),
      );
    }
    expect(replica.give(next.sequence)).toBeNull();
  });
});

/** Some commands a commit, as they come. */
async function runAll(term: Term, journal: readonly JournalEntry[]): Promise<void> {
  for (let index = 0; index < journal.length;) {
    const next = journal.slice(index, index + 1 + (index % 3));
    const { timeMs } = next.at(-1)!;
    // No client sends `continue_settlement`: the term creates these commands itself.
    const sent = next.map(({ command }) => command).filter(({ type }) => type !== 'continue_settlement');
    await run(term, sent, timeMs, sent.length < next.length);
    index += next.length;
  }
}

async function run(term: Term, commands: readonly Command[], timeMs: number, withDue = false): Promise<void> {
  const works = commands.map((command) => ({ kind: 'request', request: { commands: [command] } }) as const);
  const due = withDue ? { alone: true, limit: null, except: new Set<string>() } : null;
  const prepared = await term.prepare(works, timeMs, due, () => true);
  await term.commit(prepared);
  term.show(prepared);
  term.project(prepared);
}

/** Leaves a settlement under way, where there is something to settle. */
async function settle(term: Term): Promise<void> {
  for (const status of ['closed', 'settled'] as const) {
    const settlementValue = status === 'settled' ? '0.5' : null;
    await run(term, [{ type: 'set_market_status', marketId: 'RAIN', status, settlementValue }], term.timeMs);
  }
}

async function load(url: string, held: HeldOrders | null): Promise<LoadedState> {
  return onClient(url, async (client) => {
    const { rows } = await client.query<{ state_parts: string }>('SELECT state_parts FROM core_leader');
    return loadState(client, rows[0]!.state_parts, held);
  });
}

async function expectSame(url: string, held: HeldOrders): Promise<void> {
  const loaded = await load(url, null);
  const { sequence } = loaded.state;
  expect(held.sequence).toBe(sequence);
  const led = await load(url, held);
  expect(led.state.orders).toEqual(held.orders);
  expect([...led.state.orders.values()].every((order) => held.orders.get(order.orderId) === order)).toBe(
    true,
  );
  expect(led.hash.total(sequence)).toBe(loaded.hash.total(sequence));
  expect(dumpOf(led.state)).toEqual(dumpOf(loaded.state));
}

/** All there is in a state, as plain values: rows, queues in their order, and whatever is worked out from them. */
function dumpOf(state: EngineState): object {
  const marketIds = (markets: Iterable<Market>): string[] =>
    [...markets].map(({ definition }) => definition.marketId);
  return {
    rows: stateRowsOf(state),
    orders: [...state.orders.values()].map(plain),
    accounts: [...state.accounts.values()].map((account) => ({
      ...plain(account),
      balances: [...account.balances.values()].map(plain),
      positions: [...account.positions.values()].map((position) => ({
        ...plain(position),
        marketId: position.market.definition.marketId,
        buys: [...position.buys.keys()],
        sells: [...position.sells.keys()],
        openLots: position.openLots,
        cover: [position.cover.buy, position.cover.sell].map(plain),
      })),
    })),
    systemAccounts: [...state.systemAccounts.keys()],
    limits: state.limits,
    due: state.due.entries().map(({ dueMs, dueOrder, dueName }) => [dueMs, dueOrder, dueName]),
    triggersWaiting: marketIds(state.triggersWaiting),
    settling: marketIds(state.settling),
    markets: [...state.markets.values()].map((market) => ({
      ...plain(market),
      definition: market.definition,
      tradedRange: market.tradedRange,
      dues: market.dues.map(plain),
      books: [market.book.bids, market.book.asks].map((side) => ({
        ...plain(side),
        levels: side.levels.map((level) => ({ ...plain(level), orders: queueOf(level) })),
      })),
      triggered: market.stops.triggeredCount,
      // Last of all: it takes them out.
      stops: market.stops.takeAll().map(({ orderId }) => orderId),
    })),
  };
}

function queueOf(level: Level<Order>): number[] {
  const queue: number[] = [];
  for (let order = level.head; order !== null; order = order.next) queue.push(order.orderId);
  return queue;
}

/** What of a thing is no other thing. */
function plain(thing: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(thing).filter(([, value]) => value === null || typeof value !== 'object'),
  );
}
