import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { fund } from '../../support/clients/request-signer.js';
import { logIn } from '../../support/clients/users-client.js';

const run = promisify(execFile);
const RUN_MS_MAX = 60_000;

describe('docs/signing.md', () => {
  let app: TestApp;
  let folder: string;

  beforeAll(async () => {
    app = await startTestApp();
    await fund(app, await logIn(app, 'alice'));
    folder = await mkdtemp(join(tmpdir(), 'tradepost-signing-'));
  });
  afterAll(async () => {
    await app?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('has examples that work as they stand', async () => {
    const guide = (await readFile('docs/signing.md', 'utf8')).replaceAll('http://127.0.0.1:3000', app.url);
    const blocksIn = (language: string): string[] =>
      [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, block]) => block!);
    const [script] = blocksIn('js');
    await writeFile(join(folder, 'signed.mjs'), script!);
    const node = 'export KEY_ID; node signed.mjs';
    const commands = ['set -e', ...blocksIn('sh'), node].join('\n');
    const { stdout } = await run('bash', ['-c', commands], { cwd: folder, timeout: RUN_MS_MAX });
    expect(stdout).toMatch(/^\{"data":\[\{"asset":"USD"/);
    expect(stdout).toMatch(/200 \{"status":"open".*"hold":\{"asset":"USD","amount":"5000"\}/);
    expect(stdout).toMatch(/^200 \{"data":\[\{"asset":"USD"/m);
  });
});
