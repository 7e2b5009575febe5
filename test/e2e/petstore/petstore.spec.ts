import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { PetstoreClient, type Arguments, type PetstoreAnswer } from '../../support/petstore/client.js';
import { DIFFERENCES } from '../../support/petstore/differences.js';
import { OPERATIONS, type PetstoreVersion } from '../../support/petstore/facts.js';

interface Observation {
  readonly version: PetstoreVersion;
  readonly operationId: string;
  readonly status: number;
  readonly verdict: PetstoreAnswer['verdict'];
}

const observations: Observation[] = [];

const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } })
  .png()
  .toBuffer();
const PICTURE = new File([new Uint8Array(png)], 'rex.png', { type: 'image/png' });

/** Refused calls for every operation. */
const REFUSALS: readonly [operationId: string, status: number, who: 'alice' | 'anyone', given?: Arguments][] =
  [
    ['addPet', 400, 'alice', { body: { name: 'No photos' } }],
    ['updatePet', 404, 'alice', { body: { id: 999_999, name: 'Nobody', photoUrls: [] } }],
    ['updatePet', 400, 'alice', { body: { id: 1, name: 7, photoUrls: [] } }],
    ['findPetsByStatus', 400, 'alice', { status: ['unheard-of'] }],
    ['findPetsByTags', 400, 'alice', { tags: [''] }],
    ['getPetById', 404, 'alice', { petId: 999_999 }],
    ['getPetById', 400, 'alice', { petId: '1e3' }],
    ['updatePetWithForm', 405, 'alice', { petId: 1, name: 'Rex', status: 'unheard-of' }],
    ['deletePet', 404, 'alice', { petId: 999_999 }],
    ['deletePet', 400, 'alice', { petId: 'rex' }],
    ['uploadFile', 404, 'alice', { petId: 999_999, file: PICTURE }],
    ['uploadFile', 400, 'alice', { petId: 1, file: new File(['<svg/>'], 'rex.png', { type: 'image/png' }) }],
    ['getInventory', 401, 'anyone'],
    ['placeOrder', 400, 'alice', { body: { petId: 'rex' } }],
    ['placeOrder', 400, 'alice', { body: { petId: 1, quantity: 2 ** 31 } }],
    // A demo pet that is sold.
    ['placeOrder', 409, 'alice', { body: { petId: 8 } }],
    ['placeOrder', 404, 'alice', { body: { petId: 999_999 } }],
    ['getOrderById', 404, 'alice', { orderId: 999_999 }],
    ['getOrderById', 400, 'alice', { orderId: '0x10' }],
    ['deleteOrder', 404, 'alice', { orderId: 999_999 }],
    ['deleteOrder', 400, 'alice', { orderId: '-1' }],
    ['createUser', 400, 'alice', { body: { username: 'not a name', password: 'correct horse battery' } }],
    ['createUsersWithListInput', 400, 'alice', { body: [{ firstName: 'No name' }] }],
    ['createUsersWithArrayInput', 400, 'alice', { body: [{ firstName: 'No name' }] }],
    ['loginUser', 401, 'anyone', { username: 'alice', password: 'wrong' }],
    ['logoutUser', 401, 'anyone'],
    ['getUserByName', 404, 'alice', { username: 'nobody-here' }],
    ['getUserByName', 400, 'alice', { username: 'no name' }],
    ['updateUser', 404, 'alice', { username: 'nobody-here', body: { firstName: 'A' } }],
    ['deleteUser', 404, 'alice', { username: 'nobody-here' }],
  ];

function isIn(version: PetstoreVersion, operationId: string): boolean {
  return OPERATIONS.some((each) => each.operationId === operationId && each[version] !== undefined);
}

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.close());

/** Clients as `swagger-client` makes them from the Petstore's own documents, against the whole service. */
describe.each<PetstoreVersion>(['v2', 'v3'])('a client of the Petstore %s', (version) => {
  /** A client without a credential. */
  let anyone: PetstoreClient;
  /** A user's session, with the key that Petstore's documents name. */
  let alice: PetstoreClient;

  const observed = async (
    client: PetstoreClient,
    operationId: string,
    given: Arguments = {},
  ): Promise<PetstoreAnswer> => {
    const answer = await client.call(operationId, given);
    observations.push({ version, operationId, status: answer.status, verdict: answer.verdict });
    expect(answer.verdict, `${operationId} ${answer.status}`).not.toMatch(/^invalid/);
    return answer;
  };
  /** A call that must succeed; its body. */
  const does = async (
    client: PetstoreClient,
    operationId: string,
    given: Arguments = {},
  ): Promise<PetstoreAnswer['body']> => {
    const { status, body } = await observed(client, operationId, given);
    expect(status, `${operationId}: ${JSON.stringify(body)}`).toBe(200);
    return body;
  };
  /** A call that must be refused in the envelope. */
  const refuses = async (
    client: PetstoreClient,
    operationId: string,
    status: number,
    given: Arguments = {},
  ): Promise<void> => {
    const answer = await observed(client, operationId, given);
    expect(answer.status, `${operationId}: ${JSON.stringify(answer.body)}`).toBe(status);
    expect(answer.body).toMatchObject({
      error: { code: expect.any(String), message: expect.any(String), request_id: expect.any(String) },
    });
  };
  const sessionOf = async (username: string, password: string): Promise<PetstoreClient> => {
    const token: string = await does(anyone, 'loginUser', { username, password });
    return PetstoreClient.open(version, service.url, { token, apiKey: 'special-key' });
  };

  beforeAll(async () => {
    anyone = await PetstoreClient.open(version, service.url);
    alice = await sessionOf('alice', 'alice-password');
  });

  it('logs in with a token that says how long it lasts', async () => {
    const { status, headers, body } = await observed(anyone, 'loginUser', {
      username: 'bob',
      password: 'bob-password',
    });
    expect(status).toBe(200);
    expect(body).toMatch(/^\S{20,}$/);
    expect(headers['x-rate-limit']).toMatch(/^\d+$/);
    expect(Date.parse(headers['x-expires-after']!)).toBeGreaterThan(Date.now());
  });

  it('keeps pets', async () => {
    const pet = {
      name: `Rex ${version}`,
      category: { id: 1, name: 'Dogs' },
      photoUrls: ['https://example.com/rex.jpg'],
      tags: [{ id: 1, name: `tag-${version}` }],
      status: 'available',
    };
    const added = await does(alice, 'addPet', { body: pet });
    expect(added).toMatchObject({ name: pet.name, photoUrls: pet.photoUrls, status: 'available' });
    const petId = added.id as number;
    expect(await does(alice, 'getPetById', { petId })).toEqual(added);
    expect(await does(alice, 'findPetsByTags', { tags: [`tag-${version}`] })).toEqual([added]);
    expect(
      await does(alice, 'findPetsByStatus', { status: version === 'v2' ? ['available'] : 'available' }),
    ).toContainEqual(added);

    const updated = await does(alice, 'updatePet', { body: { ...added, name: `Max ${version}` } });
    expect(updated).toEqual({ ...added, name: `Max ${version}` });
    await does(alice, 'updatePetWithForm', { petId, name: `Ben ${version}`, status: 'pending' });
    const found = await does(alice, 'getPetById', { petId });
    expect(found).toEqual({ ...added, name: `Ben ${version}`, status: 'pending' });
    if (version === 'v2') {
      expect(await does(alice, 'findPetsByStatus', { status: ['pending', 'sold'] })).toContainEqual(found);
    }

    const uploaded = await does(alice, 'uploadFile', {
      petId,
      additionalMetadata: 'on the beach',
      file: PICTURE,
    });
    expect(uploaded).toMatchObject({ code: 200 });
    const { photoUrls } = await does(alice, 'getPetById', { petId });
    expect(photoUrls).toHaveLength(2);
    const served = await fetch(photoUrls[1]);
    expect(served.status).toBe(200);
    expect(served.headers.get('content-type')).toMatch(/^image\//);

    await does(alice, 'deletePet', { petId });
    await refuses(alice, 'getPetById', 404, { petId });
  });

  it.each([7, 13])('orders %d of a pet, as the examples of the Petstore do', async (quantity) => {
    const { id: petId } = await does(alice, 'addPet', {
      body: { name: 'Kit', photoUrls: [], status: 'available' },
    });
    const before = await does(alice, 'getInventory');
    const order = await does(alice, 'placeOrder', {
      body: {
        petId,
        quantity,
        shipDate: '2026-12-24T18:00:00.000+01:00',
        status: 'placed',
        complete: false,
      },
    });
    expect(order).toEqual({
      id: expect.any(Number),
      petId,
      quantity,
      shipDate: '2026-12-24T17:00:00.000Z',
      status: 'placed',
      complete: false,
    });
    expect(await does(alice, 'getOrderById', { orderId: order.id })).toEqual(order);
    expect(await does(alice, 'getPetById', { petId })).toMatchObject({ status: 'available' });
    expect(await does(alice, 'getInventory')).toEqual(before);
    await does(alice, 'placeOrder', { body: { petId } });
    await does(alice, 'deleteOrder', { orderId: order.id });
    await refuses(alice, 'getOrderById', 404, { orderId: order.id });
  });

  it('knows users', async () => {
    const person = (name: string): object => ({
      username: `${name}-${version}`,
      firstName: 'Ann',
      lastName: 'Lee',
      email: `${name}@example.com`,
      password: 'correct horse battery',
      phone: '+351 210 000 000',
      userStatus: 0,
    });
    await does(alice, 'createUser', { body: person('ann') });
    await does(alice, 'createUsersWithListInput', { body: [person('cat'), person('dan')] });
    if (version === 'v2') {
      await does(alice, 'createUsersWithArrayInput', { body: [person('eve'), person('fay')] });
    }

    const username = `ann-${version}`;
    const ann = await sessionOf(username, 'correct horse battery');
    const found = await does(ann, 'getUserByName', { username });
    expect(found).toEqual({ ...person('ann'), id: expect.any(Number), password: '********' });
    await does(ann, 'updateUser', { username, body: { ...found, firstName: 'Anna' } });
    expect(await does(ann, 'getUserByName', { username })).toEqual({ ...found, firstName: 'Anna' });

    await does(ann, 'logoutUser');
    await refuses(ann, 'getUserByName', 401, { username });
    const again = await sessionOf(username, 'correct horse battery');
    await does(again, 'deleteUser', { username });
    await refuses(again, 'getUserByName', 401, { username });
  });

  const refusals = REFUSALS.filter(([operationId]) => isIn(version, operationId));

  it.each(refusals)('%s is refused with %i', async (operationId, status, who, given = {}) => {
    await refuses(who === 'alice' ? alice : anyone, operationId, status, given);
  });
});

describe('the answers', () => {
  const versions: readonly PetstoreVersion[] = ['v2', 'v3'];
  const keyOf = ({ version, operationId, status }: Omit<Observation, 'verdict'>): string =>
    `${version} ${operationId} ${status}`;

  it('were seen for every operation, happy and unhappy', () => {
    for (const version of versions) {
      const operations = OPERATIONS.filter(({ operationId }) => isIn(version, operationId));
      expect(operations).toHaveLength(version === 'v2' ? 20 : 19);
      for (const { operationId } of operations) {
        const statuses = observations
          .filter((each) => each.version === version && each.operationId === operationId)
          .map(({ status }) => status);
        expect(statuses, `${version} ${operationId}`).toContain(200);
        expect(Math.max(...statuses), `${version} ${operationId}`).toBeGreaterThanOrEqual(400);
      }
    }
  });

  it('are what the documents declare, but for the differences that are explained', () => {
    const different = observations.filter(({ verdict }) => verdict !== 'as declared').map(keyOf);
    const explained = DIFFERENCES.flatMap(({ versions: of, operationIds, status }) =>
      of.flatMap((version) => operationIds.map((operationId) => keyOf({ version, operationId, status }))),
    );
    expect([...new Set(different)].sort()).toEqual([...new Set(explained)].sort());
  });
});
