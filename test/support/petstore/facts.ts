/**
 * The declarations of the official Swagger Petstore, as facts: operations, parameters, answers and security. For the
 * second version (Swagger 2.0, as petstore.swagger.io serves it) and the third (OpenAPI 3.0, 1.0.27). The documents
 * from which clients are made are built from these.
 */

export type PetstoreVersion = 'v2' | 'v3';

/** The models of both versions; references are written `#/models/Name`. */
export const MODELS = {
  Category: object({ id: integer('int64'), name: text() }),
  Tag: object({ id: integer('int64'), name: text() }),
  Pet: {
    ...object({
      id: integer('int64'),
      category: model('Category'),
      name: text(),
      photoUrls: listOf(text()),
      tags: listOf(model('Tag')),
      status: text('available', 'pending', 'sold'),
    }),
    required: ['name', 'photoUrls'],
  },
  Order: object({
    id: integer('int64'),
    petId: integer('int64'),
    quantity: integer('int32'),
    shipDate: { type: 'string', format: 'date-time' },
    status: text('placed', 'approved', 'delivered'),
    complete: { type: 'boolean' },
  }),
  User: object({
    id: integer('int64'),
    username: text(),
    firstName: text(),
    lastName: text(),
    email: text(),
    password: text(),
    phone: text(),
    userStatus: integer('int32'),
  }),
  ApiResponse: object({ code: integer('int32'), type: text(), message: text() }),
} as const;

export type Schema = Readonly<Record<string, unknown>>;

/** The schema of an answer's body by status or `default`; `null` where none is declared. */
export type Answers = Readonly<Record<string, Schema | null>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'form';
  readonly required: boolean;
  readonly schema: Schema;
}

/** One operation in one version. */
export interface OperationFacts {
  readonly parameters: readonly Parameter[];
  /** The schema of a JSON body, or raw bytes. */
  readonly body?: Schema | 'bytes';
  readonly answers: Answers;
}

export interface PetstoreOperation {
  readonly operationId: string;
  readonly group: 'pet' | 'store' | 'user';
  readonly method: 'get' | 'put' | 'post' | 'delete';
  readonly path: string;
  /** Alternatives: any one suffices; empty for an operation that declares none. */
  readonly security: readonly ('petstore_auth' | 'api_key')[];
  readonly v2: OperationFacts;
  /** `undefined` if the third version dropped it. */
  readonly v3: OperationFacts | undefined;
}

const PET = model('Pet');
const PETS = listOf(PET);
const ORDER = model('Order');
const USER = model('User');
const USERS = listOf(USER);
/** The third version's answer for every undeclared status. */
const UNEXPECTED = { default: null };

const petId = path('petId', integer('int64'));
const orderId = path('orderId', integer('int64'));
const username = path('username', text());
const deletersKey: Parameter = { name: 'api_key', in: 'header', required: false, schema: text() };
const credentials = [query('username', text()), query('password', text())];

export const OPERATIONS: readonly PetstoreOperation[] = [
  {
    operationId: 'addPet',
    group: 'pet',
    method: 'post',
    path: '/pet',
    security: ['petstore_auth'],
    v2: { parameters: [], body: PET, answers: { 405: null } },
    v3: { parameters: [], body: PET, answers: { 200: PET, 400: null, 422: null, ...UNEXPECTED } },
  },
  {
    operationId: 'updatePet',
    group: 'pet',
    method: 'put',
    path: '/pet',
    security: ['petstore_auth'],
    v2: { parameters: [], body: PET, answers: { 400: null, 404: null, 405: null } },
    v3: { parameters: [], body: PET, answers: { 200: PET, 400: null, 404: null, 422: null, ...UNEXPECTED } },
  },
  {
    operationId: 'findPetsByStatus',
    group: 'pet',
    method: 'get',
    path: '/pet/findByStatus',
    security: ['petstore_auth'],
    v2: {
      parameters: [query('status', listOf(text('available', 'pending', 'sold')), true)],
      answers: { 200: PETS, 400: null },
    },
    v3: {
      parameters: [query('status', text('available', 'pending', 'sold'))],
      answers: { 200: PETS, 400: null, ...UNEXPECTED },
    },
  },
  {
    operationId: 'findPetsByTags',
    group: 'pet',
    method: 'get',
    path: '/pet/findByTags',
    security: ['petstore_auth'],
    v2: { parameters: [query('tags', listOf(text()), true)], answers: { 200: PETS, 400: null } },
    v3: { parameters: [query('tags', listOf(text()))], answers: { 200: PETS, 400: null, ...UNEXPECTED } },
  },
  {
    operationId: 'getPetById',
    group: 'pet',
    method: 'get',
    path: '/pet/{petId}',
    security: ['api_key'],
    v2: { parameters: [petId], answers: { 200: PET, 400: null, 404: null } },
    v3: { parameters: [petId], answers: { 200: PET, 400: null, 404: null, ...UNEXPECTED } },
  },
  {
    operationId: 'updatePetWithForm',
    group: 'pet',
    method: 'post',
    path: '/pet/{petId}',
    security: ['petstore_auth'],
    v2: { parameters: [petId, form('name', text()), form('status', text())], answers: { 405: null } },
    v3: {
      parameters: [petId, query('name', text()), query('status', text())],
      answers: { 200: PET, 400: null, ...UNEXPECTED },
    },
  },
  {
    operationId: 'deletePet',
    group: 'pet',
    method: 'delete',
    path: '/pet/{petId}',
    security: ['petstore_auth'],
    v2: { parameters: [deletersKey, petId], answers: { 400: null, 404: null } },
    v3: { parameters: [deletersKey, petId], answers: { 200: null, 400: null, ...UNEXPECTED } },
  },
  {
    operationId: 'uploadFile',
    group: 'pet',
    method: 'post',
    path: '/pet/{petId}/uploadImage',
    security: ['petstore_auth'],
    v2: {
      parameters: [petId, form('additionalMetadata', text()), form('file', { type: 'file' })],
      answers: { 200: model('ApiResponse') },
    },
    v3: {
      parameters: [petId, query('additionalMetadata', text())],
      body: 'bytes',
      answers: { 200: model('ApiResponse'), 400: null, 404: null, ...UNEXPECTED },
    },
  },
  {
    operationId: 'getInventory',
    group: 'store',
    method: 'get',
    path: '/store/inventory',
    security: ['api_key'],
    v2: { parameters: [], answers: { 200: mapOf(integer('int32')) } },
    v3: { parameters: [], answers: { 200: mapOf(integer('int32')), ...UNEXPECTED } },
  },
  {
    operationId: 'placeOrder',
    group: 'store',
    method: 'post',
    path: '/store/order',
    security: [],
    v2: { parameters: [], body: ORDER, answers: { 200: ORDER, 400: null } },
    v3: { parameters: [], body: ORDER, answers: { 200: ORDER, 400: null, 422: null, ...UNEXPECTED } },
  },
  {
    operationId: 'getOrderById',
    group: 'store',
    method: 'get',
    path: '/store/order/{orderId}',
    security: [],
    v2: { parameters: [orderId], answers: { 200: ORDER, 400: null, 404: null } },
    v3: { parameters: [orderId], answers: { 200: ORDER, 400: null, 404: null, ...UNEXPECTED } },
  },
  {
    operationId: 'deleteOrder',
    group: 'store',
    method: 'delete',
    path: '/store/order/{orderId}',
    security: [],
    v2: { parameters: [orderId], answers: { 400: null, 404: null } },
    v3: { parameters: [orderId], answers: { 200: null, 400: null, 404: null, ...UNEXPECTED } },
  },
  {
    operationId: 'createUser',
    group: 'user',
    method: 'post',
    path: '/user',
    security: [],
    v2: { parameters: [], body: USER, answers: { default: null } },
    v3: { parameters: [], body: USER, answers: { 200: USER, ...UNEXPECTED } },
  },
  {
    operationId: 'createUsersWithArrayInput',
    group: 'user',
    method: 'post',
    path: '/user/createWithArray',
    security: [],
    v2: { parameters: [], body: USERS, answers: { default: null } },
    v3: undefined,
  },
  {
    operationId: 'createUsersWithListInput',
    group: 'user',
    method: 'post',
    path: '/user/createWithList',
    security: [],
    v2: { parameters: [], body: USERS, answers: { default: null } },
    v3: { parameters: [], body: USERS, answers: { 200: USER, ...UNEXPECTED } },
  },
  {
    operationId: 'loginUser',
    group: 'user',
    method: 'get',
    path: '/user/login',
    security: [],
    v2: { parameters: credentials.map(required), answers: { 200: text(), 400: null } },
    v3: { parameters: credentials, answers: { 200: text(), 400: null, ...UNEXPECTED } },
  },
  {
    operationId: 'logoutUser',
    group: 'user',
    method: 'get',
    path: '/user/logout',
    security: [],
    v2: { parameters: [], answers: { default: null } },
    v3: { parameters: [], answers: { 200: null, ...UNEXPECTED } },
  },
  {
    operationId: 'getUserByName',
    group: 'user',
    method: 'get',
    path: '/user/{username}',
    security: [],
    v2: { parameters: [username], answers: { 200: USER, 400: null, 404: null } },
    v3: { parameters: [username], answers: { 200: USER, 400: null, 404: null, ...UNEXPECTED } },
  },
  {
    operationId: 'updateUser',
    group: 'user',
    method: 'put',
    path: '/user/{username}',
    security: [],
    v2: { parameters: [username], body: USER, answers: { 400: null, 404: null } },
    v3: { parameters: [username], body: USER, answers: { 200: null, 400: null, 404: null, ...UNEXPECTED } },
  },
  {
    operationId: 'deleteUser',
    group: 'user',
    method: 'delete',
    path: '/user/{username}',
    security: [],
    v2: { parameters: [username], answers: { 400: null, 404: null } },
    v3: { parameters: [username], answers: { 200: null, 400: null, 404: null, ...UNEXPECTED } },
  },
];

function object(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties };
}

function integer(format: 'int32' | 'int64'): Schema {
  return { type: 'integer', format };
}

function text(...values: string[]): Schema {
  return values.length === 0 ? { type: 'string' } : { type: 'string', enum: values };
}

function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

function mapOf(values: Schema): Schema {
  return { type: 'object', additionalProperties: values };
}

function model(name: string): Schema {
  return { $ref: `#/models/${name}` };
}

function path(name: string, schema: Schema): Parameter {
  return { name, in: 'path', required: true, schema };
}

function query(name: string, schema: Schema, isRequired = false): Parameter {
  return { name, in: 'query', required: isRequired, schema };
}

function form(name: string, schema: Schema): Parameter {
  return { name, in: 'form', required: false, schema };
}

function required(parameter: Parameter): Parameter {
  return { ...parameter, required: true };
}
