import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { ApiError } from '../../../kit/http/errors.js';
import type { Principal } from '../../../kit/security/principal.js';
import { AccountAccessService, accountNotFound } from './account-access.service.js';
import { MemberRoles } from './member-roles.js';
import { type AccountAct, allows, roleRequired } from './account-roles.js';

const CHECK_EVERY_MS = 500;

/** Something that outlives the check of its caller's role. */
interface Watched {
  readonly principal: Principal;
  readonly accountId: number;
  readonly act: AccountAct;
  readonly onEnded: (reason: ApiError) => void;
}

/**
 * Rechecks the roles behind open streams and switches, so that they end with the role: at once if this process is
 * notified, otherwise within a second or two.
 */
@Injectable()
export class AccountWatch implements OnModuleDestroy {
  private readonly logger = new Logger(AccountWatch.name);
  private readonly watched = new Set<Watched>();
  private readonly timer = setInterval(() => void this.checkAll(), CHECK_EVERY_MS).unref();

  constructor(
    private readonly access: AccountAccessService,
    roles: MemberRoles,
  ) {
    roles.onChanged(() => void this.checkAll());
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Calls `onEnded` once when the role is gone or no longer allows the act, unless the returned function was called. */
  watch(
    principal: Principal,
    accountId: number,
    act: AccountAct,
    onEnded: (reason: ApiError) => void,
  ): () => void {
    // Nobody loses the account that is the credential's own: that ends with the credential.
    if (accountId === principal.accountId) return () => undefined;
    const watched = { principal, accountId, act, onEnded };
    this.watched.add(watched);
    return () => void this.watched.delete(watched);
  }

  private async checkAll(): Promise<void> {
    const checks = await Promise.allSettled([...this.watched].map((each) => this.check(each)));
    const failed = checks.find((check) => check.status === 'rejected');
    if (failed === undefined) return;
    // Their roles are unknown, which is no reason to end them.
    this.logger.warn({ msg: 'roles on accounts could not be looked at', err: failed.reason as unknown });
  }

  private async check(watched: Watched): Promise<void> {
    const { principal, accountId, act, onEnded } = watched;
    const role = await this.access.roleOn(principal, accountId);
    if (role !== undefined && allows(role, act)) return;
    if (this.watched.delete(watched)) {
      onEnded(role === undefined ? accountNotFound() : roleRequired(role, act));
    }
  }
}
