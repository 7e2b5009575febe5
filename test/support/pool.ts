import pg from 'pg';

export function openPool(url: string): pg.Pool {
  return new pg.Pool({ connectionString: url });
}

/**
 * Ends a pool and waits until its connections are gone. `end` alone resolves while they still say
 * goodbye, and a database that is dropped by force in that moment fails them with nobody listening.
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
