import type { ClientBase } from 'pg';
import { StartRefusal } from '../config/start-refusal.js';

/** Settings without which an acknowledged order could be lost or torn by a crash, and why. */
const REQUIRED_SETTINGS: Readonly<Record<string, string>> = {
  fsync: 'a loss of power could destroy the database',
  synchronous_commit: 'a crash could lose orders that were acknowledged',
  full_page_writes: 'a crash could leave torn pages',
};

/**
 * @throws StartRefusal that names the setting of the server (or of the role or database that we connect
 * with) which would make an acknowledgement worthless.
 */
export async function assertDurable(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    'SELECT name, setting FROM pg_settings WHERE name = ANY ($1)',
    [Object.keys(REQUIRED_SETTINGS)],
  );
  for (const { name, setting } of rows) {
    if (setting === 'off') {
      throw new StartRefusal(
        `The database has ${name} = off, so ${REQUIRED_SETTINGS[name]}: set it to on (ALTER SYSTEM SET ${name} = on, then reload) and start again.`,
      );
    }
  }
}
