/** A real Redis for tests only: one that runs on the machine is never touched. */
import { isRedisInstalled, REDIS_BINARY, RedisServer } from '../../scripts/support/redis-server.js';

export { RedisServer as TestRedis };

/** For `describe.skipIf`: prints on stderr why the suite is skipped, where it is. */
export function isRedisMissing(suite: string): boolean {
  if (!isRedisInstalled)
    process.stderr.write(`Skipped ${suite}: there is no ${REDIS_BINARY} on this machine.\n`);
  return !isRedisInstalled;
}

/** Null if Redis is not installed. */
export async function startRedis(): Promise<RedisServer | null> {
  return isRedisInstalled ? RedisServer.start() : null;
}
