/** Starts the service with the plugin in this process, with a database of its own, and calls the routes. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createApp, loadConfig } from 'tradepost';
import AcmeLoyaltyPlugin from './plugin.js';

await test('notes are written and listed, up to the setting', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'acme-loyalty-'));
  const service = await createApp({
    config: loadConfig({
      NODE_ENV: 'test',
      PORT: '0',
      DATA_DIR: folder,
      LOG_LEVEL: 'warn',
      ACME_LOYALTY_NOTES_MAX: '1',
    }),
    plugins: [AcmeLoyaltyPlugin],
  });
  try {
    const url = await service.listen();
    const login = await fetch(`${url}/user/login`, {
      headers: { authorization: `Basic ${btoa('alice:alice-password')}` },
    });
    const headers = {
      authorization: `Bearer ${(await login.json()) as string}`,
      'content-type': 'application/json',
    };
    const write = (text: string): Promise<Response> =>
      fetch(`${url}/acme-loyalty/notes`, { method: 'POST', headers, body: JSON.stringify({ text }) });

    assert.equal((await write('My first note')).status, 201);
    const refused = await write('One too many');
    assert.equal(refused.status, 409);
    const { error } = (await refused.json()) as { error: { code: string } };
    assert.equal(error.code, 'acme_loyalty_too_many_notes');

    const listed = await fetch(`${url}/acme-loyalty/notes`, { headers });
    const notes = (await listed.json()) as { text: string }[];
    assert.deepEqual(
      notes.map(({ text }) => text),
      ['My first note'],
    );
    assert.equal((await fetch(`${url}/acme-loyalty/notes`)).status, 401);
  } finally {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  }
});
