import type { PetstoreVersion } from './facts.js';

/** A status that the Petstore's documents do not declare for these operations, and the reason for it. */
export interface Difference {
  readonly versions: readonly PetstoreVersion[];
  readonly operationIds: readonly string[];
  readonly status: number;
  readonly why: string;
}

/** All deviations from the declarations. Only statuses deviate: bodies always match their schemas. */
export const DIFFERENCES: readonly Difference[] = [
  {
    versions: ['v2'],
    operationIds: [
      'addPet',
      'updatePet',
      'updatePetWithForm',
      'deletePet',
      'deleteOrder',
      'updateUser',
      'deleteUser',
    ],
    status: 200,
    why: 'The second version names no success for them; 200 is what the third declares.',
  },
  {
    versions: ['v2'],
    operationIds: ['addPet'],
    status: 400,
    why: 'The second version says 405 for a pet that is none. The interface keeps that for the form alone.',
  },
  {
    versions: ['v2'],
    operationIds: ['uploadFile'],
    status: 400,
    why: 'The second version names no refusal of an upload; 400 for what is no image is what the third declares.',
  },
  {
    versions: ['v2'],
    operationIds: ['uploadFile'],
    status: 404,
    why: 'As above, for a pet that does not exist.',
  },
  {
    versions: ['v3'],
    operationIds: ['updatePetWithForm'],
    status: 405,
    why: 'The interface has the 405 of the second version, the third says 400.',
  },
  {
    versions: ['v3'],
    operationIds: ['deletePet'],
    status: 404,
    why: 'The third version names no missing pet here; the second does.',
  },
  {
    versions: ['v2', 'v3'],
    operationIds: ['placeOrder'],
    status: 404,
    why: 'A pet that does not exist cannot be ordered; the Petstore does not look.',
  },
  {
    versions: ['v2', 'v3'],
    operationIds: ['placeOrder'],
    status: 409,
    why: 'A pet that is pending or sold cannot be ordered; the Petstore does not look.',
  },
  {
    versions: ['v2', 'v3'],
    operationIds: ['getInventory', 'getUserByName'],
    status: 401,
    why: 'No operation is open to everyone; the Petstore names no status for who is not known.',
  },
  {
    versions: ['v2', 'v3'],
    operationIds: ['loginUser'],
    status: 401,
    why: 'A wrong password is no malformed request: 401 is what every client of HTTP takes it for.',
  },
  {
    versions: ['v3'],
    operationIds: ['logoutUser'],
    status: 401,
    why: 'As above; the second version has a default for it.',
  },
  {
    versions: ['v3'],
    operationIds: ['createUser', 'createUsersWithListInput'],
    status: 400,
    why: 'The third version has only its default for a user that is none.',
  },
];
