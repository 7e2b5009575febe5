import type { EntityManager } from 'typeorm';
import { addJob } from '../../kit/jobs/add-job.js';
import { JobTask } from '../../kit/jobs/job-task.js';
import { mailQueueOf } from '../../kit/mail/mail-jobs.js';
import { isMailAddress } from '../../kit/mail/mailer.js';
import { notifyUser } from './notices/notify-user.js';
import { principalKeyOf, type UserEntity } from './user.entity.js';

/** A verification that was begun: the token is made when the mail leaves, so the job contains none. */
export interface AskedVerification {
  readonly user_id: string;
  /** The address that the user wanted to verify: nothing is sent to another one that somebody else sets meanwhile. */
  readonly email: string;
  /** In RFC 3339. */
  readonly at: string;
}

export const SEND_VERIFICATION = new JobTask<AskedVerification>('users.send_verification');

/**
 * Goes before the change of a user in its transaction: tells the verified address that it is replaced, and sends a
 * verification to one that users give themselves, in person. What others give stays unverified, so that nobody else can make a
 * mailbox one from which the password is reset.
 */
export async function beforeAddressChanges(
  manager: EntityManager,
  user: UserEntity,
  { email }: Partial<UserEntity>,
  { inPerson }: { readonly inPerson: boolean },
): Promise<void> {
  if (email === undefined || email === user.email) return;
  await notifyUser(manager, principalKeyOf(user), 'email_changed');
  if (inPerson && email !== null) await askVerification(manager, user, email);
}

/** Sends a verification once the transaction commits, if mail can go to the address. */
export async function askVerification(
  manager: EntityManager,
  { userId }: Pick<UserEntity, 'userId'>,
  email: string,
): Promise<void> {
  if (!isMailAddress(email)) return;
  const asked: AskedVerification = { user_id: userId, email, at: new Date().toISOString() };
  const key = `${SEND_VERIFICATION.name}:${userId}`;
  await addJob(manager, SEND_VERIFICATION, asked, { key, queue: mailQueueOf(userId) });
}
