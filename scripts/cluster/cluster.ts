/**
 * `npm run cluster`: a whole exchange for a try, on this machine alone: three processes of the service behind a
 * balancer, a PostgreSQL with a synchronous standby, and a Redis. All of it lies in a temporary folder and is gone
 * after Ctrl-C. Needs `redis-server` on PATH.
 *
 *   --port N        where the balancer listens (3000; 0 picks a free port)
 *   --processes N   how many processes serve (3)
 */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Interruption, interrupted } from '../../src/kit/interruption.js';
import { PgCluster } from '../support/pg-cluster.js';
import { isRedisInstalled, REDIS_BINARY, RedisServer } from '../support/redis-server.js';
import { Balancer } from './balancer.js';
import { ClusterMember } from './cluster-member.js';

const { values } = parseArgs({
  options: { port: { type: 'string', default: '3000' }, processes: { type: 'string', default: '3' } },
});

/** Cleanups, run in reverse order. */
const started: (() => Promise<unknown>)[] = [];
let isEnding = false;

async function run(): Promise<void> {
  const ended = interrupted();
  const folder = await mkdtemp(join(tmpdir(), 'tradepost-cluster-'));
  started.push(() => rm(folder, { recursive: true, force: true }));
  try {
    const starting = startAll(folder);
    // Once the script is stopping, the outcome of the start does not matter.
    starting.catch(() => undefined);
    await Promise.race([starting, ended]);
    await ended;
  } finally {
    isEnding = true;
    for (const end of started.reverse()) await end().catch((error: unknown) => say(String(error)));
  }
}

async function startAll(folder: string): Promise<void> {
  const port = await requireFreePort(Number(values.port));
  say('Starting PostgreSQL with a synchronous standby, and Redis …');
  const database = await keep(
    () => PgCluster.start(),
    (cluster) => cluster.stop(),
  );
  const redis = await keep(
    () => RedisServer.start(),
    (server) => server.stop(),
  );
  const filesDir = join(folder, 'files');
  await mkdir(filesDir);
  const publicUrl = `http://127.0.0.1:${port}`;
  const env = {
    DATABASE_URL: database.url,
    DATABASE_SYNC_STANDBY: 'required',
    REDIS_URL: redis.url,
    PUBLIC_URL: publicUrl,
    TRUST_PROXY: '1',
    SEED_DEMO: 'true',
    RATE_LIMITS: 'on',
    KEYSTORE_PASSPHRASE: randomBytes(32).toString('base64url'),
  };
  const members: ClusterMember[] = [];
  for (let index = 1; index <= Number(values.processes); index++) {
    const name = `process-${index}`;
    say(`Starting ${name} …`);
    const dir = join(folder, name);
    members.push(
      await keep(
        () => ClusterMember.start(name, { dir, filesDir, env, say }),
        (member) => member.stop(),
      ),
    );
  }
  await keep(
    () => Balancer.start(members, port),
    (balancer) => balancer.stop(),
  );
  say(banner(publicUrl, members, database, redis, folder));
}

/** Registers the cleanup, also if the script is stopped during the start. */
async function keep<T>(start: () => Promise<T>, end: (thing: T) => Promise<void>): Promise<T> {
  if (isEnding) throw new Interruption('Interrupted.');
  const starting = start();
  started.push(async () => {
    const thing = await starting.catch(() => undefined);
    if (thing !== undefined) await end(thing);
  });
  return starting;
}

/** The processes get the address before the balancer listens, so check early that it is free. */
async function requireFreePort(wanted: number): Promise<number> {
  const server = createServer().listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : wanted;
}

function banner(
  url: string,
  members: readonly ClusterMember[],
  database: PgCluster,
  redis: RedisServer,
  folder: string,
): string {
  return [
    '',
    `Tradepost serves ${url} · Swagger UI ${url}/docs · demo client demo / demo-secret`,
    ...members.map(({ name, url: at, pid }) => `  ${name}   ${at}   kill -9 ${pid}`),
    `  PostgreSQL  primary on port ${database.primary.port}, synchronous standby on port ${database.standby?.port}`,
    `  Redis       port ${redis.port}`,
    `  Logs        ${folder}/process-*/service.log`,
    'Kill any process: it comes back by itself. kill -TERM hands over first. socket.io clients: transports: ["websocket"].',
    'Ctrl-C ends all of it.',
  ].join('\n');
}

function say(line: string): void {
  console.log(line);
}

if (!isRedisInstalled) {
  console.error(
    `There is no ${REDIS_BINARY} on PATH: install Redis 7 or later (apt install redis-server, brew install redis).`,
  );
  process.exit(1);
}
try {
  await run();
} catch (error) {
  if (!(error instanceof Interruption)) {
    console.error(`The cluster did not start: ${(error as Error).message}`);
    process.exit(1);
  }
}
