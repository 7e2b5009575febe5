import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountOpener } from './account-opener.js';
import { BootstrapOperator } from './bootstrap-operator.js';
import { OperatorsController } from './operators.controller.js';
import { PasswordHasher } from './password-hasher.js';
import { PasswordLogin } from './password-login.js';
import { UserCredentials } from './user-credentials.js';
import { UserManagementService } from './user-management.service.js';
import { UserRegistrationService } from './user-registration.service.js';
import { UserEntity } from './user.entity.js';
import { UsersController } from './users.controller.js';
import { UsersService } from './users.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([UserEntity])],
  controllers: [UsersController, OperatorsController],
  providers: [
    UsersService,
    UserRegistrationService,
    UserManagementService,
    UserCredentials,
    PasswordHasher,
    PasswordLogin,
    AccountOpener,
    BootstrapOperator,
  ],
  exports: [UsersService, UserCredentials, PasswordHasher, PasswordLogin, AccountOpener],
})
export class UsersModule {}
