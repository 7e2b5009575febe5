import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { UNPROCESSABLE, CONFLICT } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { JobRun } from '../../../kit/jobs/job-task.js';
import { isTooLate } from '../../../kit/mail/mail-jobs.js';
import { Texts } from '../../../kit/words/texts.js';
import { isMailAddress, Mailer } from '../../../kit/mail/mailer.js';
import { RateLimits } from '../../../kit/rate-limit/rate-limits.js';
import type { Principal } from '../../../kit/security/principal.js';
import { requireStepUp } from '../../../kit/security/step-up.js';
import { type AskedVerification, askVerification } from '../../users/email-addresses.js';
import { loginRequired } from '../../users/user-access.js';
import { UserEntity, UserStatus } from '../../users/user.entity.js';
import { ownerIdOf } from '../owned/owned-credentials.js';
import type { EmailDto } from './email.dto.js';
import { byMail } from './by-mail.js';
import { mailTokenInvalid, newMailToken, spendMailToken, userOfMailToken } from './mail-tokens.js';
import { mailWithLink } from './mails.js';

/** Users' proofs that they read the mail to their address. */
@Injectable()
export class EmailVerifications {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    @Inject(CONFIG) private readonly config: Config,
    private readonly mailer: Mailer,
    private readonly texts: Texts,
    private readonly limits: RateLimits,
    private readonly audit: AuditLog,
  ) {}

  /** Throws `forbidden` (403) for what is no session. */
  async get(principal: Principal): Promise<EmailDto> {
    const { email, emailVerifiedAt } = await this.userOf(principal);
    return { email: email === '' ? null : email, verified_at: emailVerifiedAt?.toISOString() ?? null };
  }

  /**
   * Sends the link that verifies the caller's address. Throws `forbidden` (403) for what is no session, `step_up_required`
   * (403), `unprocessable` (422) for what is no address, `conflict` (409) for a verified one, and `rate_limited` (429).
   */
  async ask(principal: Principal): Promise<void> {
    const user = await this.userOf(principal);
    requireStepUp(principal);
    const { email, emailVerifiedAt } = user;
    if (email === null || !isMailAddress(email)) {
      throw new ApiError(UNPROCESSABLE, 'Give yourself an address first: PUT /user/{username} with email.');
    }
    if (emailVerifiedAt !== null) throw new ApiError(CONFLICT, 'Your address is verified already.');
    await this.limits.consume('mails_to_one', principal.key);
    await askVerification(this.database.manager, user, email);
  }

  /** Takes the token of a link. Throws `invalid_grant` (400) for one that is not good, or not any more. */
  async verify(token: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      const user = await userOfMailToken(manager, token, 'verify');
      await spendMailToken(manager, token);
      const { userId, email } = user;
      const asItWas = { userId, email: email!, userStatus: UserStatus.active };
      const { affected } = await manager.update(UserEntity, asItWas, { emailVerifiedAt: new Date() });
      if (affected === 0) throw mailTokenInvalid();
      await this.audit.record(manager, { target: { type: 'user', id: user.username } }, byMail(user));
    });
  }

  async send({ user_id: userId, email, at }: AskedVerification, { signal }: JobRun): Promise<void> {
    const { manager } = this.database;
    const user = await manager.findOneBy(UserEntity, { userId, email, userStatus: UserStatus.active });
    if (user === null || user.emailVerifiedAt !== null || isTooLate(at)) return;
    const token = await newMailToken(manager, userId, 'verify', email);
    if (token === undefined) return;
    const place = { texts: this.texts, serviceUrl: this.config.publicUrl };
    await this.mailer.send(email, mailWithLink('verify_email', user, token, place), signal);
  }

  private async userOf(principal: Principal): Promise<UserEntity> {
    const userId = ownerIdOf(principal);
    const user = await this.database.manager.findOneBy(UserEntity, { userId, userStatus: UserStatus.active });
    if (user === null) throw loginRequired();
    return user;
  }
}
