import { KeySubAccounts1780000002790 } from './migrations/1780000002790-key-sub-accounts.js';
import { Global } from '@nestjs/common';
import { port } from '../../kit/module/extension-point.js';
import { TradepostModule } from '../../kit/module/tradepost-module.js';
import { UsersModule } from '../users/users.module.js';
import { AccountAccessService } from './access/account-access.service.js';
import { AccountMemberEntity, OLD_INVITATIONS } from './access/account-member.entity.js';
import { AccountWatch } from './access/account-watch.js';
import { MemberRoles } from './access/member-roles.js';
import { MembershipStore } from './access/membership-store.js';
import { AccountsPersonalData } from './accounts-personal-data.js';
import { AccountsController } from './accounts.controller.js';
import { AccountFields } from './account-fields.service.js';
import { FIELDS_OF_ACCOUNTS } from './account.dto.js';
import { AccountsService } from './accounts.service.js';
import { ENGINE_CODES } from './commands/refusals.js';
import { ACCOUNT_IDS } from './ids.js';
import { AccountsMembersController } from './members/accounts-members.controller.js';
import { AccountMembers } from './members/account-members.service.js';
import { Memberships } from './members/memberships.service.js';
import { CurrentViewGuard } from './moments/current-view.guard.js';
import { MomentsService } from './moments/moments.service.js';
import { AccountOpener } from './opening/account-opener.js';
import { KEYED_SUB_ACCOUNTS, SubAccountEntity } from './opening/sub-account.entity.js';
import { SubAccounts } from './opening/sub-accounts.service.js';
import { AccountFreezing, UNFREEZE } from './operators/account-freezing.service.js';
import { AccountList } from './operators/account-list.service.js';
import { AccountOperationsService } from './operators/account-operations.service.js';
import { AdminAccountsController } from './operators/admin-accounts.controller.js';
import { AccountOwners } from './owners/account-owners.service.js';
import { AccountsOfUsers } from './owners/accounts-of-users.js';
import { ClientOwners } from './owners/client-owners.js';
import { Leftovers } from './owners/leftovers.js';
import { PrincipalAccounts } from './owners/principal-accounts.js';
import { AccountsBaseline1780000000350 } from './migrations/1780000000350-baseline.js';
import { ACCOUNT_READ } from './scopes.js';
import { MembershipController } from './members/membership.controller.js';
import { InvitationsController } from './members/invitations.controller.js';

/**
 * Accounts: who opens them, who may do what there, who lets whom in, who freezes them. And how a request comes through
 * them to the core: under which key, as of which moment, and what it is answered. What is in them is of the markets.
 */
@Global()
@TradepostModule({
  name: 'accounts',
  errorCodes: ENGINE_CODES,
  scopes: [ACCOUNT_READ],
  idPrefixes: [ACCOUNT_IDS],
  extensionPoints: [port(ClientOwners)],
  implementations: [AccountsOfUsers],
  approvals: [UNFREEZE.carriedOutBy(AccountFreezing, ({ unfreezing }) => unfreezing)],
  purges: [OLD_INVITATIONS, KEYED_SUB_ACCOUNTS.purge],
  personalData: [AccountsPersonalData],
  entities: [AccountMemberEntity, SubAccountEntity],
  migrations: [AccountsBaseline1780000000350, KeySubAccounts1780000002790],
  imports: [UsersModule],
  controllers: [
    AccountsController,
    InvitationsController,
    MembershipController,
    AccountsMembersController,
    AdminAccountsController,
  ],
  fieldedTables: [FIELDS_OF_ACCOUNTS],
  providers: [
    AccountFields,
    AccountAccessService,
    AccountWatch,
    MemberRoles,
    MembershipStore,
    CurrentViewGuard,
    MomentsService,
    AccountOpener,
    Leftovers,
    PrincipalAccounts,
    SubAccounts,
    AccountsService,
    AccountMembers,
    Memberships,
    AccountFreezing,
    AccountList,
    AccountOperationsService,
    AccountOwners,
  ],
  exports: [
    AccountAccessService,
    AccountWatch,
    MemberRoles,
    CurrentViewGuard,
    MomentsService,
    AccountOpener,
    PrincipalAccounts,
    AccountsService,
  ],
})
export class AccountsModule {}
