/**
 * How a table is made of what happens in markets, each in its order. Most is heard from the commits themselves, many
 * markets at a time; what was not heard, or not wholly, is read from the core's tables. A durable cursor for each market
 * makes every event count once: its lock lets processes take turns, and where it stands tells each of them whether what
 * it has heard goes on from there.
 */
import type { ClientBase } from 'pg';
import type { CommittedBatch } from '../../../core/core.types.js';

/** What is stored of a market, in its order; `isEnd` where that is all. */
export interface StoredEvents<Event> {
  readonly events: readonly Event[];
  readonly isEnd: boolean;
}

/** What happened in a market after its cursor, in its order. */
export interface MarketEvents<Event> {
  readonly marketId: string;
  readonly cursor: number;
  readonly events: readonly Event[];
}

export interface MarketFold<Event> {
  /** Before the name of a market: up to which event the table is made. */
  readonly cursor: string;
  sequenceOf(event: Event): number;
  /** What a commit did in markets; null where only the core's tables tell the whole of it. */
  heard(batch: CommittedBatch): Iterable<readonly [marketId: string, event: Event | null]>;
  /** The next of what is stored of a market after one sequence, up to and with another. */
  stored(client: ClientBase, marketId: string, after: number, until: number): Promise<StoredEvents<Event>>;
  /** Adds to the table what happened in these markets. If the transaction fails, this is told nothing of it. */
  add(client: ClientBase, markets: readonly MarketEvents<Event>[]): Promise<void>;
}

/** Where a market's table stands after a step. */
export interface FoldedUpTo {
  readonly cursor: number;
  /** Whether everything that was stored is in it. */
  readonly isEnd: boolean;
}

const LOCK = 'SELECT name, sequence FROM journal_cursors WHERE name = ANY ($1) ORDER BY name FOR UPDATE';
const CREATE = `INSERT INTO journal_cursors (name, sequence) SELECT unnest($1::text[]), 0 ON CONFLICT DO NOTHING`;
const MOVE = `
  UPDATE journal_cursors AS c SET sequence = moved.sequence
  FROM unnest($1::text[], $2::bigint[]) AS moved (name, sequence) WHERE c.name = moved.name`;

/** Takes up the next of what is stored of a market, inside a transaction of the caller. */
export async function foldStored<Event>(
  client: ClientBase,
  fold: MarketFold<Event>,
  marketId: string,
  until = Number.MAX_SAFE_INTEGER,
): Promise<FoldedUpTo> {
  const [cursor = 0] = (await lockCursors(client, fold, [marketId])).values();
  const { events, isEnd } = await fold.stored(client, marketId, cursor, until);
  const last = events.at(-1);
  if (last === undefined) return { cursor, isEnd };
  await addAndMove(client, fold, [{ marketId, cursor, events }]);
  return { cursor: fold.sequenceOf(last), isEnd };
}

/**
 * Takes up what was heard, inside a transaction of the caller: of those markets whose cursor stands where this goes on
 * from. Answers their ids.
 */
export async function foldHeard<Event>(
  client: ClientBase,
  fold: MarketFold<Event>,
  heard: readonly MarketEvents<Event>[],
): Promise<ReadonlySet<string>> {
  const cursors = await lockCursors(
    client,
    fold,
    heard.map(({ marketId }) => marketId),
  );
  const continued = heard.filter(({ marketId, cursor }) => cursors.get(marketId) === cursor);
  if (continued.length > 0) await addAndMove(client, fold, continued);
  return new Set(continued.map(({ marketId }) => marketId));
}

/** Makes a market's part of the table up to a sequence from nothing, where none of it is stored. */
export async function remake<Event>(
  client: ClientBase,
  fold: MarketFold<Event>,
  marketId: string,
  until: number,
): Promise<void> {
  while (!(await foldStored(client, fold, marketId, until)).isEnd);
}

async function addAndMove<Event>(
  client: ClientBase,
  fold: MarketFold<Event>,
  markets: readonly MarketEvents<Event>[],
): Promise<void> {
  await fold.add(client, markets);
  await client.query(MOVE, [
    markets.map(({ marketId }) => fold.cursor + marketId),
    markets.map(({ events }) => fold.sequenceOf(events.at(-1)!)),
  ]);
}

/** All processes lock them in the same order; answers where they stand, by market. */
async function lockCursors<Event>(
  client: ClientBase,
  fold: MarketFold<Event>,
  marketIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const names = marketIds.map((marketId) => fold.cursor + marketId);
  let { rows } = await client.query<{ name: string; sequence: string }>(LOCK, [names]);
  if (rows.length < names.length) {
    await client.query(CREATE, [names]);
    ({ rows } = await client.query(LOCK, [names]));
  }
  return new Map(rows.map(({ name, sequence }) => [name.slice(fold.cursor.length), Number(sequence)]));
}
