import { startTestApp } from '../../support/app.js';
import { COLD_SETTINGS, describeColdWalk } from '../../support/cold-walk.js';
import { TestRedis } from '../../support/redis.js';

await describeColdWalk('each operation at a process that does not lead', async ({ url: databaseUrl }) => {
  const redis = await TestRedis.start();
  const settings = { ...COLD_SETTINGS, databaseUrl, redisUrl: redis.url };
  const leader = await startTestApp(settings);
  const other = await startTestApp(settings);
  return {
    url: other.url,
    async close() {
      await other.close();
      await leader.close();
      await redis.stop();
    },
  };
});
