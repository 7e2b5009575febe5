import { LRUCache } from 'lru-cache';
import type { ClientBase } from 'pg';
import { TradedPosition } from '../../../domain/pnl/traded-position.js';
import type { MarketEvents, MarketFold } from '../market-data/market-fold.js';
import { insertFills, type NewFill, type PositionKey, readTotals } from './fill-row.js';
import { type MarketSizes, MarketStep } from './market-step.js';
import { heardIn, isLeg, isTrade, type Movement, sequenceOf, storedMovements } from './movements.js';
import { readQueues } from './opening-fills.js';
import { settledHoldersOf, type SettlementRow } from './settled-holders.js';

/** Before the name of a market. */
export const FILLS_CURSOR = 'fills:';
/** How many fills are worked out and written at a time: orders that come in meanwhile wait no longer than that takes. */
const FILLS_PER_INSERT = 500;
/** How much is kept in memory for the next steps, in opening fills of which queues consist: some 50 MB. */
const KEPT_MAX = 500_000;
/** Of a longer queue only the head is kept. */
const QUEUE_KEPT_MAX = 20_000;
/** What a position takes up beside its queue. */
const LOTS_PER_POSITION = 8;

/** The positions of a market in memory. */
interface KeptMarket {
  /** Where the table ended when they were kept. */
  readonly cursor: number;
  /** Before their accounts in the names of positions; a market whose positions are read anew has another one. */
  readonly prefix: string;
}

/**
 * Makes fills with running totals from trades, legs of sets and settlements: an account's state at any moment is then one
 * row, and its profit in a period two.
 */
export class FillFold implements MarketFold<Movement> {
  readonly cursor = FILLS_CURSOR;
  readonly sequenceOf = sequenceOf;
  readonly heard = heardIn;
  readonly stored = storedMovements;
  private readonly sizes = new Map<string, MarketSizes>();
  private readonly markets = new Map<string, KeptMarket>();
  private readonly positions = new LRUCache<string, TradedPosition>({ maxSize: KEPT_MAX });
  private prefixes = 0;

  async add(client: ClientBase, markets: readonly MarketEvents<Movement>[]): Promise<void> {
    await this.learnSizes(client, markets);
    const steps = markets.map((market) => this.begin(market));
    await this.takePositions(client, steps);
    await readQueues(
      client,
      steps.flatMap((step) => step.closedQueues()),
    );
    const rows: NewFill[] = [];
    for (const step of steps) {
      for (const movement of step.movements) {
        if (isTrade(movement)) rows.push(...step.tradeFills(movement));
        else if (isLeg(movement)) rows.push(step.legFill(movement));
        else {
          await insertFills(client, rows.splice(0));
          await settle(client, step, movement);
        }
        if (rows.length >= FILLS_PER_INSERT) await insertFills(client, rows.splice(0));
      }
    }
    await insertFills(client, rows);
    for (const step of steps) this.keep(step);
  }

  private async learnSizes(client: ClientBase, markets: readonly MarketEvents<Movement>[]): Promise<void> {
    const unknown = markets.map(({ marketId }) => marketId).filter((marketId) => !this.sizes.has(marketId));
    if (unknown.length === 0) return;
    const { rows } = await client.query<{ market_id: string; tick_size: string; lot_size: string }>(
      'SELECT market_id, tick_size, lot_size FROM markets WHERE market_id = ANY ($1)',
      [unknown],
    );
    for (const { market_id, tick_size, lot_size } of rows) {
      this.sizes.set(market_id, { tick: BigInt(tick_size), lot: BigInt(lot_size) });
    }
  }

  /** What was kept counts only where the table ends there still; a step that fails leaves nothing that counts. */
  private begin(market: MarketEvents<Movement>): MarketStep {
    const { marketId, cursor } = market;
    const kept = this.markets.get(marketId);
    this.markets.delete(marketId);
    const prefix = kept?.cursor === cursor ? kept.prefix : this.newPrefix();
    return new MarketStep(market, this.sizes.get(marketId)!, prefix);
  }

  private newPrefix(): string {
    return `${++this.prefixes}:`;
  }

  /** From memory, or where their last fills left them. */
  private async takePositions(client: ClientBase, steps: readonly MarketStep[]): Promise<void> {
    const missing: MissingPosition[] = [];
    for (const step of steps) {
      for (const accountId of step.accountIds()) {
        const position = this.positions.get(step.prefix + accountId.toString());
        if (position !== undefined) step.positions.set(accountId, position);
        else missing.push({ step, marketId: step.marketId, accountId });
      }
    }
    await readPositions(client, missing);
  }

  private keep({ marketId, prefix, positions, movements }: MarketStep): void {
    const last = movements.at(-1)!;
    const isSettled = !isTrade(last) && !isLeg(last);
    this.markets.set(marketId, {
      cursor: sequenceOf(last),
      prefix: isSettled ? this.newPrefix() : prefix,
    });
    for (const [accountId, position] of positions) {
      const size = LOTS_PER_POSITION + position.queue.keep(QUEUE_KEPT_MAX);
      this.positions.set(prefix + accountId.toString(), position, { size });
    }
  }
}

interface MissingPosition extends PositionKey {
  readonly step: MarketStep;
}

async function readPositions(client: ClientBase, missing: readonly MissingPosition[]): Promise<void> {
  const totals = await readTotals(client, missing);
  missing.forEach(({ step, accountId }, index) => {
    step.positions.set(accountId, TradedPosition.from(step.sizes.lot, totals[index]));
  });
}

/** Closes all positions, page by page; a correction changes the value of those positions. */
async function settle(client: ClientBase, step: MarketStep, settlement: SettlementRow): Promise<void> {
  const { marketId, positions } = step;
  // Their fills are in the table by now; no trade comes after a settlement.
  positions.clear();
  for await (const holders of settledHoldersOf(client, marketId, settlement)) {
    await readPositions(
      client,
      holders.map(({ accountId }) => ({ step, marketId, accountId })),
    );
    await insertFills(
      client,
      holders.map((holder) => step.settledFill(settlement, holder)),
    );
    positions.clear();
  }
}
