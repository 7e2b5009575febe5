import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountOpener } from './account-opener.js';
import { BootstrapOperators } from './bootstrap-operators.js';
import { NoticeMails } from './notices/notice-mails.js';
import { OperatorsController } from './operators.controller.js';
import { FamiliarPlaces } from './familiar-places.js';
import { PasswordChanges } from './password-changes.service.js';
import { PasswordHasher } from './password-hasher.js';
import { PasswordLogin } from './password-login.js';
import { PasswordResetEntity } from './password-reset.entity.js';
import { WithdrawalGate } from './withdrawal-gate.js';
import { UserApprovals } from './user-approvals.service.js';
import { UserCredentials } from './user-credentials.js';
import { UserListController } from './user-list.controller.js';
import { UserList } from './user-list.service.js';
import { UserLocksController } from './user-locks.controller.js';
import { UserLocks } from './user-locks.service.js';
import { UserManagementService } from './user-management.service.js';
import { UserRegistrationService } from './user-registration.service.js';
import { UserEntity } from './user.entity.js';
import { UsersController } from './users.controller.js';
import { UsersService } from './users.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([UserEntity, PasswordResetEntity])],
  controllers: [UsersController, OperatorsController, UserListController, UserLocksController],
  providers: [
    UsersService,
    UserRegistrationService,
    UserManagementService,
    UserApprovals,
    UserList,
    UserLocks,
    WithdrawalGate,
    UserCredentials,
    PasswordHasher,
    PasswordLogin,
    FamiliarPlaces,
    PasswordChanges,
    AccountOpener,
    BootstrapOperators,
    NoticeMails,
  ],
  exports: [
    UsersService,
    UserCredentials,
    PasswordChanges,
    PasswordHasher,
    PasswordLogin,
    AccountOpener,
    WithdrawalGate,
  ],
})
export class UsersModule {}
