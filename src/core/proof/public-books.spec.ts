import type { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { randomJournal, seedFromEnvironment } from '../../../test/support/domain/property.js';
import { rounds } from '../../../test/support/rounds.js';
import { Engine } from '../../domain/engine/engine.js';
import type { EngineState } from '../../domain/engine/state.js';
import { type PublicOrder, type PublicPart, publicText } from '../../domain/proof/public-journal.js';
import { PublicReplay, type RowSpan } from '../../domain/proof/public-replay.js';
import { encodeEffects } from '../projection/effects.js';
import { countRows, effectRowsOf } from '../projection/tables.js';
import { type EffectTable, tablesOf } from './effect-tables.js';
import { Pseudonyms } from './pseudonyms.js';
import { PublicBooks } from './public-books.js';

const WORLDS = rounds('PUBLIC_WORLDS', 20, 400);
const COMMANDS_PER_WORLD = 300;
const COMMANDS_PER_ROW_MAX = 12;
/** Nothing is there yet: all that the rows change is in them. */
const EMPTY = { query: async () => ({ rows: [] }) } as unknown as Pool;
const SECRET = Buffer.alloc(32, 7);

interface Row {
  readonly span: RowSpan;
  readonly tables: EffectTable[];
}

/** The same commands in commits of random sizes. */
function commitsOf(seed: number): { readonly rows: Row[]; readonly state: EngineState } {
  const engine = new Engine();
  const entries = [...randomJournal(seed, COMMANDS_PER_WORLD)];
  const rows: Row[] = [];
  for (let taken = 0; entries.length > 0; taken++) {
    const some = entries.splice(0, 1 + ((seed + taken * 7) % COMMANDS_PER_ROW_MAX));
    const [{ timeMs }] = some as [(typeof some)[0]];
    const first_sequence = engine.state.sequence + 1;
    const changes = engine.beginBatch(timeMs);
    for (const { command } of some) engine.apply(command);
    const effects = effectRowsOf(changes, [], []);
    const bytes = encodeEffects(effects, countRows(effects), timeMs);
    for (const order of changes.orders) order.stored = true;
    rows.push({
      span: { first_sequence, last_sequence: engine.state.sequence, time: new Date(timeMs).toISOString() },
      tables: tablesOf({ effects: bytes, timeMs }),
    });
  }
  return { rows, state: engine.state };
}

async function booksOf(rows: readonly Row[]): Promise<PublicBooks> {
  const books = new PublicBooks('0', new Pseudonyms(SECRET));
  await books.load(
    EMPTY,
    rows.flatMap(({ tables }) => tables),
  );
  return books;
}

/** What the books of the engine show. */
function shownIn(state: EngineState, marketId: string): Omit<PublicOrder, 'trader'>[] {
  const { book } = state.markets.get(marketId)!;
  return [book.bids, book.asks].flatMap(({ levels }) =>
    levels.flatMap(({ head }) => {
      const orders: Omit<PublicOrder, 'trader'>[] = [];
      for (let order = head; order !== null; order = order.next)
        orders.push({
          order_id: order.orderId,
          side: order.side,
          price_ticks: order.priceTicks,
          size_lots: order.shownLots,
          queue_sequence: order.queueSequence,
        });
      return orders;
    }),
  );
}

describe('the public part of the journal', () => {
  it(
    `leads whoever replays it to the books of the engine, in ${WORLDS} random worlds`,
    { timeout: 600_000 },
    async () => {
      const seed = seedFromEnvironment();
      console.log(`SEED=${seed}`);
      let [trades, resting] = [0, 0];
      for (let world = 0; world < WORLDS; world++) {
        const { rows, state } = commitsOf(seed + world);
        const books = await booksOf(rows);
        const replay = new PublicReplay();
        for (const { span, tables } of rows) {
          const { text, stand } = books.take(tables);
          const part = text === null ? null : (JSON.parse(text) as PublicPart);
          expect(part && publicText(part)).toBe(text);
          const fault = replay.take(span, part);
          expect(fault, `SEED=${seed + world}, row of ${span.last_sequence}`).toBeNull();
          expect(replay.stateHash).toBe(stand.state_hash);
        }
        for (const marketId of state.markets.keys()) {
          const replayed = replay.ordersOf(marketId).map(({ trader: _, ...order }) => order);
          const byId = (a: { order_id: number }, b: { order_id: number }) => a.order_id - b.order_id;
          expect(replayed.sort(byId)).toEqual(shownIn(state, marketId).sort(byId));
        }
        trades += replay.trades;
        resting += replay.openOrders;
      }
      expect(trades).toBeGreaterThan(WORLDS);
      expect(resting).toBeGreaterThan(WORLDS);
    },
  );

  it('tells an account by another pseudonym in each market, and never by its number', async () => {
    const { rows, state } = commitsOf(5);
    const books = await booksOf(rows);
    const marketsOf = new Map<string, Set<string>>();
    for (const { tables } of rows) {
      const { text } = books.take(tables);
      for (const { market_id, orders } of text === null ? [] : (JSON.parse(text) as PublicPart).markets)
        for (const order of orders) {
          expect(Object.keys(order).sort()).toEqual([
            'order_id',
            'price_ticks',
            'queue_sequence',
            'side',
            'size_lots',
            'trader',
          ]);
          marketsOf.set(order.trader, (marketsOf.get(order.trader) ?? new Set()).add(market_id));
        }
    }
    expect(marketsOf.size).toBeGreaterThan(state.markets.size);
    for (const markets of marketsOf.values()) expect(markets.size).toBe(1);
  });
});
