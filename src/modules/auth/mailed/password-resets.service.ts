import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { isAnyOperator } from '../../users/operator-standing.js';
import { PasswordChanges } from '../../users/password-changes.service.js';
import { PasswordHasher } from '../../users/password-hasher.js';
import { PasswordPolicy } from '../../users/password-policy.js';
import { recordResetByMail } from '../../users/password-resets.js';
import { SecondFactors } from '../factors/second-factors.js';
import { byMail } from './by-mail.js';
import { mailTokenInvalid, spendMailToken, userOfMailToken } from './mail-tokens.js';
import type { ResetPasswordDto } from './password-reset.dto.js';

/** New passwords by the link of a mail. Second factors stay: a log-in still asks for them. */
@Injectable()
export class PasswordResets {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly factors: SecondFactors,
    private readonly passwords: PasswordHasher,
    private readonly policy: PasswordPolicy,
    private readonly changes: PasswordChanges,
  ) {}

  /**
   * Sets the password, ends every session and grant of the user, and makes all other links to the user void. Throws
   * `invalid_grant` (400) for a token that is not good, or not any more, `validation_failed` (400) as `PasswordPolicy`, and `conflict` (409) where another change of the
   * password came first.
   */
  async reset({ token, new_password: password }: ResetPasswordDto): Promise<void> {
    const { manager: database } = this.database;
    const user = await userOfMailToken(database, token, 'reset');
    if (isAnyOperator(user) && !(await this.factors.isEnrolled(user.userId))) throw mailTokenInvalid();
    if (user.passwordHash === null) throw mailTokenInvalid();
    this.policy.require(password, 'new_password');
    const passwordHash = await this.passwords.hash(password);
    // Apart from the change, which begins by ending sessions and voiding what is left of links: only one gets there.
    await spendMailToken(database, token);
    await this.changes.replace(
      user,
      { passwordHash },
      { by: byMail(user), first: (manager) => recordResetByMail(manager, user) },
    );
  }
}
