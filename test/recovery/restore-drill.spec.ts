import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  appendFile,
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedPostgres } from '../../src/kit/database/embedded/embedded-postgres.js';
import { eventually, queryOnce } from '../support/core.js';
import { checkBooks, OrderLoad } from './order-load.js';
import { type ServiceProcess, Site } from './service-under-fire.js';

const run = promisify(execFile);
const PROGRAM = 'dist/src/main.js';
const SILENT = { log: () => undefined, warn: () => undefined };
/** What an env file that was copied has: a drill that used any of it would fail. */
const OF_PRODUCTION = {
  REDIS_URL: 'redis://127.0.0.1:1',
  SMTP_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'nobody@example.com',
  CHAIN_ETHEREUM_RPC_URL: 'http://127.0.0.1:1',
  DATABASE_URL: 'postgresql://127.0.0.1:1/production',
};

/** A service whose PostgreSQL archives its log, a base backup of it, and what is restored of both. */
describe('the restore drill', () => {
  let folder: string;
  let wal: string;
  let base: string;
  let site: Site;
  let service: ServiceProcess;
  const load = new OrderLoad('restored');
  const sites: Site[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tradepost-restore-'));
    await chmod(folder, 0o755);
    site = await Site.open();
    sites.push(site);
    [wal, base] = [join(folder, 'wal'), join(folder, 'base')];
    await makeArchive(wal);
    await appendFile(
      join(site.dataDir, 'postgres', 'postgresql.auto.conf'),
      `archive_mode = on\narchive_command = 'test ! -f ${wal}/%f && cp %p ${wal}/%f'\n`,
    );
    service = await site.start();
    const api = service.client();
    await api.expect(200, 'GET', '/user/login', { basic: 'alice:alice-password' });
    api.close();
    await place(20);
    expect(await site.archive()).toMatchObject({ code: 0 });
    await takeBackup();
    await place(20);
    await archived();
  });
  afterAll(async () => {
    for (const each of sites) await each.close();
    await rm(folder, { recursive: true, force: true });
  }, 180_000);

  /** As the server writes there. */
  async function makeArchive(path: string): Promise<void> {
    await mkdir(path);
    const { uid, gid } = await stat(join(site.dataDir, 'postgres'));
    await chown(path, uid, gid);
  }

  /** So many further orders, acknowledged. */
  async function place(count: number): Promise<void> {
    const until = load.acknowledged.size + count;
    const part = new OrderLoad(`restored-${until}`);
    await part.turnTo(service.url);
    part.start();
    await eventually(() => part.acknowledged.size >= count, 'so many orders');
    await part.finish();
    for (const [name, order] of part.acknowledged) load.acknowledged.set(name, order);
  }

  /** A base backup of the running server, without its log, as `pg_basebackup` makes it. */
  async function takeBackup(): Promise<void> {
    const client = new pg.Client({ connectionString: await site.databaseUrl() });
    await client.connect();
    try {
      await client.query(`SELECT pg_backup_start('drill', true)`);
      const source = join(site.dataDir, 'postgres');
      // Tables may be dropped meanwhile; recovery hears of it from the log.
      await run('cp', ['-a', source, base]).catch(() => undefined);
      await rm(join(base, 'pg_wal'), { recursive: true });
      await mkdir(join(base, 'pg_wal'));
      await rm(join(base, 'postmaster.pid'));
      const { rows } = await client.query<{ label: string }>(
        'SELECT labelfile AS label FROM pg_backup_stop(false)',
      );
      await writeFile(join(base, 'backup_label'), rows[0]!.label);
      const { uid, gid } = await stat(source);
      for (const path of ['pg_wal', 'backup_label']) await chown(join(base, path), uid, gid);
    } finally {
      await client.end();
    }
  }

  /** Once all that was committed is in the archive. */
  async function archived(): Promise<void> {
    const [{ name }] = (await site.query<{ name: string }>(
      'SELECT pg_walfile_name(pg_switch_wal()) AS name',
    )) as [{ name: string }];
    await eventually(async () => {
      const [archiver] = await site.query<{ last: string | null }>(
        'SELECT last_archived_wal AS last FROM pg_stat_archiver',
      );
      return (archiver?.last ?? '') >= name;
    }, 'the segment is archived');
  }

  async function drill(
    options: readonly string[],
    archive = wal,
  ): Promise<{ code: number; said: string; left: string[] }> {
    const parent = await mkdtemp(join(folder, 'drill-'));
    await chmod(parent, 0o755);
    const args = ['drill', '--base', base, '--wal', archive, '--folder', parent, ...options];
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...OF_PRODUCTION },
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    const left = (await readdir(parent)).map((name) => join(parent, name));
    return { code, said, left };
  }

  /** The options of docs/operating.md with the folders of this test; the programs are the embedded ones. */
  async function documented(): Promise<string[]> {
    const text = await readFile('docs/operating.md', 'utf8');
    const [, command] = /^npx tradepost drill ((?:.*\\\n)*.*)$/m.exec(text)!;
    const options = [...command!.matchAll(/--([\w-]+) (\S+)/g)].map(([, name, path]) => [name!, path!]);
    const folders: Record<string, string> = {
      heads: heads(),
      'journal-archive': join(site.dataDir, 'journal-archive'),
      audit: join(site.dataDir, 'audit-log'),
    };
    expect(options.map(([name]) => name)).toEqual(['base', 'wal', ...Object.keys(folders), 'pg-bin']);
    return Object.entries(folders).flatMap(([name, path]) => [`--${name}`, path]);
  }

  /** What answers without a body. */
  async function remove(path: string, token: string): Promise<void> {
    const headers = { Authorization: `Bearer ${token}` };
    expect(await fetch(`${service.url}${path}`, { method: 'DELETE', headers })).toMatchObject({ ok: true });
  }

  const heads = (): string => join(site.dataDir, 'journal-heads');

  it('leaves the archive as it is, and nothing behind', async () => {
    const before = await contentOf(wal);
    const baseBefore = await contentOf(base);
    const { code, said, left } = await drill(await documented());
    expect({ code, said, left }).toEqual({
      code: 0,
      said: expect.stringContaining('The restore holds.') as string,
      left: [],
    });
    expect(said).toMatch(/^Journal: \d+ rows lead to sequence \d+/m);
    expect(said).toMatch(/^Ledger: balanced/m);
    expect(said).toMatch(/^Heads: the last one, .* is in it$/m);
    expect(said).toMatch(/^Audit log: \d+ rows/m);
    expect(said).toMatch(/^ {2}nothing$/m);
    expect(await contentOf(wal)).toEqual(before);
    expect(await contentOf(base)).toEqual(baseBefore);
  });

  it('leaves nothing behind where it is interrupted', async () => {
    const parent = await mkdtemp(join(folder, 'drill-'));
    await chmod(parent, 0o755);
    const args = ['drill', '--base', base, '--wal', wal, '--folder', parent];
    const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    let isInterrupted = false;
    // Once: whoever interrupts it again gets no patience.
    child.stderr.on('data', (chunk: Buffer) => {
      if (!isInterrupted && chunk.toString().includes('Recovering')) isInterrupted = child.kill('SIGINT');
    });
    const [code] = (await once(child, 'close')) as [number];
    expect({ code, left: await readdir(parent) }).toEqual({ code: 1, left: [] });
  });

  it('names a segment that is missing instead of ending early in silence', async () => {
    const holed = join(folder, 'holed');
    await makeArchive(holed);
    await cp(wal, holed, { recursive: true });
    await place(5);
    await archived();
    await place(5);
    await archived();
    const [last] = (await readdir(wal))
      .filter((name) => /^[0-9A-F]{24}$/.test(name))
      .sort()
      .reverse();
    await cp(join(wal, last!), join(holed, last!));
    const { code, said } = await drill([], holed);
    expect({ code, said }).toMatchObject({ code: 1, said: expect.stringContaining(last!) as string });
    expect(said).toContain('a segment between is missing or damaged');
  });

  it('refuses the wrong timeline, which a copy that archives makes', async () => {
    const polluted = join(folder, 'polluted');
    await makeArchive(polluted);
    await run('cp', ['-a', `${wal}/.`, polluted]);
    const clean = await contentOf(polluted);

    // As the drill was documented before: the copy keeps archive_mode = on.
    const copy = join(folder, 'copy');
    await mkdir(copy);
    await run('cp', ['-a', base, join(copy, 'postgres')]);
    const settings = join(copy, 'postgres', 'postgresql.auto.conf');
    const text = (await readFile(settings, 'utf8')).replaceAll(wal, polluted);
    await writeFile(settings, `${text}restore_command = 'cp ${polluted}/%f %p'\n`);
    await writeFile(join(copy, 'postgres', 'recovery.signal'), '');
    const server = await new EmbeddedPostgres({ dataDir: copy, logger: SILENT }).start();
    try {
      const isPromoted = (): Promise<boolean> =>
        queryOnce(server.url, 'SELECT pg_switch_wal()').then(
          () => true,
          () => false,
        );
      await eventually(isPromoted, 'it is no standby any more');
      await eventually(() => existsSync(join(polluted, '00000002.history')), 'it archives its timeline');
    } finally {
      await server.stop();
    }
    expect(await contentOf(polluted)).not.toEqual(clean);

    // Production goes on; its first head after a start is in the files at once.
    await service.stop();
    service = await site.start();
    const headsBefore = await readdir(heads()).then((names) => headCount(heads(), names));
    await place(20);
    await eventually(
      async () => (await headCount(heads(), await readdir(heads()))) > headsBefore,
      'another head is signed',
    );
    await archived();
    await run('cp', ['-an', `${wal}/.`, polluted]);
    const wrong = await drill(['--heads', heads()], polluted);
    expect(wrong).toMatchObject({ code: 1, left: [] });
    expect(wrong.said).toContain('wrong timeline: the last signed head');
    const right = await drill(['--heads', heads(), '--timeline', '1'], polluted);
    expect(right).toEqual({
      code: 0,
      said: expect.stringContaining('The restore holds.') as string,
      left: [],
    });
  });

  it('tells what a restore brings back, and repeats it', async () => {
    const api = service.client();
    const admin = await api.authorize('admin:admin-secret');
    const { body: session } = await api.expect<string>(200, 'GET', '/user/login', {
      basic: 'alice:alice-password',
    });
    await api.expect(200, 'POST', '/user', {
      token: admin,
      json: { username: 'forgotten', password: 'a-password-of-some-length', email: 'forgotten@example.com' },
    });
    const { body: key } = await api.expect<{ api_key_id: string }>(201, 'POST', '/auth/api-keys', {
      token: session,
      json: { name: 'revoked', scopes: ['account:read'] },
    });
    await place(5);
    await delay(1_500);
    const until = new Date();
    await delay(1_500);
    await remove(`/auth/api-keys/${key.api_key_id}`, session);
    await api.expect(200, 'POST', '/admin/users/bob/lock', { token: admin, json: { reason: 'drill' } });
    await remove('/user/forgotten', admin);
    await api.expect(200, 'PUT', '/user/alice', {
      token: admin,
      json: { password: 'another-password-of-hers' },
    });
    await api.expect(200, 'GET', '/admin/audit?limit=1', { token: admin });
    api.close();
    await place(5);
    await archived();

    const audit = join(site.dataDir, 'audit-log');
    const { code, said, left } = await drill(['--audit', audit, '--until', until.toISOString(), '--keep']);
    expect({ code, said }).toEqual({
      code: 0,
      said: expect.stringContaining('The restore holds.') as string,
    });
    expect(said).toContain(`a revoked key: api_key:${key.api_key_id}`);
    expect(said).toContain('a lock: user:bob');
    expect(said).toContain('an old password: user:alice');
    expect(said).toContain('an erased person: user:forgotten');

    const server = await new EmbeddedPostgres({ dataDir: left[0]!, logger: SILENT }).start();
    try {
      expect(
        await queryOnce(
          server.url,
          `SELECT username, user_status, email FROM users WHERE username IN ('bob', 'forgotten') ORDER BY username`,
        ),
      ).toEqual([
        { username: 'bob', user_status: 1, email: null },
        { username: 'forgotten', user_status: 2, email: null },
      ]);
      expect(
        await queryOnce(server.url, 'SELECT FROM api_keys WHERE api_key_id = $1', [key.api_key_id]),
      ).toEqual([]);
    } finally {
      await server.stop();
    }
  });

  it('is followed by a real restore that has every acknowledged order', async () => {
    const count = (await readdir(wal)).length;
    await place(20);
    await archived();
    expect((await readdir(wal)).length).toBeGreaterThan(count);
    await service.kill();

    const { code, said, left } = await drill(['--heads', heads(), '--keep']);
    expect({ code, said }).toEqual({
      code: 0,
      said: expect.stringContaining('The restore holds.') as string,
    });
    const restored = await Site.empty();
    sites.push(restored);
    await run('cp', ['-a', `${site.dataDir}/.`, restored.dataDir]);
    await rm(join(restored.dataDir, 'postgres'), { recursive: true });
    await run('mv', [join(left[0]!, 'postgres'), restored.dataDir]);
    await site.close();
    const before = await contentOf(wal);
    service = await restored.start();
    await load.check(service.url);
    const api = service.client();
    await checkBooks(api);
    api.close();
    expect(await contentOf(wal)).toEqual(before);
  });
});

async function headCount(folder: string, names: readonly string[]): Promise<number> {
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.join('').split('\n').length;
}

/** Each file with a digest of what it holds. */
async function contentOf(folder: string): Promise<Record<string, string>> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((file) =>
    file.isFile(),
  );
  const content: Record<string, string> = {};
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name);
    content[path.slice(folder.length)] = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
  }
  return content;
}
