import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountRoles } from '../../core-access/account-roles.js';
import { AccountMemberEntity } from './account-member.entity.js';
import { AccountMemberships } from './account-memberships.js';
import { MembershipStore } from './membership-store.js';

/** Provides the gate of accounts with what persons are on accounts of others. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([AccountMemberEntity])],
  providers: [MembershipStore, { provide: AccountRoles, useClass: AccountMemberships }],
  exports: [AccountRoles],
})
export class AccountRolesModule {}
