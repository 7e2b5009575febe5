import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import { lockUntilCommit } from '../../../kit/database/advisory-locks.js';
import { ApiError } from '../../../kit/http/errors.js';
import { requestHashOf } from '../../../kit/repeated-requests.js';
import type { Replayable } from '../../../kit/http/idempotency/replay.js';
import { actorOf, isInPerson, type Principal } from '../../../kit/security/principal.js';
import { loginRequired } from '../../users/user-access.js';
import { CONFLICT } from '../../../kit/http/error-codes.js';
import { StoredFields } from '../../../kit/fields/stored-fields.js';
import { fieldsIdOf, type ReachedAccountDto, toReachedAccountDto } from '../account.dto.js';
import { AccountOpener } from './account-opener.js';
import type { CreateSubAccountDto } from './sub-account.dto.js';
import { KEYED_SUB_ACCOUNTS, SubAccountEntity, subAccountFingerprint } from './sub-account.entity.js';

const SUB_ACCOUNTS_PER_OWNER_MAX = 100;

/** Whose keys the commands have in the core. */
const KEYS_OWNER = 'sub_account';

/**
 * Accounts that users make for themselves. The row is committed first and counts, whatever becomes of its command: so
 * many requests at once make no more accounts than one may have.
 */
@Injectable()
export class SubAccounts {
  constructor(
    private readonly core: CoreService,
    private readonly opener: AccountOpener,
    private readonly fields: StoredFields,
    @InjectRepository(SubAccountEntity) private readonly rows: Repository<SubAccountEntity>,
  ) {}

  /**
   * Resolves once the account may be used. Throws `forbidden` (403) for what is no session, `conflict` (409) at the
   * limit, and `idempotency_key_reused` (422).
   */
  async create(
    principal: Principal,
    { name, fields }: CreateSubAccountDto,
    key: string | undefined,
  ): Promise<Replayable<ReachedAccountDto>> {
    if (!isInPerson(principal)) throw loginRequired();
    const { accountOwner: owner } = principal;
    const { subAccountId } = await this.claim(owner, name, requestHashOf(principal.key, key));
    const { accountId, replayed } = await this.opener.open(owner, name, {
      idempotency: {
        owner: KEYS_OWNER,
        key: subAccountId,
        fingerprint: subAccountFingerprint({ owner, name }),
      },
      actor: actorOf(principal),
    });
    // A repeat writes them once more: a process may have died before the first time.
    await this.fields.change(this.rows.manager, 'accounts', `${accountId}`, fields, 'owner');
    const account = await this.core.account(accountId);
    const body = toReachedAccountDto({ account: account!, role: 'owner' }, principal);
    const [shown] = await this.fields.shownWith('accounts', [body], fieldsIdOf);
    return { body: shown!, replayed };
  }

  /** The row of the request: that of its first attempt, or a new one. */
  private claim(owner: string, name: string, requestHash: string | null): Promise<SubAccountEntity> {
    return this.rows.manager.transaction(async (manager) => {
      // Those of one owner take turns, so that each counts those before it.
      await lockUntilCommit(manager, `sub_accounts:${owner}`);
      const fingerprint = subAccountFingerprint({ owner, name });
      const earlier = await KEYED_SUB_ACCOUNTS.find(manager, { requestHash, fingerprint });
      if (earlier !== null) return earlier;
      if ((await manager.countBy(SubAccountEntity, { owner })) >= SUB_ACCOUNTS_PER_OWNER_MAX) {
        throw new ApiError(
          CONFLICT,
          `You have made ${SUB_ACCOUNTS_PER_OWNER_MAX} accounts, which is the most.`,
        );
      }
      await KEYED_SUB_ACCOUNTS.free(manager, { requestHash });
      return manager.save(manager.create(SubAccountEntity, { owner, name, requestHash }));
    });
  }
}
