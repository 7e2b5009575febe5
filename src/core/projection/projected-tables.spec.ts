import type pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { ProjectedTables } from './projected-tables.js';

/** Answers one pair of heights after another, the last one for ever. */
function poolAt(...heights: readonly (readonly [journal: number, tables: number])[]) {
  let asked = 0;
  const query = vi.fn(() => {
    const [journal, tables] = heights[Math.min(asked++, heights.length - 1)]!;
    return Promise.resolve({ rows: [{ journal: `${journal}`, tables: `${tables}` }] });
  });
  return { query, pool: { query } as unknown as Pick<pg.Pool, 'query'> };
}

describe('ProjectedTables', () => {
  it('asks the database once for all who come while it answers', async () => {
    const { query, pool } = poolAt([7, 7]);
    const tables = new ProjectedTables(pool);
    await Promise.all(Array.from({ length: 100 }, () => tables.caughtUp()));
    // The first asks for itself; the others come too late for that and share the next query.
    expect(query).toHaveBeenCalledTimes(2);
  });

  it('has the tables written, and waits for what the journal held when it was called', async () => {
    const ask = vi.fn();
    const { query, pool } = poolAt([7, 4], [8, 6], [9, 7]);
    await new ProjectedTables(pool, ask).caughtUp();
    expect(ask).toHaveBeenCalledTimes(1);
    expect(query).toHaveBeenCalledTimes(3);
  });

  it('asks for nothing where the tables hold it all', async () => {
    const ask = vi.fn();
    await new ProjectedTables(poolAt([7, 7]).pool, ask).caughtUp();
    expect(ask).not.toHaveBeenCalled();
  });
});
