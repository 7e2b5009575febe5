import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp, type TestAppOverrides } from '../../support/app.js';
import { UserCaller } from '../../support/clients/users-client.js';
import { queryOnce } from '../../support/core.js';
import { eventually } from '../../support/eventually.js';
import { MailServer, readMail } from '../../support/mail-server.js';
import { giveAddress, newReader, newUser, type Reader } from './mail-client.js';

const VERIFY = 'Verify your mail address';

let app: TestApp | undefined;
let server: MailServer | undefined;

afterEach(async () => {
  await app?.close();
  await server?.close();
  [app, server] = [undefined, undefined];
});

async function start(overrides: TestAppOverrides = {}): Promise<{ app: TestApp; server: MailServer }> {
  server = await MailServer.start();
  app = await startTestApp({ mail: server.config, rateLimits: 'off', ...overrides });
  return { app, server };
}

interface Job {
  readonly attempts: number;
  readonly last_error: string | null;
  readonly text: string;
}

const jobs = ({ config }: TestApp): Promise<Job[]> =>
  queryOnce<Job>(
    config.databaseUrl!,
    `SELECT attempts, last_error, row_to_json(job)::text AS text FROM graphile_worker._private_jobs job
       JOIN graphile_worker._private_tasks task ON task.id = job.task_id WHERE identifier LIKE 'users.%'`,
  );

/** Runs what waits for its next try now. */
const hurry = ({ config }: TestApp) =>
  queryOnce(config.databaseUrl!, 'UPDATE graphile_worker._private_jobs SET run_at = now()');

const addKey = ({ session }: Reader) => session.post('/auth/api-keys', { name: 'Mine', scopes: [] });

describe('a mail server', () => {
  it.each(['refuse', 'hang'] as const)(
    'that does not take mail (%s) delays mails, not requests',
    async (mood) => {
      const { app, server } = await start();
      const reader = await newReader(app, server);
      server.mood = mood;
      const connections = server.connections;
      expect((await addKey(reader)).status).toBe(201);
      expect(
        (await new UserCaller(app.url).post('/user/password/forgot', { username: reader.username })).status,
      ).toBe(202);
      await eventually(() => server.connections > connections, 'a try');
      if (mood === 'refuse') {
        await eventually(
          async () => (await jobs(app)).some(({ last_error: error }) => error !== null),
          'a failure',
        );
        const [job] = await jobs(app);
        expect(job!.last_error).toContain('The mail server took no mail');
        expect(job!.last_error).not.toContain(reader.email);
      }
      server.mood = 'take';
      server.cutAll();
      await eventually(async () => {
        await hurry(app);
        expect(server.to(reader.email).map(({ subject }) => subject)).toEqual(
          expect.arrayContaining(['New API key', 'Reset your password']),
        );
      });
    },
  );

  it('that knows no such mailbox is asked once', async () => {
    const { app, server } = await start();
    const reader = await newReader(app, server);
    server.mood = 'unknown';
    await addKey(reader);
    await eventually(async () => expect(await jobs(app)).toEqual([]));
    expect(server.to(reader.email)).toHaveLength(1);
  });

  it('gets no news that is older than a day, and jobs have no secrets', async () => {
    const { app, server } = await start();
    const reader = await newReader(app, server);
    server.mood = 'refuse';
    const { body } = await addKey(reader);
    const [job] = await eventually(async () => {
      const failed = (await jobs(app)).filter(({ last_error: error }) => error !== null);
      expect(failed).toHaveLength(1);
      return failed;
    });
    expect(job!.text).not.toContain(body.api_key);
    await queryOnce(
      app.config.databaseUrl!,
      `UPDATE graphile_worker._private_jobs
          SET payload = jsonb_set(payload::jsonb, '{at}', to_jsonb(now() - interval '25 hours'))::json`,
    );
    server.mood = 'take';
    await eventually(async () => {
      await hurry(app);
      expect(await jobs(app)).toEqual([]);
    });
    expect(server.to(reader.email).map(({ subject }) => subject)).toEqual([VERIFY]);
  });
});

describe('without a mail server', () => {
  it('mails are files that mail programs open, for the service alone', async () => {
    app = await startTestApp();
    const user = await newUser(app);
    await giveAddress(user);
    const folder = join(app.config.dataDir, 'mail');
    const [name] = await eventually(async () => {
      const names = await readdir(folder);
      expect(names).toHaveLength(1);
      return names;
    });
    expect(name).toMatch(/^[\dTZ.-]+-[0-9a-f]{8}\.eml$/);
    const mail = readMail(await readFile(join(folder, name!), 'latin1'));
    expect(mail.subject).toBe(VERIFY);
    expect(mail.headers.get('to')).toBe(user.email);
    expect((await stat(join(folder, name!))).mode & 0o777).toBe(0o600);
  });
});
