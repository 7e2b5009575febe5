import pg from 'pg';

export function openPool(url: string): pg.Pool {
  return new pg.Pool({ connectionString: url });
}

/**
 * Ends a pool and waits until its connections are closed. `end` alone resolves earlier, and dropping the database by
 * force at that moment fails connections that have no error listener.
 */
export async function closePool(pool: pg.Pool): Promise<void> {
  let open = pool.totalCount;
  const closed = new Promise<void>((resolve) => {
    if (open === 0) resolve();
    pool.on('remove', () => {
      if (--open === 0) resolve();
    });
  });
  await pool.end();
  await closed;
}
