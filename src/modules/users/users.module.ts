import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountOpener } from './account-opener.js';
import { BootstrapOperator } from './bootstrap-operator.js';
import { PasswordHasher } from './password-hasher.js';
import { PasswordLogin } from './password-login.js';
import { UserEntity } from './user.entity.js';
import { UsersService } from './users.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([UserEntity])],
  providers: [UsersService, PasswordHasher, PasswordLogin, AccountOpener, BootstrapOperator],
  exports: [UsersService, PasswordHasher, PasswordLogin, AccountOpener],
})
export class UsersModule {}
