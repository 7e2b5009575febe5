import { resolve } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceProcess } from '../../../src/testing/service-process.js';
import { createDemoDatabase, TEST_PASSPHRASE } from '../../support/app.js';
import type { TestDatabase } from '../../support/database.js';
import { ApiTypes } from '../../support/petstore/api-types.js';
import { playTypedScenario } from '../../support/petstore/typed-scenario.js';

/** On the built service: only the compiler's plugin adds the fields to the document. */
describe('a TypeScript client generated from our own document', () => {
  let database: TestDatabase;
  let service: ServiceProcess;
  let types: ApiTypes;
  beforeAll(async () => {
    database = await createDemoDatabase();
    service = await ServiceProcess.start({
      entry: resolve('dist/bundle/main.js'),
      env: {
        DATABASE_URL: database.url,
        SEED_DEMO: 'true',
        KEYSTORE_PASSPHRASE: TEST_PASSPHRASE,
        UNIQUE_PETS: 'true',
      },
    });
    types = await ApiTypes.make((await (await fetch(`${service.url}/openapi.json`)).json()) as object);
  });
  afterAll(async () => {
    await types?.remove();
    await service?.stop();
    await database?.drop();
  });

  it('type-checks', () => {
    expect(types.complaintsAbout('test/support/petstore/typed-scenario.ts')).toEqual([]);
  });

  it.each([
    ['a pet in words', `const body: Body<'/store/order'> = { petId: 'seven' };`],
    ['an unknown status', `const body: Body<'/pet'> = { name: 'Rex', photoUrls: [], status: 'lost' };`],
    ['a missing password', `const body: Body<'/user'> = { username: 'typed' };`],
    ['an unknown field', `const body: Body<'/user'> = { username: 'typed', password: 'x', is_admin: true };`],
  ])('is kept from sending %s', async (_what, mistake) => {
    const source = `
      import type { paths } from 'tradepost-api';
      type Body<Path extends '/pet' | '/store/order' | '/user'> =
        paths[Path]['post']['requestBody']['content']['application/json'];
      ${mistake}
      export { body };
    `;
    const complaints = await types.complaintsAboutText(source);
    expect(complaints).toHaveLength(1);
    expect(complaints[0]).toMatch(/not assignable|missing|does not exist/);
  });

  it('goes through all three groups', async () => {
    const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } })
      .png()
      .toBuffer();
    const picture = new Blob([new Uint8Array(png)], { type: 'image/png' });
    expect(await playTypedScenario(service.url, picture)).toMatchObject({
      user: { username: 'typed', firstName: 'Tyler', password: '********' },
      statusesOfClosedUser: [401, 401],
      photoUrls: ['https://example.com/rex.jpg', expect.stringContaining(service.url)],
      foundByStatus: expect.arrayContaining(['Max']),
      foundByTags: ['Max'],
      formUpdated: { name: 'Ben', status: 'available' },
      statusesOfPet: ['pending', 'available'],
      order: { status: 'placed', shipDate: '2026-12-24T18:00:00.000Z' },
      replayed: true,
      refusal: 'conflict',
      inventory: { available: expect.any(Number), pending: expect.any(Number), sold: expect.any(Number) },
    });
  });
});
