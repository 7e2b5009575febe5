/** Shared by the specs of passkeys: users who have one. */
import { expect } from 'vitest';
import type { TestApp } from '../app.js';
import type { Caller, Json, Reply } from '../caller.js';
import { type Deviation, SoftwarePasskey } from '../software-passkey.js';
import { UserCaller } from './users-client.js';

/** What asks for a challenge must have been answered. */
export async function optionsOf(reply: Promise<Reply>): Promise<Json> {
  const { status, body } = await reply;
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** Registers a passkey, a new one unless it is given. */
export async function register(
  app: TestApp,
  session: Caller,
  passkey = new SoftwarePasskey(app.config.publicUrl),
): Promise<{ passkey: SoftwarePasskey; created: Json }> {
  const response = passkey.create(await optionsOf(session.post('/user/passkeys/options', {})));
  const { status, body } = await session.post('/user/passkeys', { name: 'Phone', response });
  expect(status, JSON.stringify(body)).toBe(201);
  return { passkey, created: body };
}

/** Tries to log in by a passkey alone. */
export async function tryPasskey(
  { url }: TestApp,
  passkey: SoftwarePasskey,
  deviation: Deviation = {},
): Promise<Reply> {
  const anyone = new UserCaller(url);
  const options = await optionsOf(anyone.post('/user/passkeys/log-in/options', {}));
  return anyone.post('/user/passkeys/log-in', { response: passkey.get(options, deviation) });
}

export async function logInByPasskey(app: TestApp, passkey: SoftwarePasskey): Promise<UserCaller> {
  const { status, body } = await tryPasskey(app, passkey);
  expect(status, JSON.stringify(body)).toBe(200);
  return new UserCaller(app.url).withBearer(body.token);
}

/** Proves within a session that its user is there. */
export async function stepUpBy(
  session: Caller,
  passkey: SoftwarePasskey,
  deviation: Deviation = {},
): Promise<Reply> {
  const options = await optionsOf(session.post('/user/step-up/options', {}));
  return session.post('/user/step-up', { passkey: passkey.get(options, deviation) });
}
