import createClient, { type Client } from 'openapi-fetch';
import type { paths } from 'tradepost-api';

/** A client that sends a session or an API key with every request. */
type Caller = Client<paths>;

/** The data of a successful answer; throws the service's error for a failure. */
function dataOf<Data>(answer: { data?: Data; error?: unknown; response: Response }): NonNullable<Data> {
  const { data, error, response } = answer;
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${JSON.stringify(error)}`);
  return data as NonNullable<Data>;
}

function statusOf(answer: { response: Response }): number {
  return answer.response.status;
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

async function logIn(url: string, username: string, password: string): Promise<Caller> {
  const anyone = createClient<paths>({ baseUrl: url });
  const answer = await anyone.GET('/user/login', { params: { query: { username, password } } });
  const token: string = dataOf(answer);
  return createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${token}` } });
}

/** The results, for a test to check. */
export interface TypedScenario {
  readonly user: {
    readonly username: string;
    readonly firstName?: string;
    readonly password: string;
  };
  readonly statusesOfClosedUser: readonly number[];
  readonly photoUrls: readonly string[];
  readonly foundByStatus: readonly string[];
  readonly foundByTags: readonly string[];
  readonly formUpdated: { readonly name: string; readonly status: string };
  readonly statusesOfPet: readonly string[];
  readonly order: { readonly status: string; readonly shipDate?: string };
  readonly replayed: boolean;
  readonly refusal: string | undefined;
  readonly inventory: Readonly<Record<string, number>>;
}

/**
 * Uses the shop as a TypeScript client with the types that openapi-typescript made from our document: makes a user and
 * logs in; adds, photographs, orders and deletes a pet; deletes the user.
 */
export async function playTypedScenario(url: string, picture: Blob): Promise<TypedScenario> {
  const alice = await logIn(url, 'alice', 'alice-password');

  const created = dataOf(
    await alice.POST('/user', {
      body: { username: 'typed', password: 'typed-password', firstName: 'Ty', email: 'ty@example.com' },
    }),
  );
  dataOf(
    await alice.POST('/user/createWithList', {
      body: [{ username: 'typed-2', password: 'typed-password' }],
    }),
  );
  const bulk = dataOf(
    await alice.POST('/user/createWithArray', {
      body: [{ username: 'typed-3', password: 'typed-password' }],
    }),
  );
  if (bulk.length !== 1) throw new Error('createWithArray answers all of them');

  const typed = await logIn(url, 'typed', 'typed-password');
  const params = { path: { username: created.username } };
  dataOf(await typed.PUT('/user/{username}', { params, body: { firstName: 'Tyler' } }));
  const user = dataOf(await typed.GET('/user/{username}', { params }));

  const pet = dataOf(
    await typed.POST('/pet', {
      body: {
        name: 'Rex',
        photoUrls: ['https://example.com/rex.jpg'],
        category: { name: 'dogs' },
        tags: [{ name: 'typed' }],
        status: 'available',
      },
    }),
  );
  const ofPet = { path: { petId: pet.id } };
  dataOf(await typed.PUT('/pet', { body: { ...pet, name: 'Max' } }));
  const form = new FormData();
  form.set('additionalMetadata', 'on the beach');
  form.set('file', picture, 'rex.png');
  const uploaded = dataOf(
    await typed.POST('/pet/{petId}/uploadImage', {
      params: ofPet,
      // The types declare a file as a string; the serializer sends a form.
      body: { file: '' },
      bodySerializer: () => form,
    }),
  );
  if (uploaded.code !== 200) throw new Error(uploaded.message);
  const keyHolder = createClient<paths>({ baseUrl: url, headers: { api_key: 'special-key' } });
  const { photoUrls } = dataOf(await keyHolder.GET('/pet/{petId}', { params: ofPet }));
  const byStatus = dataOf(
    await typed.GET('/pet/findByStatus', { params: { query: { status: ['available', 'sold'] } } }),
  );
  const byTags = dataOf(
    await typed.GET('/pet/findByTags', { params: { query: { tags: ['typed', 'other'] } } }),
  );
  const formUpdated = dataOf(
    await typed.POST('/pet/{petId}', {
      params: ofPet,
      body: { name: 'Ben', status: 'available' },
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    }),
  );

  const statusOfPet = async (): Promise<string> =>
    dataOf(await typed.GET('/pet/{petId}', { params: ofPet })).status;
  const purchase = {
    body: { petId: pet.id, quantity: 1, shipDate: '2026-12-24T18:00:00Z', status: 'placed' },
    params: { header: { 'Idempotency-Key': 'typed-order' } },
  } as const;
  const order = dataOf(await typed.POST('/store/order', purchase));
  const replay = await typed.POST('/store/order', purchase);
  const statusesOfPet = [await statusOfPet()];
  const refused = await alice.POST('/store/order', { body: { petId: pet.id } });
  const ofOrder = { path: { orderId: order.id } };
  const found = dataOf(await typed.GET('/store/order/{orderId}', { params: ofOrder }));
  const inventory = dataOf(await keyHolder.GET('/store/inventory', {}));
  dataOf(await typed.DELETE('/store/order/{orderId}', { params: ofOrder }));
  statusesOfPet.push(await statusOfPet());
  dataOf(await typed.DELETE('/pet/{petId}', { params: ofPet }));

  dataOf(await typed.GET('/user/logout', {}));
  const again = await logIn(url, 'typed', 'typed-password');
  dataOf(await again.DELETE('/user/{username}', { params }));
  return {
    user,
    statusesOfClosedUser: [
      statusOf(await typed.GET('/user/{username}', { params })),
      statusOf(await again.GET('/user/{username}', { params })),
    ],
    photoUrls,
    foundByStatus: byStatus.map(nameOf),
    foundByTags: byTags.map(nameOf),
    formUpdated,
    statusesOfPet,
    order: found,
    replayed: replay.response.headers.get('Idempotent-Replayed') === 'true',
    refusal: refused.error?.error.code,
    inventory,
  };
}
