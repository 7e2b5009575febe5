import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { CoalescedWork } from '../../kit/coalesced-work.js';
import { monotonicMs } from '../clock/command-clock.js';
import { ProjectionLate } from './projector.js';

const ASK_EVERY_MS = 10;
const WAIT_MS_MAX = 5_000;

interface Heights {
  /** The journal's last row. */
  readonly journal: number;
  /** The last row that the tables hold. */
  readonly tables: number;
}

/** How far the tables are, for a process that does not write them itself. All who wait share one query. */
export class ProjectedTables {
  private readonly heights: CoalescedWork<Heights>;

  /** `askForTables` makes the process that writes the tables write them now. */
  constructor(
    pool: Pick<pg.Pool, 'query'>,
    private readonly askForTables: () => void = () => undefined,
  ) {
    this.heights = new CoalescedWork(() => heightsIn(pool));
  }

  /**
   * Resolves once the tables hold what the journal holds now.
   * @throws ProjectionLate where they do not in time
   */
  async caughtUp(): Promise<void> {
    const deadlineMs = monotonicMs() + WAIT_MS_MAX;
    const first = await this.heights.take();
    let { tables } = first;
    if (tables < first.journal) this.askForTables();
    while (tables < first.journal) {
      if (monotonicMs() > deadlineMs)
        throw new ProjectionLate('the process that leads does not write the tables');
      await delay(ASK_EVERY_MS);
      ({ tables } = await this.heights.take());
    }
  }
}

async function heightsIn(pool: Pick<pg.Pool, 'query'>): Promise<Heights> {
  const { rows } = await pool.query<{ journal: string; tables: string }>(
    `SELECT leader.last_sequence AS journal, projection.sequence AS tables
     FROM core_leader leader, core_projection projection`,
  );
  return { journal: Number(rows[0]!.journal), tables: Number(rows[0]!.tables) };
}
