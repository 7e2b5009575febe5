import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceProcess } from '../../src/testing/service-process.js';
import { packTarballs, runAsTeam } from '../support/installed-package.js';

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

const TIMEOUT_MS = 300_000;

/** What another team does in its first hour, with nothing but Node, npm and the two tarballs: each command as it is printed. */
describe('a new plugin', { timeout: TIMEOUT_MS }, () => {
  let root: string;
  let team: string;
  let folder: string;
  const run = (program: string, ...args: string[]) => runAsTeam(team, program, args);
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'tradepost-team-'));
    team = join(root, 'team');
    folder = join(team, 'acme-loyalty');
    await mkdir(team);
    const { status, stderr } = run('npm', 'install', ...(await packTarballs(root)));
    expect(status, stderr).toBe(0);
  }, TIMEOUT_MS);
  afterAll(() => rm(root, { recursive: true, force: true }));

  it('is written by a command', async () => {
    const { status, stdout } = run('npx', 'tradepost', 'new-plugin', 'acme-loyalty');
    expect(status).toBe(0);
    expect(stdout).toBe(
      `${folder}\n\n  npm install\n  npm test -w acme-loyalty\n  PLUGINS=./acme-loyalty npx tradepost\n`,
    );
    const { version, dependencies } = JSON.parse(await readFile('package.json', 'utf8'));
    expect(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))).toMatchObject({
      name: 'acme-loyalty',
      peerDependencies: { tradepost: `^${version}`, typeorm: dependencies.typeorm },
    });
    expect(await readFile(join(folder, '.gitignore'), 'utf8')).toContain('dist/');
    expect(JSON.parse(await readFile(join(team, 'package.json'), 'utf8'))).toMatchObject({
      dependencies: { tradepost: expect.stringContaining('.tgz') as string },
      workspaces: ['acme-loyalty'],
    });
  });

  it('builds and passes its own test', () => {
    const installed = run('npm', 'install');
    expect(installed.status, installed.stderr).toBe(0);
    const { status, stdout } = run('npm', 'test', '-w', 'acme-loyalty');
    expect(status, stdout).toBe(0);
    expect(stdout).toMatch(/pass 1\b/);
  });

  it('runs in the service, and shows in its document and its metrics', async () => {
    const service = await ServiceProcess.start({
      entry: join(team, 'node_modules/tradepost/dist/bundle/main.js'),
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
      expect(run(process.execPath, ...types, '-o', 'api.ts')).toMatchObject({ status: 0 });
      await writeFile(join(team, 'notes.mts'), PROGRAM);
      const strict = ['--strict', '--module', 'nodenext', '--types', 'node', '--skipLibCheck'];
      const compiled = run('tsc', ...strict, 'notes.mts');
      expect(compiled).toMatchObject({ status: 0, stdout: '' });
      expect(run(process.execPath, 'notes.mjs', service.url, token)).toMatchObject({
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
    const { status, stderr } = run('npx', 'tradepost', 'new-plugin', 'acme-loyalty');
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `${folder} is not empty: choose another name, or remove it.\n`,
    });
  });
});
