import pg from 'pg';

export function openPool(url: string): pg.Pool {
  return new pg.Pool({ connectionString: url });
}
