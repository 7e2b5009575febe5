import { Inject, Injectable } from '@nestjs/common';
import { AccountAccessService } from '../access/account-access.service.js';
import { CoreService } from '../../../core/core.service.js';
import type { AccountRecord, CoreRequest } from '../../../core/core.types.js';
import { approvedKey } from '../commands/approved-key.js';
import { resultOf } from '../commands/outcome.js';
import type { ApprovalKind } from '../../../kit/approvals/approval-kind.js';
import { ApprovalType } from '../../../kit/approvals/approval-type.js';
import { OPERATOR_COMPLIANCE } from '../../../kit/security/operator-roles.js';
import { Approvals } from '../../../kit/approvals/approvals.service.js';
import type { Proposable } from '../../../kit/approvals/proposed.js';
import { ownMatter } from '../../../kit/approvals/second-person.js';
import type { AuditEntry } from '../../../kit/audit/audit-entry.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { actorOf, personOf, type Principal } from '../../../kit/security/principal.js';
import { WithdrawalGate } from '../../users/withdrawal-gate.js';
import { AccountFields } from '../account-fields.service.js';
import type { AccountDto } from '../account.dto.js';
import { ACCOUNT_IDS } from '../ids.js';

/** The stored payload of a proposal to unfreeze. */
interface UnfreezePayload {
  readonly accountId: number;
}

export const UNFREEZE = new ApprovalType<UnfreezePayload>('unfreeze', { roles: [OPERATOR_COMPLIANCE] });

/** Accounts of which nothing may trade or leave. One operator freezes; with `FOUR_EYES` two unfreeze. */
@Injectable()
export class AccountFreezing {
  readonly unfreezing: ApprovalKind<UnfreezePayload> = {
    carryOut: (approval) =>
      this.setFrozen(approval.payload.accountId, false, { idempotency: approvedKey(approval) }),
  };

  constructor(
    private readonly core: CoreService,
    private readonly access: AccountAccessService,
    private readonly accounts: AccountFields,
    private readonly gate: WithdrawalGate,
    private readonly audit: AuditLog,
    private readonly approvals: Approvals,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Once this returns, nothing leaves the account. Idempotent. Throws `account_not_found`. */
  async freeze(principal: Principal, account: string, reason: string): Promise<AccountDto> {
    const { accountId } = await this.access.customerAccount(account);
    await this.setFrozen(accountId, true, {
      actor: actorOf(principal),
      audit: this.auditEntryOf(accountId, reason),
    });
    await this.gate.waitUntilClear();
    return this.show(accountId);
  }

  /**
   * Of an account that is not frozen it changes nothing. Throws `account_not_found`, `related_person` (403) for
   * one's own, and with `FOUR_EYES` as `Approvals.propose` does.
   */
  async unfreeze(
    principal: Principal,
    account: string,
    reason: string | null,
    key: string | undefined,
  ): Promise<Proposable<AccountDto>> {
    const record = await this.access.customerAccount(account);
    const { accountId, owner, frozen } = record;
    if (owner === personOf(principal)) throw ownMatter();
    if (this.config.fourEyes && frozen) return this.propose(principal, record, reason, key);
    await this.setFrozen(accountId, false, {
      actor: actorOf(principal),
      audit: this.auditEntryOf(accountId, reason),
    });
    return { body: await this.show(accountId), replayed: false };
  }

  private async propose(
    principal: Principal,
    { accountId, owner }: AccountRecord & { owner: string },
    reason: string | null,
    key: string | undefined,
  ): Promise<Proposable<never>> {
    const id = ACCOUNT_IDS.format(accountId);
    const because = reason === null ? '' : ` (${reason})`;
    return this.approvals.propose(
      { principal, key },
      {
        kind: UNFREEZE,
        subject: { type: 'account', id },
        owner,
        slot: `unfreeze:${id}`,
        summary: `Unfreeze the account ${id} of ${await this.approvals.nameOf(owner)}${because}.`,
        payload: { accountId },
      },
    );
  }

  private async setFrozen(
    accountId: number,
    frozen: boolean,
    request: Omit<CoreRequest, 'commands'>,
  ): Promise<void> {
    const { outcomes } = await this.core.submit({
      ...request,
      commands: [{ type: 'set_account_frozen', accountId, frozen }],
    });
    resultOf(outcomes[0], 'done');
  }

  private auditEntryOf(accountId: number, reason: string | null): AuditEntry {
    return this.audit.entryFor({
      target: { type: 'account', id: ACCOUNT_IDS.format(accountId) },
      details: { reason },
    });
  }

  private show(accountId: number): Promise<AccountDto> {
    return this.accounts.forOperators(accountId);
  }
}
