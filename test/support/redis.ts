/** A real Redis for tests, of their own: the one that a machine may run is never touched. */
import { isRedisInstalled, REDIS_BINARY, RedisServer } from '../../scripts/support/redis-server.js';

export { RedisServer as TestRedis };

/** For `describe.skipIf`: says on stderr why the suite does not run, where it does not. */
export function isRedisMissing(suite: string): boolean {
  if (!isRedisInstalled)
    process.stderr.write(`Skipped ${suite}: there is no ${REDIS_BINARY} on this machine.\n`);
  return !isRedisInstalled;
}

/** Null where there is no Redis on this machine. */
export async function startRedis(): Promise<RedisServer | null> {
  return isRedisInstalled ? RedisServer.start() : null;
}
