import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiKeysService } from '../../../src/modules/auth/api-keys/api-keys.service.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { queryOnce } from '../../support/core.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { addPet, expectRefusal, petCaller, postForm, put } from '../../support/clients/pets-client.js';

const MAX = Number.MAX_SAFE_INTEGER;

/** Invalid ids in a path. */
const BAD_IDS = [
  '0',
  '-1',
  '+1',
  '01',
  '1.0',
  '1e3',
  '0x10',
  '9007199254740992',
  '9007199254740993',
  '99999999999999999999',
  '%20',
  '1%20',
  '%D9%A1',
  'rex',
  'null',
];

describe('pets', () => {
  let app: TestApp;
  let keeper: Caller;
  let reader: Caller;
  let writer: Caller;
  beforeAll(async () => {
    app = await startTestApp();
    keeper = await petCaller(app);
    reader = await petCaller(app, ['read:pets']);
    writer = await petCaller(app, ['write:pets']);
  });
  afterAll(() => app.close());

  const query = (text: string, values: unknown[] = []): Promise<Json[]> =>
    queryOnce<Json>(app.config.databaseUrl!, text, values);
  const get = async (id: number): Promise<Json> => (await keeper.get(`/pet/${id}`)).body;

  describe('of the demo data', () => {
    it('are ten, the first of them available', async () => {
      const all = await keeper.get('/pet/findByStatus?status=available,pending,sold&before=11');
      expect(all.body.map((pet: Json) => pet.id)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
      expect(await get(1)).toEqual({
        id: 1,
        category: { id: expect.any(Number), name: 'dogs' },
        name: 'Rex',
        photoUrls: [],
        tags: [
          { id: expect.any(Number), name: 'friendly' },
          { id: expect.any(Number), name: 'trained' },
        ],
        status: 'available',
      });
    });
  });

  describe('are added', () => {
    it('with all that they have', async () => {
      const pet = {
        name: 'Rex 🐕 Ünïcode ‏שלום',
        category: { id: 77, name: 'Añejo' },
        photoUrls: ['https://example.com/rex.jpg', 'string', '/rex.png', 'http://example.com/?a=b#c'],
        tags: [{ id: 1, name: 'e\u0301' }, { name: '\u00e9' }, { name: '👩‍👩‍👧' }],
        status: 'sold',
      };
      const added = await addPet(keeper, pet);
      expect(added).toEqual({
        ...pet,
        id: expect.any(Number),
        category: { id: expect.any(Number), name: 'Añejo' },
        tags: pet.tags.map(({ name }) => ({ id: expect.any(Number), name })),
      });
      expect(await get(added.id)).toEqual(added);
    });

    it('with as little as a name and a list of photos', async () => {
      const added = await addPet(keeper, { name: 'Kit', photoUrls: [] });
      expect(added).toEqual({
        id: expect.any(Number),
        name: 'Kit',
        photoUrls: [],
        tags: [],
        status: 'available',
      });
      const nulls = await addPet(keeper, { id: null, category: null, tags: null, status: null });
      expect(nulls).toEqual({ ...added, id: expect.any(Number) });
    });

    it('under a chosen id, once', async () => {
      expect(await addPet(keeper, { id: MAX })).toMatchObject({ id: MAX });
      expect(await get(MAX)).toMatchObject({ id: MAX });
      const before = await get(MAX);
      expectRefusal(await keeper.post('/pet', { id: MAX, name: 'Other', photoUrls: [] }), 409, 'conflict');
      expect(await get(MAX)).toEqual(before);
    });

    it('under numbers that skip the chosen ones', async () => {
      const { id } = await addPet(keeper);
      for (const chosen of [id + 1, id + 3, id + 4, id + 6]) await addPet(keeper, { id: chosen });
      expect((await addPet(keeper)).id).toBe(id + 2);
      expect((await addPet(keeper, { id: 0 })).id).toBe(id + 5);
      expect((await addPet(keeper)).id).toBe(id + 7);
    });

    it('all at once, each under its own number', async () => {
      const { id } = await addPet(keeper);
      for (const chosen of [id + 2, id + 3, id + 5, id + 9, id + 10]) await addPet(keeper, { id: chosen });
      const pets = await Promise.all(
        Array.from({ length: 40 }, (_, i) => addPet(keeper, { tags: [{ name: `crowd ${i % 3}` }] })),
      );
      expect(new Set(pets.map((pet) => pet.id)).size).toBe(40);
      // The greatest id is taken too, and must not move the counter there.
      expect(Math.max(...pets.map((pet) => pet.id))).toBeLessThan(id + 200);
      const tags = new Map(pets.map((pet) => [pet.tags[0].name, pet.tags[0].id]));
      expect(pets.every((pet) => tags.get(pet.tags[0].name) === pet.tags[0].id)).toBe(true);
    });

    it('once for one id that many choose at once', async () => {
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          keeper.post('/pet', {
            id: 555_555,
            name: `Kit ${i}`,
            photoUrls: [],
            tags: [{ name: `race ${i}` }],
          }),
        ),
      );
      expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(409)]);
      const winner = replies.find(({ status }) => status === 200)!.body;
      expect(await get(555_555)).toEqual(winner);
      // The refused requests leave no tags behind.
      const tags = await query(`SELECT name FROM pet_tags WHERE name LIKE 'race %'`);
      expect(tags).toEqual([{ name: winner.tags[0].name }]);
    });

    it('once per Idempotency-Key', async () => {
      const key = { 'Idempotency-Key': randomUUID() };
      const first = await keeper.post('/pet', { name: 'Once', photoUrls: [] }, key);
      const again = await keeper.post('/pet', { name: 'Once', photoUrls: [] }, key);
      expect(again).toMatchObject({ status: 200, body: first.body });
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      const other = await keeper.post('/pet', { name: 'Other', photoUrls: [] }, key);
      expectRefusal(other, 422, 'idempotency_key_reused');
    });

    it.each<[string, Json]>([
      ['name', { name: undefined }],
      ['name', { name: '' }],
      ['name', { name: ' \t ' }],
      ['name', { name: '\u00a0\u2003' }],
      ['name', { name: 'a\nb' }],
      ['name', { name: 'x'.repeat(201) }],
      ['name', { name: 7 }],
      ['name', { name: null }],
      ['name', { name: ['Rex'] }],
      ['id', { id: -1 }],
      ['id', { id: 1.5 }],
      ['id', { id: '1' }],
      ['id', { id: 2 ** 53 }],
      ['status', { status: 'lost' }],
      ['status', { status: 'AVAILABLE' }],
      ['status', { status: 1 }],
      ['photoUrls', { photoUrls: undefined }],
      ['photoUrls', { photoUrls: null }],
      ['photoUrls', { photoUrls: 'https://example.com' }],
      ['photoUrls', { photoUrls: [''] }],
      ['photoUrls', { photoUrls: [7] }],
      ['photoUrls', { photoUrls: ['javascript:alert(1)'] }],
      ['photoUrls', { photoUrls: [' JaVa\tScript:alert(1)'] }],
      ['photoUrls', { photoUrls: ['data:text/html,hello'] }],
      ['photoUrls', { photoUrls: ['file:///etc/passwd'] }],
      ['photoUrls', { photoUrls: [`https://example.com/${'x'.repeat(2048)}`] }],
      ['photoUrls', { photoUrls: Array.from({ length: 21 }, (_, i) => `${i}.png`) }],
      ['category', { category: 'dogs' }],
      ['category.name', { category: {} }],
      ['category.name', { category: { id: 0 } }],
      ['category.name', { category: { id: 999_999 } }],
      ['category.name', { category: { id: 1, name: '' } }],
      ['category.id', { category: { id: '1', name: 'dogs' } }],
      ['category.color', { category: { name: 'dogs', color: 'red' } }],
      ['tags', { tags: 'a' }],
      ['tags', { tags: [null] }],
      ['tags', { tags: ['a'] }],
      ['tags.1.name', { tags: [{ name: 'a' }, {}] }],
      ['tags.0.name', { tags: [{ id: MAX }] }],
      ['tags.0.name', { tags: [{ name: { text: 'x' } }] }],
      ['tags', { tags: Array.from({ length: 51 }, (_, i) => ({ name: `t${i}` })) }],
      ['createdAt', { createdAt: '2026-01-01T00:00:00Z' }],
      ['petId', { petId: 1 }],
      ['category_id', { category_id: 1 }],
      ['owner', { owner: 'user:1' }],
      ['isAdmin', { isAdmin: true }],
    ])('not with a wrong %s: %j', async (field, change) => {
      const [before] = await query('SELECT count(*) FROM pets');
      const reply = await keeper.post('/pet', { name: 'Kit', photoUrls: [], ...change });
      expectRefusal(reply, 400, 'validation_failed');
      const fields: string[] = reply.body.error.details.map((detail: Json) => detail.field);
      expect(fields.some((each) => each === field || each.startsWith(`${field}.`))).toBe(true);
      expect(await query('SELECT count(*) FROM pets')).toEqual([before]);
    });

    it.each(['', '[]', '"pet"', 'null', '{"name":"a","name":"b","photoUrls":[]}', '{"__proto__":{}}', '{'])(
      'not from the body %s',
      async (body) => {
        expect((await keeper.send('POST', '/pet', body)).status).toBe(400);
      },
    );
  });

  describe('have categories and tags', () => {
    it('that are one row by name, whatever id comes with it', async () => {
      const first = await addPet(keeper, { category: { name: 'owls' }, tags: [{ name: 'wise' }] });
      const second = await addPet(keeper, {
        category: { id: first.tags[0].id, name: 'owls' },
        tags: [{ id: 123_456, name: 'wise' }],
      });
      expect(second.category).toEqual(first.category);
      expect(second.tags).toEqual(first.tags);
    });

    it('that an id alone finds', async () => {
      const { category, tags } = await addPet(keeper, {
        category: { name: 'owls' },
        tags: [{ name: 'wise' }],
      });
      const second = await addPet(keeper, { category: { id: category.id }, tags: [{ id: tags[0].id }] });
      expect(second).toMatchObject({ category, tags });
    });

    it('that nobody can rename for others', async () => {
      const mine = await addPet(keeper, { category: { name: 'foxes' }, tags: [{ name: 'sly' }] });
      const theirs = await addPet(keeper, {
        category: { id: mine.category.id, name: 'HACKED' },
        tags: [{ id: mine.tags[0].id, name: 'HACKED' }],
      });
      await put(keeper, { ...theirs, tags: [{ id: mine.tags[0].id, name: 'HACKED AGAIN' }] });
      expect(await get(mine.id)).toEqual(mine);
    });

    it('of which one that is named twice counts once', async () => {
      const { tags } = await addPet(keeper, { tags: [{ name: 'b' }, { name: 'a' }, { name: 'b' }] });
      expect(tags.map((tag: Json) => tag.name)).toEqual(['b', 'a']);
      const again = await addPet(keeper, { tags: [{ id: tags[0].id }, { name: 'b' }, { name: 'a' }] });
      expect(again.tags).toEqual(tags);
    });

    it('that many make at once in any order', async () => {
      const names = Array.from({ length: 10 }, (_, i) => ({ name: `tangle ${i}` }));
      const pets = await Promise.all(
        Array.from({ length: 12 }, (_, i) => addPet(keeper, { tags: i % 2 ? names : names.toReversed() })),
      );
      const ids = new Set(pets.flatMap((pet) => pet.tags.map((tag: Json) => tag.id)));
      expect(ids.size).toBe(10);
    });
  });

  describe('are replaced', () => {
    it('as a whole, but for a status that is left out', async () => {
      const pet = await addPet(keeper, {
        category: { name: 'dogs' },
        photoUrls: ['a.png', 'b.png'],
        tags: [{ name: 'x' }, { name: 'y' }],
        status: 'pending',
      });
      const { status, body } = await put(keeper, {
        id: pet.id,
        name: 'New',
        photoUrls: ['c.png', 'a.png', 'c.png'],
      });
      expect(status).toBe(200);
      expect(body).toEqual({
        id: pet.id,
        name: 'New',
        photoUrls: ['c.png', 'a.png'],
        tags: [],
        status: 'pending',
      });
      expect(await get(pet.id)).toEqual(body);
      expect((await put(keeper, { ...pet, status: 'sold' })).body).toEqual({ ...pet, status: 'sold' });
    });

    it('and stay as they were where anything is wrong', async () => {
      const pet = await addPet(keeper, { photoUrls: ['a.png'], tags: [{ name: 'x' }] });
      expectRefusal(
        await put(keeper, { ...pet, name: 'New', tags: [{ name: 'fresh' }, { id: MAX }] }),
        400,
        'validation_failed',
        'tags.1.name',
      );
      expectRefusal(await put(keeper, { ...pet, name: '' }), 400, 'validation_failed', 'name');
      expectRefusal(await put(keeper, { ...pet, id: undefined }), 400, 'validation_failed', 'id');
      expectRefusal(await put(keeper, { ...pet, id: 0 }), 400, 'validation_failed', 'id');
      expectRefusal(await put(keeper, { ...pet, extra: 1 }), 400, 'validation_failed', 'extra');
      expect(await get(pet.id)).toEqual(pet);
      expect(await query(`SELECT FROM pet_tags WHERE name = 'fresh'`)).toEqual([]);
    });

    it('not where there is none', async () => {
      const tag = randomUUID();
      const reply = await put(keeper, { id: 987_654, name: 'No', photoUrls: [], tags: [{ name: tag }] });
      expectRefusal(reply, 404, 'not_found');
      expect(await query('SELECT FROM pet_tags WHERE name = $1', [tag])).toEqual([]);
    });

    it('by many at once, to what one of them said', async () => {
      const { id } = await addPet(keeper);
      const versions = Array.from({ length: 10 }, (_, i) => ({
        id,
        name: `v${i}`,
        photoUrls: [`${i}.png`],
        tags: [{ name: `even ${i}` }, { name: `odd ${9 - i}` }],
      }));
      const replies = await Promise.all(versions.map((version) => put(keeper, version)));
      expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
      const pet = await get(id);
      expect(replies.map(({ body }) => body)).toContainEqual(pet);
    });
  });

  describe('are found', () => {
    const idsOf = (body: Json): number[] => body.map((pet: Json) => pet.id);

    it('by status: repeated, by commas, or the available ones', async () => {
      const a = await addPet(keeper, { status: 'available' });
      const p = await addPet(keeper, { status: 'pending' });
      const s = await addPet(keeper, { status: 'sold' });
      const find = async (queryString: string): Promise<number[]> => {
        const { status, body } = await reader.get(`/pet/findByStatus${queryString}`);
        expect(status).toBe(200);
        return idsOf(body).filter((id) => [a.id, p.id, s.id].includes(id));
      };
      expect(await find('')).toEqual([a.id]);
      expect(await find('?status=available')).toEqual([a.id]);
      expect(await find('?status=pending&status=sold')).toEqual([s.id, p.id]);
      expect(await find('?status=pending,sold,sold')).toEqual([s.id, p.id]);
      expect(await find('?status=pending,sold&status=available')).toEqual([s.id, p.id, a.id]);
    });

    it('by status whole, as by id', async () => {
      const pet = await addPet(keeper, {
        status: 'sold',
        category: { name: 'dogs' },
        photoUrls: ['a.png'],
        tags: [{ name: 'x' }],
      });
      const { body } = await reader.get(`/pet/findByStatus?status=sold&limit=1&before=${pet.id + 1}`);
      expect(body).toEqual([pet]);
    });

    it('by tags: any of them, repeated or by commas, each pet once', async () => {
      const tag = randomUUID();
      const both = await addPet(keeper, { tags: [{ name: `${tag} 1` }, { name: `${tag} 2` }] });
      const one = await addPet(keeper, { tags: [{ name: `${tag} 1` }] });
      const comma = await addPet(keeper, { tags: [{ name: `${tag}, 3` }] });
      const find = async (...tags: string[]): Promise<number[]> => {
        const queryString = new URLSearchParams(
          tags.map((text): [string, string] => ['tags', text]),
        ).toString();
        return idsOf((await reader.get(`/pet/findByTags?${queryString}`)).body);
      };
      expect(await find(`${tag} 1`)).toEqual([one.id, both.id]);
      expect(await find(`${tag} 2`, `${tag} 1`)).toEqual([one.id, both.id]);
      expect(await find(`${tag} 2,${tag} 1`)).toEqual([one.id, both.id]);
      expect(await find(`${tag}, 3`)).toEqual([comma.id]);
      expect(await find(`${tag} 9`)).toEqual([]);
      expect(await find(`${tag} 1`.toUpperCase())).toEqual([]);
      expect(await find(`' OR 1=1 --`, '%', '*')).toEqual([]);
    });

    it('page by page', async () => {
      const tag = randomUUID();
      const added: number[] = [];
      for (let i = 0; i < 5; i++) added.push((await addPet(keeper, { tags: [{ name: tag }] })).id);
      const first = await reader.get(`/pet/findByTags?tags=${tag}&limit=2`);
      expect(idsOf(first.body)).toEqual([added[4], added[3]]);
      const second = await reader.get(`/pet/findByTags?tags=${tag}&limit=2&before=${added[3]}`);
      expect(idsOf(second.body)).toEqual([added[2], added[1]]);
      const last = await reader.get(`/pet/findByTags?tags=${tag}&limit=2&before=${added[1]}`);
      expect(idsOf(last.body)).toEqual([added[0]]);
    });

    it('at most 200 at once', async () => {
      await query(`INSERT INTO pets (pet_id, name, status)
        SELECT 700000 + i, 'Crowd', 'sold' FROM generate_series(1, 250) i`);
      const { body } = await reader.get('/pet/findByStatus?status=sold&before=700251');
      expect(idsOf(body)).toEqual(Array.from({ length: 200 }, (_, i) => 700_250 - i));
      await query('DELETE FROM pets WHERE pet_id BETWEEN 700001 AND 700250');
    });

    it.each([
      ['findByStatus?status=', 'status'],
      ['findByStatus?status=lost', 'status'],
      ['findByStatus?status=available,lost', 'status'],
      ['findByStatus?status=available,', 'status'],
      ['findByStatus?limit=0', 'limit'],
      ['findByStatus?limit=201', 'limit'],
      ['findByStatus?before=0x10', 'before'],
      ['findByStatus?before=9007199254740993', 'before'],
      ['findByStatus?offset=1', 'offset'],
      [`findByStatus?${'status=sold&'.repeat(60)}`, 'status'],
      ['findByTags', 'tags'],
      ['findByTags?tags=', 'tags'],
      [`findByTags?${'tags=a&'.repeat(60)}`, 'tags'],
      ['findByTags?status=sold', 'status'],
    ])('not by %s', async (path, field) => {
      expectRefusal(await reader.get(`/pet/${path}`), 400, 'validation_failed', field);
    });

    it('not by what is not UTF-8', async () => {
      expectRefusal(await reader.get('/pet/findByTags?tags=%E0%A4%A'), 400, 'malformed_request');
    });
  });

  describe('are got by id', () => {
    it('with read:pets, or any API key', async () => {
      await app.app.nest
        .get(ApiKeysService)
        .ensure({ apiKeyId: 'key_bare', key: 'bare-key', name: 'Bare', scopes: [] });
      for (const headers of [{ api_key: 'special-key' }, { api_key: 'bare-key' }]) {
        const response = await fetch(`${app.url}/pet/1`, { headers });
        expect(response.status).toBe(200);
        expect(await response.json()).toEqual(await get(1));
      }
      // The client that Swagger UI proposes.
      const demo = await callerFor(app.url, 'demo');
      expect((await demo.get('/pet/1')).body).toEqual(await get(1));
      expect((await reader.get('/pet/1')).status).toBe(200);
      expectRefusal(await writer.get('/pet/1'), 403, 'insufficient_scope');
      const bare = await fetch(`${app.url}/pet/findByStatus`, { headers: { api_key: 'bare-key' } });
      expect(bare.status).toBe(403);
      expect((await fetch(`${app.url}/pet/1`)).status).toBe(401);
      expect((await fetch(`${app.url}/pet/1`, { headers: { api_key: 'wrong' } })).status).toBe(401);
    });

    it.each(BAD_IDS)('not by %s', async (id) => {
      expectRefusal(await reader.get(`/pet/${id}`), 400, 'validation_failed', 'petId');
    });

    it('not by %E0%A4%A', async () => {
      expect((await reader.get('/pet/%E0%A4%A')).status).toBe(400);
    });

    it('not where there is none', async () => {
      expectRefusal(await reader.get(`/pet/${MAX - 1}`), 404, 'not_found');
    });
  });

  describe('are updated by a form', () => {
    it('in the body, or in the query', async () => {
      const pet = await addPet(keeper, { photoUrls: ['a.png'], tags: [{ name: 'x' }] });
      const path = `/pet/${pet.id}`;
      expect(await postForm(keeper, path, { name: 'Ben', status: 'pending' })).toMatchObject({
        status: 200,
        body: { ...pet, name: 'Ben', status: 'pending' },
      });
      expect((await keeper.send('POST', `${path}?status=sold`)).body).toEqual({
        ...pet,
        name: 'Ben',
        status: 'sold',
      });
      expect((await keeper.send('POST', `${path}?name=Zo%C3%AB+B`)).body.name).toBe('Zoë B');
      expect((await postForm(keeper, `${path}?name=Query&status=sold`, { name: 'Form' })).body).toMatchObject(
        {
          name: 'Form',
          status: 'sold',
        },
      );
      expect((await postForm(keeper, path, { name: 'Last', status: '' })).body).toEqual({
        ...pet,
        name: 'Last',
        status: 'sold',
      });
    });

    it('with both scopes', async () => {
      expectRefusal(await postForm(reader, '/pet/1', { name: 'Rex' }), 403, 'insufficient_scope');
      expectRefusal(await postForm(writer, '/pet/1', { name: 'Rex' }), 403, 'insufficient_scope');
    });

    it.each([
      '',
      'name=',
      'name=&status=',
      'name=%20',
      `name=${'x'.repeat(201)}`,
      'name=a&name=b',
      'name=a%0Ab',
      'status=lost',
      'status=sold&status=sold',
      'id=2',
      'name=Rex&tags=x',
      'name[x]=Rex',
      'name=%E0%A4%A',
      'name=%00',
      '__proto__=x',
    ])('not by %j: 405 with the methods of the path', async (form) => {
      const before = await get(2);
      const reply = await postForm(keeper, '/pet/2', form);
      expectRefusal(reply, 405, 'invalid_input');
      expect(reply.headers.get('allow')).toBe('DELETE, GET, HEAD, POST');
      expect(await get(2)).toEqual(before);
    });

    it.each(['name=', 'status=lost', 'name=a&name=b', 'color=red'])(
      'not by the query %s',
      async (queryString) => {
        expectRefusal(await keeper.send('POST', `/pet/2?${queryString}`), 405, 'invalid_input');
      },
    );

    it.each(BAD_IDS)('not under the id %s', async (id) => {
      expectRefusal(await postForm(keeper, `/pet/${id}`, { name: 'Rex' }), 405, 'invalid_input', 'petId');
    });

    it('not where there is none, nor from another kind of body', async () => {
      expectRefusal(await postForm(keeper, `/pet/${MAX - 1}`, { name: 'Rex' }), 404, 'not_found');
      expectRefusal(await keeper.post('/pet/2', { name: 'Rex' }), 415, 'unsupported_media_type');
    });
  });

  describe('are deleted', () => {
    it('once, with all that hangs on them', async () => {
      const pet = await addPet(keeper, { photoUrls: ['a.png'], tags: [{ name: 'x' }] });
      const reply = await keeper.send('DELETE', `/pet/${pet.id}`, undefined, { api_key: 'of the Petstore' });
      expect(reply).toMatchObject({ status: 200, body: undefined });
      expectRefusal(await keeper.get(`/pet/${pet.id}`), 404, 'not_found');
      expectRefusal(await keeper.delete(`/pet/${pet.id}`), 404, 'not_found');
      for (const table of ['pet_tag_links', 'pet_photos']) {
        expect(await query(`SELECT FROM ${table} WHERE pet_id = $1`, [pet.id])).toEqual([]);
      }
    });

    it('by one of many at once', async () => {
      const { id } = await addPet(keeper);
      const replies = await Promise.all(Array.from({ length: 8 }, () => keeper.delete(`/pet/${id}`)));
      expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(404)]);
    });

    it('with write:pets', async () => {
      expectRefusal(await reader.delete('/pet/1'), 403, 'insufficient_scope');
    });

    it.each(BAD_IDS)('not under the id %s', async (id) => {
      expectRefusal(await keeper.delete(`/pet/${id}`), 400, 'validation_failed', 'petId');
    });
  });
});
