/** The holders of a market, read from the tables by account id, a bounded number at a time. */
import type pg from 'pg';

/** How many holders a settlement pays at once. */
export const SETTLED_PER_COMMAND_MAX = 1_000;
/** Later commands pay this many each: others' commands wait for at most two of these. */
const CONTINUED_PER_COMMAND_MAX = 250;
/**
 * A correction concerns all holders or none, so it is one command; with more holders it would block all other work for
 * too long.
 */
export const CORRECTED_HOLDERS_MAX = 10_000;

/** Lives as long as a term. A holder that is not found again has a closed position. */
export class SettlementHolders {
  /** Up to whom the holders of a market were read. */
  private readonly readUpTo = new Map<string, number>();

  constructor(
    private readonly client: pg.ClientBase,
    private readonly perCommand: number,
  ) {}

  /** The first holders to be paid. */
  first(marketId: string): Promise<readonly number[]> {
    this.readUpTo.delete(marketId);
    return this.next(marketId, this.perCommand);
  }

  /** The first who are to be paid in a group, so many that all their positions together are no more than those of a market. */
  async firstIn(marketIds: readonly string[]): Promise<readonly number[]> {
    if (marketIds.length === 0) return [];
    const limit = Math.max(1, Math.floor(this.perCommand / marketIds.length));
    return this.read(marketIds, 'size_lots <> 0', 0, limit);
  }

  /** The next holders to be paid; starts again if none is left after those already read. */
  async next(
    marketId: string,
    limit = Math.min(this.perCommand, CONTINUED_PER_COMMAND_MAX),
  ): Promise<readonly number[]> {
    const after = this.readUpTo.get(marketId) ?? 0;
    let holders = await this.read([marketId], 'size_lots <> 0', after, limit);
    if (holders.length === 0 && after > 0) {
      holders = await this.read([marketId], 'size_lots <> 0', 0, limit);
    }
    this.readUpTo.set(marketId, holders.at(-1) ?? 0);
    return holders;
  }

  /** All who were paid by the settlement of any of the markets, or null where they are too many to correct it. */
  async ofSettled(marketIds: readonly string[]): Promise<readonly number[] | null> {
    const holders = await this.read(marketIds, 'settled_lots <> 0', 0, CORRECTED_HOLDERS_MAX + 1);
    return holders.length > CORRECTED_HOLDERS_MAX ? null : holders;
  }

  private async read(
    marketIds: readonly string[],
    condition: string,
    after: number,
    limit: number,
  ): Promise<number[]> {
    const { rows } = await this.client.query<{ account_id: string }>(
      `SELECT DISTINCT account_id FROM positions
       WHERE market_id = ANY ($1) AND account_id > $2 AND is_holder AND ${condition}
       ORDER BY account_id LIMIT $3`,
      [marketIds, after, limit],
    );
    return rows.map((row) => Number(row.account_id));
  }
}
