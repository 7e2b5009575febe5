import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceProcess } from '../../scripts/support/service-process.js';
import { InstalledPackage } from '../support/installed-package.js';

/** What another team does in its first afternoon, with nothing but the tarball. */
describe('a new plugin', () => {
  let installed: InstalledPackage;
  let folder: string;
  beforeAll(async () => {
    installed = await InstalledPackage.install();
    folder = join(installed.folder, 'acme-loyalty');
  });
  afterAll(() => installed.remove());

  it('is written by a command', async () => {
    const { status, stdout } = installed.run('npx', ['--offline', 'tradepost', 'new-plugin', 'acme-loyalty']);
    expect(status).toBe(0);
    expect(stdout).toContain('PLUGINS=./acme-loyalty npx tradepost');
    const { version, dependencies } = JSON.parse(await readFile('package.json', 'utf8'));
    expect(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))).toMatchObject({
      name: 'acme-loyalty',
      peerDependencies: { tradepost: `^${version}`, typeorm: dependencies.typeorm },
    });
    expect(await readFile(join(folder, '.gitignore'), 'utf8')).toContain('dist/');
  });

  it('builds and passes its own test', () => {
    const { status, stdout } = installed.run('npm', ['test'], folder);
    expect(status, stdout).toBe(0);
    expect(stdout).toMatch(/pass 1\b/);
  });

  it('runs in the service, and shows in its document and its metrics', async () => {
    const service = await ServiceProcess.start({
      entry: installed.entry,
      env: { PLUGINS: folder, ACME_LOYALTY_NOTES_MAX: '3' },
    });
    try {
      const get = (path: string, authorization?: string): Promise<Response> =>
        fetch(`${service.url}${path}`, { headers: authorization === undefined ? {} : { authorization } });
      const login = await get('/user/login', `Basic ${btoa('alice:alice-password')}`);
      const session = `Bearer ${(await login.json()) as string}`;
      const written = await fetch(`${service.url}/acme-loyalty/notes`, {
        method: 'POST',
        headers: { authorization: session, 'content-type': 'application/json' },
        body: JSON.stringify({ text: 'My first note' }),
      });
      expect(written.status).toBe(201);
      expect(await written.json()).toMatchObject({ note_id: '1', text: 'My first note' });

      const document = (await (await get('/openapi.json')).json()) as any; // eslint-disable-line @typescript-eslint/no-explicit-any -- looked at by expectations alone
      expect(document.paths['/acme-loyalty/notes'].post).toMatchObject({
        operationId: 'createAcmeLoyaltyNote',
      });
      expect(document.components.schemas.Error.properties.code.enum).toContain('acme_loyalty_too_many_notes');
      const operator = await get('/user/login', `Basic ${btoa('admin:admin-password')}`);
      const metrics = await get('/metrics', `Bearer ${(await operator.json()) as string}`);
      expect(await metrics.text()).toContain('tradepost_acme_loyalty_notes_total 1');
    } finally {
      await service.stop();
    }
  });

  it('is refused in one line where there is one already', () => {
    const { status, stderr } = installed.run(process.execPath, [
      installed.entry,
      'new-plugin',
      'acme-loyalty',
    ]);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `${folder} is not empty: choose another name, or remove it.\n`,
    });
  });
});
