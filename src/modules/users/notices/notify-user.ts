import type { EntityManager } from 'typeorm';
import { presentOrigin } from '../../../kit/http/running-request.js';
import { addJob } from '../../../kit/jobs/add-job.js';
import { JobTask } from '../../../kit/jobs/job-task.js';
import { mailQueueOf } from '../../../kit/mail/mail-jobs.js';
import { userIdOf, UserStatus } from '../user.entity.js';
import type { Notice, NoticeFacts, NoticeKind } from './notice.js';

export const SEND_NOTICE = new JobTask<Notice>('users.send_notice');

/**
 * Tells a user by mail what happens to the account, once the transaction commits. `owner` is the owner of the account,
 * see `Principal.accountOwner`. Only to a verified address, as it is now: who changes the address next cannot keep the
 * mail from its reader. Whoever is no user, or has no such address, is told nothing.
 */
export async function notifyUser(
  manager: EntityManager,
  owner: string,
  kind: NoticeKind,
  facts: NoticeFacts = {},
): Promise<void> {
  const userId = userIdOf(owner);
  if (userId === undefined) return;
  const [user] = await manager.query<
    { readonly username: string; readonly email: string; readonly language: string | null }[]
  >(
    `SELECT username, email, language FROM users
      WHERE user_id = $1 AND email_verified_at IS NOT NULL AND user_status <> $2`,
    [userId, UserStatus.closed],
  );
  if (user === undefined) return;
  const { username, email: to, language } = user;
  const at = new Date().toISOString();
  const notice: Notice = { to, username, language, kind, facts, at, origin: presentOrigin() };
  await addJob(manager, SEND_NOTICE, notice, { queue: mailQueueOf(userId) });
}
