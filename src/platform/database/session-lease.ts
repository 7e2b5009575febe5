import type pg from 'pg';

/** How long the server keeps the session of a process that says nothing. */
const IDLE_MS_MAX = 5_000;
const SAY_EVERY_MS = 1_000;

/** A server before PostgreSQL 14 has no such setting, and keeps the session for as long as the connection lasts. */
const LIMIT_IDLENESS = `
  SELECT set_config(name, '${IDLE_MS_MAX}', false) FROM pg_settings WHERE name = 'idle_session_timeout'`;

/**
 * Has the server end a session whose process stands still, and with it the locks that the session holds: a process
 * that is frozen, or that the network has lost, closes no connection. To be called by who asks nothing else of the
 * session from then on. Answers the way to fall silent.
 */
export async function leaseSession(client: Pick<pg.Client, 'query' | 'once'>): Promise<() => void> {
  await client.query(LIMIT_IDLENESS);
  let timer: NodeJS.Timeout | undefined;
  let isSilent = false;
  const sayLater = (): void => {
    if (isSilent) return;
    timer = setTimeout(() => {
      // Where the connection is lost, its owner is told of that.
      client.query('SELECT 1').then(sayLater, () => undefined);
    }, SAY_EVERY_MS).unref();
  };
  const stop = (): void => {
    isSilent = true;
    clearTimeout(timer);
  };
  sayLater();
  client.once('end', stop);
  return stop;
}
