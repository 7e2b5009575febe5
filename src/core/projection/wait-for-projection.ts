/** For a process that does not write the tables itself: waits until they hold what the journal holds now. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { monotonicMs } from '../command-clock.js';
import { cursorOf, ProjectionLate } from './projector.js';

const ASK_EVERY_MS = 10;
const WAIT_MS_MAX = 5_000;

/**
 * `ask` tells the process that does to write them now.
 * @throws ProjectionLate where they do not in time
 */
export async function waitForProjection(
  pool: Pick<pg.Pool, 'query'>,
  ask: () => void = () => undefined,
): Promise<void> {
  const deadlineMs = monotonicMs() + WAIT_MS_MAX;
  const { rows } = await pool.query<{ last_sequence: string }>('SELECT last_sequence FROM core_leader');
  const wanted = Number(rows[0]!.last_sequence);
  for (let look = 0; (await cursorOf(pool)) < wanted; look++) {
    if (look === 0) ask();
    if (monotonicMs() > deadlineMs)
      throw new ProjectionLate('the process that leads does not write the tables');
    await delay(ASK_EVERY_MS);
  }
}
