/** Who held a market: read from the tables in order of account ids, a bounded number at a time. */
import type pg from 'pg';

/** How many holders a settlement pays at once. */
export const SETTLED_PER_COMMAND_MAX = 1_000;
/** Of more, so many a command follow: those of others wait for two of these at most. */
const CONTINUED_PER_COMMAND_MAX = 250;
/** A correction is for all or for none, and so one command; beyond so many it would hold everything else too long. */
export const CORRECTED_HOLDERS_MAX = 10_000;

/** Lives as long as a term. Whoever is not found again belongs to a position that is closed already. */
export class SettlementHolders {
  /** Up to whom the holders of a market were read. */
  private readonly readUpTo = new Map<string, number>();

  constructor(
    private readonly client: pg.ClientBase,
    private readonly perCommand: number,
  ) {}

  /** Who is to be paid first. */
  first(marketId: string): Promise<readonly number[]> {
    this.readUpTo.delete(marketId);
    return this.next(marketId, this.perCommand);
  }

  /** The next who are to be paid; begins anew where nobody is left after those that were read. */
  async next(
    marketId: string,
    limit = Math.min(this.perCommand, CONTINUED_PER_COMMAND_MAX),
  ): Promise<readonly number[]> {
    const after = this.readUpTo.get(marketId) ?? 0;
    let holders = await this.read(marketId, 'size_lots <> 0', after, limit);
    if (holders.length === 0 && after > 0) {
      holders = await this.read(marketId, 'size_lots <> 0', 0, limit);
    }
    this.readUpTo.set(marketId, holders.at(-1) ?? 0);
    return holders;
  }

  /** All who were paid by the settlement, or null where they are too many to correct it. */
  async ofSettled(marketId: string): Promise<readonly number[] | null> {
    const holders = await this.read(marketId, 'settled_lots <> 0', 0, CORRECTED_HOLDERS_MAX + 1);
    return holders.length > CORRECTED_HOLDERS_MAX ? null : holders;
  }

  private async read(marketId: string, condition: string, after: number, limit: number): Promise<number[]> {
    const { rows } = await this.client.query<{ account_id: string }>(
      `SELECT account_id FROM positions
       WHERE market_id = $1 AND account_id > $2 AND is_holder AND ${condition}
       ORDER BY account_id LIMIT $3`,
      [marketId, after, limit],
    );
    return rows.map((row) => Number(row.account_id));
  }
}
