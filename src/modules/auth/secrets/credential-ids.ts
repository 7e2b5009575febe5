import type { EntityManager } from 'typeorm';
import type { IdPrefix } from '../../../domain/ids.js';

/** An id that sorts by time as text, as all ids of the service do. */
export async function nextCredentialId(manager: EntityManager, ids: IdPrefix): Promise<string> {
  const [row] = await manager.query<[{ readonly number: string }]>(
    `SELECT nextval('credential_number_seq') AS number`,
  );
  return ids.format(Number(row.number));
}
