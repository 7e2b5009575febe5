import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceProcess } from '../../scripts/support/service-process.js';
import { InstalledPackage } from '../support/installed-package.js';

/** A program of the team, on types made from the document of the service with its plugin. */
const PROGRAM = `
import { sessionToken, TradepostClient, TradepostError } from '@tradepost/client';
import type { paths } from './api.js';

const [url = '', token = ''] = process.argv.slice(2);
const client = new TradepostClient<paths>({ url, credentials: sessionToken(token) });
const { note_id, text } = await client.post('/acme-loyalty/notes', { body: { text: 'My first note' } });
console.log(note_id, text);
try {
  // @ts-expect-error A note has a text.
  await client.post('/acme-loyalty/notes', { body: { title: 'My second note' } });
} catch (error) {
  if (error instanceof TradepostError) console.log(error.code);
}
`;

/** What another team does in its first afternoon, with nothing but the two tarballs. */
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
    expect(JSON.parse(await readFile(join(installed.folder, 'package.json'), 'utf8'))).toEqual({
      type: 'module',
      private: true,
      workspaces: ['acme-loyalty'],
    });
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
      const token = (await login.json()) as string;
      const document = (await (await get('/openapi.json')).json()) as any; // eslint-disable-line @typescript-eslint/no-explicit-any -- looked at by expectations alone
      expect(document.paths['/acme-loyalty/notes'].post).toMatchObject({
        operationId: 'createAcmeLoyaltyNote',
      });
      expect(document.components.schemas.Error.properties.code.enum).toContain('acme_loyalty_too_many_notes');

      const types = [resolve('node_modules/openapi-typescript/bin/cli.js'), `${service.url}/openapi.json`];
      expect(installed.run(process.execPath, [...types, '-o', 'api.ts'])).toMatchObject({ status: 0 });
      await writeFile(join(installed.folder, 'notes.ts'), PROGRAM);
      const strict = ['--strict', '--module', 'nodenext', '--types', 'node', '--skipLibCheck'];
      const compiled = installed.run('tsc', [...strict, 'notes.ts']);
      expect(compiled).toMatchObject({ status: 0, stdout: '' });
      expect(installed.run(process.execPath, ['notes.js', service.url, token])).toMatchObject({
        stdout: '1 My first note\nvalidation_failed\n',
        stderr: '',
      });

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
