import { RATE_LIMITED } from '../../../kit/http/error-codes.js';
import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { ApiError } from '../../../kit/http/errors.js';
import { addJob } from '../../../kit/jobs/add-job.js';
import { type JobRun, JobTask } from '../../../kit/jobs/job-task.js';
import { isTooLate, mailQueueOf } from '../../../kit/mail/mail-jobs.js';
import { Texts } from '../../../kit/words/texts.js';
import { Mailer } from '../../../kit/mail/mailer.js';
import { RateLimits } from '../../../kit/rate-limit/rate-limits.js';
import { isAnyOperator } from '../../users/operator-standing.js';
import { principalKeyOf, UserEntity, UserStatus } from '../../users/user.entity.js';
import { SecondFactors } from '../factors/second-factors.js';
import { newMailToken } from './mail-tokens.js';
import { mailWithLink } from './mails.js';

/** Users who share one address and get a mail each. */
const USERS_MAX = 5;

/** What was typed, known or not. */
interface Forgotten {
  readonly typed: string;
  readonly at: string;
}

/** The token is made when the mail leaves, so the job contains none. */
interface AskedReset {
  readonly user_id: string;
  readonly at: string;
}

export const FIND_FORGETFUL = new JobTask<Forgotten>('auth.find_forgetful');
export const SEND_RESET = new JobTask<AskedReset>('auth.send_password_reset');

/**
 * Mails for who has forgotten the password. A request only writes down what was typed, in the same time for everybody;
 * whether a user is behind it is found out later. So neither answers nor their timing tell who is known.
 */
@Injectable()
export class ForgottenPasswords {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    @Inject(CONFIG) private readonly config: Config,
    private readonly mailer: Mailer,
    private readonly texts: Texts,
    private readonly factors: SecondFactors,
    private readonly limits: RateLimits,
  ) {}

  /**
   * `typed` is a username or an address. Throws `rate_limited` (429) after too many requests, from one address or for one
   * name, whoever it is.
   */
  async ask(typed: string, addressBucket: string): Promise<void> {
    await this.limits.consume('mail_requests', addressBucket);
    await this.limits.consume('mails_to_one', nameBucketOf(typed));
    await addJob(this.database.manager, FIND_FORGETFUL, { typed, at: new Date().toISOString() });
  }

  async find({ typed, at }: Forgotten): Promise<void> {
    await this.database.transaction(async (manager) => {
      const users = await manager.query<{ readonly user_id: string }[]>(
        `SELECT user_id FROM users
          WHERE (lower(username) = lower($1) OR lower(email) = lower($1))
            AND email_verified_at IS NOT NULL AND user_status = $2 AND password_hash IS NOT NULL
          ORDER BY user_id LIMIT ${USERS_MAX}`,
        [typed, UserStatus.active],
      );
      for (const { user_id: userId } of users) {
        const key = `${SEND_RESET.name}:${userId}`;
        await addJob(manager, SEND_RESET, { user_id: userId, at }, { key, queue: mailQueueOf(userId) });
      }
    });
  }

  async send({ user_id: userId, at }: AskedReset, { attempt, signal }: JobRun): Promise<void> {
    const { manager } = this.database;
    const user = await manager.findOneBy(UserEntity, { userId, userStatus: UserStatus.active });
    if (user?.email == null || user.emailVerifiedAt === null || isTooLate(at)) return;
    // Who logs in by an identity elsewhere has none to forget, and a mailbox gives none.
    if (user.passwordHash === null) return;
    // Otherwise whoever reads the mailbox would be an operator.
    if (isAnyOperator(user) && !(await this.factors.isEnrolled(userId))) return;
    if (attempt === 1 && !(await this.hasRoom(user))) return;
    const token = await newMailToken(manager, userId, 'reset', user.email);
    if (token === undefined) return;
    const place = { texts: this.texts, serviceUrl: this.config.publicUrl };
    await this.mailer.send(user.email, mailWithLink('reset_password', user, token, place), signal);
  }

  /** However many names and addresses somebody uses to fill one mailbox. */
  private async hasRoom(user: UserEntity): Promise<boolean> {
    try {
      await this.limits.consume('mails_to_one', principalKeyOf(user));
      return true;
    } catch (error) {
      if (ApiError.is(error, RATE_LIMITED)) return false;
      throw error;
    }
  }
}

/** Names fall into buckets, so that made-up ones fill no memory. */
function nameBucketOf(typed: string): string {
  return `typed:${hash('sha1', typed.toLowerCase(), 'hex').slice(0, 4)}`;
}
