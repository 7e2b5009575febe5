/** Starts the service with the plugin on a database of its own, and calls the routes. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TestService } from 'tradepost/testing';

let service: TestService;
before(async () => {
  service = await TestService.start({
    plugins: [new URL('./plugin.js', import.meta.url)],
    settings: { ACME_LOYALTY_NOTES_MAX: '1' },
  });
});
after(() => service.close());

await test('notes are written and listed, up to the setting, and are there after a kill', async () => {
  const alice = await service.as('alice');
  const write = (text: string) => alice.post('/acme-loyalty/notes', { text });

  assert.equal((await write('My first note')).status, 201);
  const refused = await write('One too many');
  assert.equal(refused.status, 409);
  assert.match(JSON.stringify(refused.body), /acme_loyalty_too_many_notes/);

  await service.kill();
  await service.restart();
  const notes = (await alice.get('/acme-loyalty/notes')).body as { readonly text: string }[];
  assert.deepEqual(
    notes.map(({ text }) => text),
    ['My first note'],
  );
  assert.equal((await service.anonymous.get('/acme-loyalty/notes')).status, 401);
});
