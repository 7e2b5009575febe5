import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PersonalDataRegistry } from '../../../src/kit/personal-data/personal-data.js';
import { madePassphrasePath } from '../../../src/kit/vault/passphrase.js';
import { createDemoDatabase, startTestApp, TEST_PASSPHRASE, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/core.js';
import type { TestDatabase } from '../../support/database.js';
import { unpacked } from '../../support/clients/privacy-client.js';
import { logIn } from '../../support/clients/users-client.js';

describe('an export that a restart cuts short', () => {
  let database: TestDatabase;
  let dataDir: string;
  let app: TestApp;
  beforeEach(async () => {
    database = await createDemoDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'tradepost-exports-'));
    await writeFile(madePassphrasePath({ dataDir }), TEST_PASSPHRASE, { mode: 0o600 });
  });
  afterEach(async () => {
    await app?.close();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const start = (): Promise<TestApp> =>
    startTestApp({ databaseUrl: database.url, dataDir, rateLimits: 'off' });

  it('begins anew, and ends in one whole file', async () => {
    app = await start();
    let cut: (error: Error) => void = () => undefined;
    const held = new Promise<never>((_resolve, reject) => (cut = reject));
    held.catch(() => undefined);
    app.app.nest.get(PersonalDataRegistry).exports({
      name: 'slow',
      holds: 'what takes a while',
      async *rows() {
        yield { row: 1 };
        await held;
      },
    });
    const session = await logIn(app, 'alice');
    const { body } = await session.post('/user/exports', {});
    const path = `/user/exports/${body.export_id}`;
    await eventually(async () => {
      const { progress, status } = (await session.get(path)).body;
      expect(status).toBe('running');
      expect(progress.sections_done).toBe(progress.sections_total - 1);
    });
    const seen = await session.get(path);
    expect(seen.body).toMatchObject({ download_url: null, ready_at: null });
    expect(await readdir(join(dataDir, 'files', 'exports')).catch(() => [])).toEqual([]);
    cut(new Error('the process ends'));
    await app.close();

    app = await start();
    const again = await logIn(app, 'alice');
    const ready = await eventually(async () => {
      const answer = await again.get(path);
      expect(answer.body.status).toBe('ready');
      return answer.body;
    });
    // What the dead run had counted does not count.
    expect(ready.progress.sections_done).toBe(ready.progress.sections_total - 1);
    const { files } = await unpacked(ready.download_url as string);
    expect(JSON.parse(files.get('user.json')!.toString('utf8'))).toMatchObject([{ username: 'alice' }]);
    expect(await readdir(join(dataDir, 'files', 'exports'))).toHaveLength(1);
    expect(await readdir(join(dataDir, 'files', '.unfinished'))).toEqual([]);
  });
});
