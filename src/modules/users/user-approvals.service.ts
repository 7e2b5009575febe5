import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ApprovalKind, ApprovalOf } from '../../kit/approvals/approval-kind.js';
import { ApprovalType } from '../../kit/approvals/approval-type.js';
import { OPERATOR_SECURITY } from '../../kit/security/operator-roles.js';
import { Approvals, type Proposed } from '../../kit/approvals/approvals.service.js';
import type { Principal } from '../../kit/security/principal.js';
import { beforeAddressChanges } from './email-addresses.js';
import { notifyUser } from './notices/notify-user.js';
import { recordReset } from './password-resets.js';
import { userNotFound } from './user-access.js';
import { UserCredentials } from './user-credentials.js';
import { principalKeyOf, UserEntity, UserStatus } from './user.entity.js';

interface OperatorPayload {
  readonly userId: string;
}

/** Of the password only the argon2id hash, as in the table of the users. */
interface ResetPayload {
  readonly userId: string;
  readonly passwordHash: string;
  readonly fields: Partial<UserEntity>;
}

export const OPERATOR = new ApprovalType<OperatorPayload>('operator', { roles: [] });
export const CREDENTIAL_RESET = new ApprovalType<ResetPayload>('credential_reset', {
  roles: [OPERATOR_SECURITY],
});

/** What takes two persons about users: new operators, and passwords that one operator sets for another. */
@Injectable()
export class UserApprovals {
  readonly operator: ApprovalKind<OperatorPayload> = {
    approved: ({ payload }, manager) => makeOperator(manager, payload.userId),
  };
  readonly credentialReset: ApprovalKind<ResetPayload> = {
    approved: reset,
    carryOut: ({ payload }) => this.credentials.endSessions(payload.userId, undefined),
  };

  constructor(
    private readonly approvals: Approvals,
    private readonly credentials: UserCredentials,
  ) {}

  /** Throws as `Approvals.propose` does. */
  proposeOperator(principal: Principal, user: UserEntity, key?: string): Promise<Proposed> {
    const { userId, username } = user;
    return this.approvals.propose(
      { principal, key },
      {
        kind: OPERATOR,
        subject: { type: 'user', id: username },
        owner: principalKeyOf(user),
        slot: `operator:${userId}`,
        summary: `Make the user ${username} an operator.`,
        payload: { userId },
      },
    );
  }

  /** Throws as `Approvals.propose` does. */
  proposeReset(
    principal: Principal,
    user: UserEntity,
    { passwordHash, fields }: Pick<ResetPayload, 'passwordHash' | 'fields'>,
  ): Promise<Proposed> {
    const { userId, username } = user;
    const others = Object.keys(fields);
    const also = others.length === 0 ? '' : ` and change ${others.join(', ')}`;
    return this.approvals.propose(
      { principal, key: undefined },
      {
        kind: CREDENTIAL_RESET,
        subject: { type: 'user', id: username },
        owner: principalKeyOf(user),
        slot: `credential_reset:${userId}`,
        summary: `Set another password for the operator ${username}${also}, which ends all sessions of theirs.`,
        payload: { userId, passwordHash, fields },
      },
    );
  }
}

/** Lets an active user hold the scope `admin`, from the next log-in on. Throws `not_found` (404). */
export async function makeOperator(manager: EntityManager, userId: string): Promise<void> {
  const { affected } = await manager.update(
    UserEntity,
    { userId, userStatus: UserStatus.active },
    { isOperator: true },
  );
  if (affected === 0) throw userNotFound();
}

/** The proposer knows the password; the approver does not. */
async function reset(
  { payload, proposedBy }: ApprovalOf<ResetPayload>,
  manager: EntityManager,
): Promise<void> {
  const { userId, passwordHash, fields } = payload;
  const user = await manager.findOneByOrFail(UserEntity, { userId });
  await beforeAddressChanges(manager, user, fields, { inPerson: false });
  await notifyUser(manager, principalKeyOf(user), 'password_changed');
  const { affected } = await manager.update(
    UserEntity,
    { userId, userStatus: UserStatus.active },
    { ...fields, passwordHash },
  );
  if (affected === 0) throw userNotFound();
  await recordReset(manager, user, proposedBy);
}
