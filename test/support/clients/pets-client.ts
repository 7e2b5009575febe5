/** What the Pets specs share: callers with the scopes of the shop, and pets to work on. */
import { expect } from 'vitest';
import { OAuthClientsService } from '../../../src/modules/auth/clients/oauth-clients.service.js';
import type { TestApp } from '../app.js';
import { callerFor, type Caller, type Json, type Reply } from '../caller.js';

/** A caller that may do what the scopes say; no client of the demo data has those of pets. */
export async function petCaller(
  { app, url }: TestApp,
  scopes: readonly string[] = ['read:pets', 'write:pets'],
): Promise<Caller> {
  const clientId = `pets-${scopes.join('-').replaceAll(':', '-')}`;
  await app.nest.get(OAuthClientsService).ensure({
    clientId,
    name: clientId,
    secret: `${clientId}-secret`,
    grantTypes: ['client_credentials'],
    redirectUris: [],
    scopes,
  });
  return callerFor(url, clientId);
}

/** Adds a pet and answers it. */
export async function addPet(caller: Caller, pet: Json = {}): Promise<Json> {
  const reply = await caller.post('/pet', { name: 'Kit', photoUrls: [], ...pet });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body;
}

export function put(caller: Caller, pet: Json): Promise<Reply> {
  return caller.send('PUT', '/pet', JSON.stringify(pet));
}

export function postForm(
  caller: Caller,
  path: string,
  form: string | Record<string, string>,
): Promise<Reply> {
  const body = typeof form === 'string' ? form : new URLSearchParams(form).toString();
  return caller.send('POST', path, body, { 'content-type': 'application/x-www-form-urlencoded' });
}

/** Sends a multipart form in the encoding of `fetch`. */
export async function postParts(caller: Caller, path: string, form: FormData): Promise<Reply> {
  const written = new Response(form);
  return caller.send('POST', path, new Uint8Array(await written.arrayBuffer()), {
    'content-type': written.headers.get('content-type') ?? '',
  });
}

export function expectRefusal(reply: Reply, status: number, code: string, field?: string): void {
  expect({ status: reply.status, code: reply.body?.error?.code }).toEqual({ status, code });
  if (field === undefined) return;
  const fields = reply.body.error.details.map((detail: { field: string }) => detail.field);
  expect(fields).toContain(field);
}
