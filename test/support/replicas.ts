import { createDemoDatabase, startTestApp, type TestApp, type TestAppOverrides } from './app.js';
import { TestRedis } from './redis.js';

/** Two apps on one database, connected by a Redis of their own: the first one leads. */
export class Replicas {
  private constructor(
    readonly databaseUrl: string,
    readonly redis: TestRedis,
    readonly leader: TestApp,
    readonly other: TestApp,
    private readonly dropDatabase: () => Promise<void>,
  ) {}

  static async start(overrides: TestAppOverrides = {}): Promise<Replicas> {
    const [database, redis] = await Promise.all([createDemoDatabase(), TestRedis.start()]);
    const settings = { databaseUrl: database.url, redisUrl: redis.url, ...overrides };
    const leader = await startTestApp(settings);
    const other = await startTestApp(settings);
    return new Replicas(database.url, redis, leader, other, () => database.drop());
  }

  async stop(): Promise<void> {
    await this.other.close();
    await this.leader.close();
    await this.redis.stop();
    await this.dropDatabase();
  }
}
