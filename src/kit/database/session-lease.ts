import type pg from 'pg';

/** How long the server keeps an idle session. */
const IDLE_MS_MAX = 5_000;
const SAY_EVERY_MS = 1_000;

/** A server before PostgreSQL 14 lacks this setting, and keeps the session as long as the connection. */
const LIMIT_IDLENESS = `
  SELECT set_config(name, '${IDLE_MS_MAX}', false) FROM pg_settings WHERE name = 'idle_session_timeout'`;

/**
 * Makes the server end the session, and so release its locks, when its process stops responding: a process that is
 * frozen or cut off closes no connection. The caller must run no other queries in the session from then on. Returns a
 * function that stops the renewals.
 */
export async function leaseSession(client: Pick<pg.Client, 'query' | 'once'>): Promise<() => void> {
  await client.query(LIMIT_IDLENESS);
  let timer: NodeJS.Timeout | undefined;
  let isSilent = false;
  const sayLater = (): void => {
    if (isSilent) return;
    timer = setTimeout(() => {
      // If the connection is lost, its owner gets the event.
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
