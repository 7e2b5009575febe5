/** Shared by the specs of mail: users who read theirs. */
import { expect } from 'vitest';
import type { TestApp } from '../../support/app.js';
import type { Reply } from '../../support/caller.js';
import { clientOf, logIn, UserCaller } from '../../support/clients/users-client.js';
import { type MailServer, tokenIn } from '../../support/mail-server.js';

export interface Reader {
  readonly username: string;
  readonly password: string;
  readonly email: string;
  readonly session: UserCaller;
}

let made = 0;

/** A user who has not verified an address. */
export async function newUser(app: TestApp, more: Record<string, string> = {}): Promise<Reader> {
  const username = `reader-${++made}`;
  const password = `${username}-password`;
  const operator = await clientOf(app, 'admin');
  const reply = await operator.post('/user', { username, password, ...more });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  const email = more['email'] ?? `${username}@example.com`;
  return { username, password, email, session: await logIn(app, username) };
}

/** A user who has verified an address. */
export async function newReader(app: TestApp, server: MailServer, email?: string): Promise<Reader> {
  const user = await newUser(app);
  const reader = { ...user, email: email ?? user.email };
  await giveAddress(reader);
  const verified = await verify(app, server, reader);
  expect(verified.status, JSON.stringify(verified.body)).toBe(204);
  return reader;
}

export async function giveAddress({ username, session, email }: Reader): Promise<void> {
  const reply = await session.put(`/user/${username}`, { email });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
}

export async function verify(app: TestApp, server: MailServer, reader: Reader): Promise<Reply> {
  const hello = `Hello ${reader.username},`;
  const token = tokenIn(await server.mail(reader.email, 'Verify your mail address', hello));
  return new UserCaller(app.url).post('/user/email/verify', { token });
}

/** The token of a mail that was asked for just now. */
export async function resetTokenOf(
  app: TestApp,
  server: MailServer,
  { username, email }: Reader,
): Promise<string> {
  const before = resetsTo(server, email);
  const reply = await new UserCaller(app.url).post('/user/password/forgot', { username });
  expect(reply.status, JSON.stringify(reply.body)).toBe(202);
  await expect.poll(() => resetsTo(server, email), { timeout: 60_000 }).toBe(before + 1);
  return tokenIn(await server.mail(email, 'Reset your password'));
}

export function resetsTo(server: MailServer, email: string): number {
  return server.to(email).filter(({ subject }) => subject === 'Reset your password').length;
}

export function reset(app: TestApp, token: string, newPassword: string): Promise<Reply> {
  return new UserCaller(app.url).post('/user/password/reset', { token, new_password: newPassword });
}
