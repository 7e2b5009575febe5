import * as ERROR_CODES from './errors.js';
import { ClosedOwners } from './closed-owners.js';
import { DataOwners } from './data-owners.js';
import { UserErasure } from './erasure/user-erasure.service.js';
import { UserRemains } from './erasure/user-remains.js';
import { ExportDownloads } from './exports/export-downloads.js';
import { ExportFiles } from './exports/export-files.js';
import { EXPORT_USER, ExportJob } from './exports/export-job.js';
import { ExportLinks } from './exports/export-links.js';
import { ExportUpkeep, OLD_EXPORTS } from './exports/export-upkeep.js';
import { ExportsController } from './exports/exports.controller.js';
import { ExportsService } from './exports/exports.service.js';
import { UserExportEntity } from './exports/user-export.entity.js';
import { BootstrapOperators } from './bootstrap-operators.js';
import { NoticeMails } from './notices/notice-mails.js';
import { SEND_NOTICE } from './notices/notify-user.js';
import { OPERATOR_ROLES_CHANGE, OperatorRoles } from './operator-roles.service.js';
import { RolesController } from './roles.controller.js';
import { OperatorsController } from './operators.controller.js';
import { FamiliarPlaces } from './familiar-places.js';
import { PasswordChanges } from './password-changes.service.js';
import { PasswordHasher } from './password-hasher.js';
import { PasswordLogin } from './password-login.js';
import { PASSWORD_SETTINGS, PasswordPolicy } from './password-policy.js';
import { oldPasswordResets, PasswordResetEntity } from './password-reset.entity.js';
import { WithdrawalGate } from './withdrawal-gate.js';
import { RegistrationRoots } from './registration-roots.js';
import { CREDENTIAL_RESET, OPERATOR, UserApprovals } from './user-approvals.service.js';
import { UserAccounts } from './user-accounts.js';
import { UserCredentials } from './user-credentials.js';
import { AdminUsersController } from './admin-users.controller.js';
import { UserList } from './user-list.service.js';
import { UserLocks } from './user-locks.service.js';
import { UserPersons } from './user-persons.js';
import { UserManagementService } from './user-management.service.js';
import { UserRegistrationService } from './user-registration.service.js';
import { NoGroups, UserGroups } from './user-groups.js';
import { FIELDS_OF_USERS, UserEntity } from './user.entity.js';
import { UserController } from './user.controller.js';
import { UsersPersonalData } from './users-personal-data.js';
import { UsersService } from './users.service.js';
import { port } from '../../kit/module/extension-point.js';
import { TradepostModule } from '../../kit/module/tradepost-module.js';
import { EXPORT_IDS } from './ids.js';
import { KYC_RETENTION_DAYS } from './erasure/kyc-retention.js';
import { AddOperatorRoles1780000040000 } from './migrations/1780000040000-add-operator-roles.js';
import { USERS_WORDS } from './words/users-words.js';
import { UserLanguage1780000060000 } from './migrations/1780000060000-user-language.js';
import { IdentityRoles1780000070000 } from './migrations/1780000070000-identity-roles.js';
import { UsersBaseline1780000000300 } from './migrations/1780000000300-baseline.js';

@TradepostModule({
  name: 'users',
  errorCodes: Object.values(ERROR_CODES),
  settings: [KYC_RETENTION_DAYS, PASSWORD_SETTINGS],
  idPrefixes: [EXPORT_IDS],
  extensionPoints: [port(UserAccounts), port(UserGroups, NoGroups)],
  implementations: [UserPersons],
  approvals: [
    OPERATOR.carriedOutBy(UserApprovals, ({ operator }) => operator),
    OPERATOR_ROLES_CHANGE.carriedOutBy(OperatorRoles, ({ kind }) => kind),
    CREDENTIAL_RESET.carriedOutBy(UserApprovals, ({ credentialReset }) => credentialReset),
  ],
  fieldedTables: [FIELDS_OF_USERS],
  purges: [
    OLD_EXPORTS,
    ({ retention: { logsDays } }) => (logsDays === undefined ? [] : [oldPasswordResets(logsDays)]),
  ],
  personalData: [UsersPersonalData, UserRemains],
  jobs: [
    SEND_NOTICE.handledBy(NoticeMails, (mails, notice, run) => mails.send(notice, run)),
    EXPORT_USER.handledBy(ExportJob, (job, { exportId }, run) => job.run(exportId, run)),
  ],
  duties: [UserErasure, ExportUpkeep],
  words: [USERS_WORDS],
  entities: [UserEntity, PasswordResetEntity, UserExportEntity],
  migrations: [
    UsersBaseline1780000000300,
    AddOperatorRoles1780000040000,
    UserLanguage1780000060000,
    IdentityRoles1780000070000,
  ],
  // In this order: /user/exports is no user's name.
  controllers: [
    ExportsController,
    UserController,
    OperatorsController,
    AdminUsersController,
    RolesController,
  ],
  providers: [
    UsersService,
    UserRegistrationService,
    UserManagementService,
    UserApprovals,
    OperatorRoles,
    UserList,
    UserLocks,
    WithdrawalGate,
    ClosedOwners,
    UserCredentials,
    PasswordHasher,
    PasswordPolicy,
    PasswordLogin,
    FamiliarPlaces,
    PasswordChanges,
    BootstrapOperators,
    DataOwners,
    RegistrationRoots,
    ExportsService,
    ExportJob,
    ExportFiles,
    ExportLinks,
    ExportDownloads,
    NoticeMails,
  ],
  exports: [
    UsersService,
    UserCredentials,
    PasswordChanges,
    PasswordHasher,
    PasswordPolicy,
    PasswordLogin,
    FamiliarPlaces,
    RegistrationRoots,
    WithdrawalGate,
    ClosedOwners,
  ],
})
export class UsersModule {}
