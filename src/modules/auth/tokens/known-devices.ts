import type { EntityManager } from 'typeorm';
import { networkOf } from '../../../kit/network-of.js';
import type { SessionOrigin } from '../../../kit/http/session-origin.js';
import type { PurgedRows } from '../../../kit/jobs/purges.js';
import { notifyUser } from '../../users/notices/notify-user.js';
import { principalKeyOf } from '../../users/user.entity.js';
import { digestOf } from '../secrets/secrets.js';

/** Devices that nobody has logged in from for half a year are new again. */
export const FORGOTTEN_DEVICES: PurgedRows = {
  table: 'known_devices',
  key: ['user_id', 'device_hash'],
  over: `last_seen_at < now() - interval '180 days'`,
  orderBy: 'last_seen_at',
};

/**
 * Notes from which device a user logs in, and tells the user of a new one. Nobody is told of the first device ever: who
 * has verified an address has logged in before.
 */
export async function noteDevice(
  manager: EntityManager,
  userId: string,
  origin: SessionOrigin,
): Promise<void> {
  const deviceHash = digestOf(`${userId} ${networkOf(origin.address)} ${origin.device}`);
  const [noted] = await manager.query<{ readonly is_new: boolean }[]>(
    `INSERT INTO known_devices (user_id, device_hash, last_seen_at) VALUES ($1, $2, now())
     ON CONFLICT (user_id, device_hash) DO UPDATE SET last_seen_at = now()
       WHERE known_devices.last_seen_at < now() - interval '1 hour'
     RETURNING xmax = 0 AS is_new`,
    [userId, deviceHash],
  );
  if (noted?.is_new === true) await notifyUser(manager, principalKeyOf({ userId }), 'new_device');
}
