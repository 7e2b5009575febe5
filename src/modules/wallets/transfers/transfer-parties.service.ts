import { Injectable } from '@nestjs/common';
import { AccountAccessService, accountNotFound } from '../../accounts/access/account-access.service.js';
import type { AccountAct } from '../../accounts/access/account-roles.js';
import { CoreService } from '../../../core/core.service.js';
import { SecondPerson } from '../../../kit/approvals/second-person.js';
import { DESTINATION_NOT_ALLOWED } from '../../../kit/http/error-codes.js';
import { DESTINATION_NOT_FOUND } from '../errors.js';
import { ApiError } from '../../../kit/http/errors.js';
import { personOf, type Principal } from '../../../kit/security/principal.js';
import { ClosedOwners } from '../../users/closed-owners.js';
import { WalletAccessService } from '../access/wallet-access.service.js';
import type { Destination } from './transfer.dto.js';
import type { TransferEnd, TransferPlan, TransferSource } from './transfer-plan.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';

/** Finds the two ends of a transfer. */
@Injectable()
export class TransferParties {
  constructor(
    private readonly core: CoreService,
    private readonly accounts: AccountAccessService,
    private readonly wallets: WalletAccessService,
    private readonly secondPerson: SecondPerson,
    private readonly closed: ClosedOwners,
  ) {}

  /** Throws `not_found` (404) for a wallet that is not the principal's own. */
  async ownWallet(principal: Principal, text: string): Promise<TransferSource & { walletId: string }> {
    const { walletId, accountId, owner } = await this.wallets.walletOf(principal, text);
    return { type: 'wallet', accountId: Number(accountId), walletId, owner };
  }

  /**
   * Throws `account_not_found` (404) for all but trading accounts on which the principal has a role, and `forbidden`
   * (403) where the role does not allow the act.
   */
  async tradingAccount(principal: Principal, text: string, act: AccountAct): Promise<TransferSource> {
    const accountId = await this.accounts.accountIdOf(principal, text, act);
    const account = await this.core.account(accountId);
    // The money of wallets leaves under the rules of wallets, not under these.
    if (account?.kind !== 'trading' || account.owner === null) throw accountNotFound();
    return { type: 'account', accountId, walletId: null, owner: account.owner };
  }

  /** The account of any customer, for operators; that of a wallet is the wallet. Throws `account_not_found` (404). */
  async anybodys(text: string): Promise<TransferEnd> {
    const { accountId, kind } = await this.accounts.customerAccount(text);
    const wallet = kind === 'wallet' ? await this.wallets.walletWith(accountId) : null;
    return { type: wallet === null ? 'account' : 'wallet', accountId, walletId: wallet?.walletId ?? null };
  }

  /**
   * An account or wallet inside, whoever owns it. Throws `destination_not_found` (404), also for those of closed users,
   * `destination_not_allowed` (422) where the money would stay where it is, and `approval_required` (403) for
   * another owner's where a second person is needed, for the owner or for who asks: transfers inside wait for nobody.
   */
  async inside(
    principal: Principal,
    source: TransferSource,
    destination: Exclude<Destination, { type: 'address' }>,
  ): Promise<TransferPlan['target']> {
    const target =
      destination.type === 'account'
        ? await this.findAccount(destination.accountId)
        : await this.findWallet(destination.walletId);
    if (target === undefined || (await this.closed.has(target.owner))) {
      throw new ApiError(DESTINATION_NOT_FOUND, `There is no such ${destination.type}.`);
    }
    if (target.accountId === source.accountId) {
      throw new ApiError(DESTINATION_NOT_ALLOWED, 'The destination must differ from where the money is.');
    }
    if (target.owner !== source.owner) {
      for (const person of new Set([source.owner, personOf(principal)])) {
        await this.secondPerson.requireNotNeeded(
          person,
          'nothing is transferred to others inside',
          'Ask for a payout or a transfer over a chain, which an operator approves; transfers between your own accounts and wallets work.',
        );
      }
    }
    return target;
  }

  /** Accounts of the house, of markets and of the outside world take part in no transfer. */
  private async findAccount(text: string) {
    const accountId = ACCOUNT_IDS.parse(text);
    const account = accountId === undefined ? undefined : await this.core.account(accountId);
    if (account === undefined || account.kind !== 'trading' || account.owner === null) return undefined;
    const { accountId: id, owner } = account;
    return { type: 'account', accountId: id, walletId: null, owner } as const;
  }

  private async findWallet(text: string) {
    const wallet = await this.wallets.findWallet(text);
    if (wallet === undefined) return undefined;
    const { accountId, walletId, owner } = wallet;
    return { type: 'wallet', accountId: Number(accountId), walletId, owner } as const;
  }
}
