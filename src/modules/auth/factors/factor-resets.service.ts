import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ApprovalKind } from '../../../kit/approvals/approval-kind.js';
import { ApprovalType } from '../../../kit/approvals/approval-type.js';
import { OPERATOR_SECURITY } from '../../../kit/security/operator-roles.js';
import { Approvals, type Proposed } from '../../../kit/approvals/approvals.service.js';
import { CONFLICT } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { Principal } from '../../../kit/security/principal.js';
import { notifyUser } from '../../users/notices/notify-user.js';
import { requireRolesOf, userNotFound } from '../../users/user-access.js';
import { UserCredentials } from '../../users/user-credentials.js';
import { principalKeyOf, UserEntity, UserStatus } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { FactorChanges } from './factor-changes.js';
import { SecondFactors } from './second-factors.js';

interface ResetPayload {
  readonly userId: string;
}

export const FACTOR_RESET = new ApprovalType<ResetPayload>('factor_reset', { roles: [OPERATOR_SECURITY] });

/**
 * Second factors of users who have lost them. It takes two operators, with `FOUR_EYES` or without: one alone who knows a
 * password could otherwise become that user.
 */
@Injectable()
export class FactorResets {
  readonly kind: ApprovalKind<ResetPayload> = {
    approved: ({ payload }, manager) => this.reset(manager, payload.userId),
    // Whoever was logged in by the factor that is lost, too.
    carryOut: ({ payload }) => this.credentials.endSessions(payload.userId, undefined),
  };

  constructor(
    private readonly approvals: Approvals,
    private readonly users: UsersService,
    private readonly factors: SecondFactors,
    private readonly changes: FactorChanges,
    private readonly credentials: UserCredentials,
  ) {}

  /** Throws `not_found` (404), `conflict` (409) for a user without a second factor, and as `Approvals.propose` does. */
  async propose(principal: Principal, username: string): Promise<Proposed> {
    const user = await this.users.findByUsername(username);
    if (user === null || user.userStatus === UserStatus.closed) throw userNotFound();
    requireRolesOf(principal, user);
    if (!(await this.factors.isEnrolled(user.userId))) {
      throw new ApiError(CONFLICT, 'The user has no second factor.');
    }
    return this.approvals.propose(
      { principal, key: undefined },
      {
        kind: FACTOR_RESET,
        subject: { type: 'user', id: user.username },
        owner: principalKeyOf(user),
        slot: `factor_reset:${user.userId}`,
        summary: `Remove the second factor of ${user.username}, whose password alone then logs in, and end all sessions of theirs.`,
        payload: { userId: user.userId },
      },
    );
  }

  private async reset(manager: EntityManager, userId: string): Promise<void> {
    const user = await manager.findOne(UserEntity, {
      where: { userId },
      lock: { mode: 'for_no_key_update' },
    });
    if (user === null || user.userStatus === UserStatus.closed) throw userNotFound();
    await this.changes.discardAll(manager, userId);
    await notifyUser(manager, principalKeyOf(user), 'factor_removed', {
      factor: { says: 'all_factors' },
    });
  }
}
